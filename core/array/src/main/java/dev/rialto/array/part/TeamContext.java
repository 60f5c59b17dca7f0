package dev.rialto.array.part;

import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The services of a team that its arrays use. */
public interface TeamContext {
  Communicator communicator();

  /** Returns the memory that arrays of the host lie in, where ranks are processes. */
  SharedMemory memory();

  /** Returns the exchanger of arrays where a client is. Collective the first time. */
  Exchanger exchanger(ComputeClient on);

  /** Returns the tuner of that exchanger. Collective the first time. */
  Tuner tuner(ComputeClient on);

  /**
   * Lets the calling thread work with this team until {@link #exit}; the thread that is inside may
   * enter again, and so may work that was started.
   *
   * @param what it does, in words of {@code toString}
   * @throws IllegalStateException if another thread works with this team
   */
  void enter(Object what);

  /** Ends what the last {@link #enter} began. */
  void exit();

  /** Notes an array that is closed with the team unless it is {@linkplain #closed} before. */
  void opened(Operand array);

  void closed(Operand array);

  /**
   * Refuses an array that work was started with which failed and was not awaited; once.
   *
   * @throws IllegalStateException with that failure as its cause
   */
  void requireNoFailure(Operand array);

  /** Returns whether the calling thread runs work that was started. */
  boolean isInStartedWork();

  /** Checks that all ranks choose the same. Collective. */
  void agree(String what);

  /**
   * Closes a part together with the other ranks before they do anything else together, or, if they
   * no longer do, for itself.
   */
  void release(String closing, RankPart part);

  /** Waits for work that was started. */
  void finishWork();

  /** Returns the number of the next array that is made; all ranks make them in one order. */
  int nextArray();

  /** Returns an array without memory, numbered as all ranks number it. */
  Operand describe(IndexSpace space, DType type);

  /** Returns an array without memory of this rank's own, which takes no number. */
  Operand unnumbered(IndexSpace space, DType type);

  /** Returns the array that an object is which a user's function captured; null if it is none. */
  @Nullable Operand find(Object captured);

  /** Returns the kernels of a device, made when they are first needed and kept with the team. */
  <T extends KernelCache> T kernels(
      Class<T> sort, ComputeClient on, Function<ComputeClient, T> maker);
}
