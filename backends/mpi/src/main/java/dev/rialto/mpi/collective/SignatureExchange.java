package dev.rialto.mpi.collective;

import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The signatures of one collective on their way between ranks.
 *
 * <p>As they are awaited by looking again and again, a rank that waits for one that has failed, or
 * will not come, gets an exception; a call inside of the library would not return.
 */
public abstract class SignatureExchange {
  final MpiGroup group;
  final MemorySegment memory;
  private final MpiRequest request;
  private final boolean closing;
  private final Deque<MemorySegment> free;
  private @Nullable MpiRequest collective;
  private @Nullable MismatchException mismatch;
  private boolean judged;

  /**
   * Takes an exchange over that was begun.
   *
   * @param request the exchange
   * @param memory what it uses
   * @param free where the memory goes when it is complete
   * @param closing whether the collective closes something
   */
  SignatureExchange(
      MpiGroup group,
      MpiRequest request,
      MemorySegment memory,
      Deque<MemorySegment> free,
      boolean closing) {
    this.group = group;
    this.request = request;
    this.memory = memory;
    this.free = free;
    this.closing = closing;
  }

  /** Compares the signatures; returns what is wrong with them, if anything. */
  abstract @Nullable MismatchException compare();

  /** Returns whether all ranks called the same, but one sends what another does not expect. */
  public boolean isUnbalanced() {
    return false;
  }

  /** Joins the exchange with its collective, if that was begun before the exchange has ended. */
  public static Request join(@Nullable SignatureExchange exchange, MpiRequest collective) {
    if (exchange == null) {
      return collective;
    }
    exchange.collective = collective;
    return new AgreedRequest(exchange, collective);
  }

  /** Waits until all ranks have come, and throws if they disagree. */
  public final void await() {
    request.await(closing, !closing);
    judge();
  }

  /** Gives the exchange up, for which other ranks may still come. */
  public final void giveUp(RuntimeException why) {
    request.giveUp(why);
  }

  public final void await(Duration limit) {
    request.await(limit);
    judge();
  }

  final boolean test() {
    if (!request.test()) {
      return false;
    }
    judge();
    return true;
  }

  /** Waits for the end, and throws if ranks disagree and no call has reported it. */
  final void close() {
    request.close();
    if (!judged) {
      judge();
    }
  }

  private void judge() {
    if (!judged) {
      request.await();
      judged = true;
      mismatch = compare();
      free.addFirst(memory);
      if (mismatch != null && collective != null) {
        collective.giveUp(mismatch);
      }
    }
    if (mismatch != null) {
      throw mismatch;
    }
  }
}
