package dev.rialto.spi;

import dev.rialto.spi.comm.Communicator;
import java.util.List;
import java.util.OptionalInt;

/**
 * A set of ranks that run the same code.
 *
 * <p>
 *
 * {@snippet :
 * try (World world = World.local(4)) {
 *   world.run(comm -> System.out.println("rank " + comm.rank() + " of " + comm.size()));
 * }
 * }
 *
 * <p>A rank that throws fails the world: the others' operations, on every communicator and window,
 * end with {@link dev.rialto.spi.error.PeerFailedException}, closing these waits for no rank,
 * {@link #run} throws, and the world can only be closed. Not thread-safe: one {@link #run} at a
 * time.
 */
public interface World extends AutoCloseable {
  /** Returns the number of ranks. */
  int size();

  /**
   * Runs {@code body} once on each rank and returns when it has ended on all ranks of this process.
   *
   * @throws dev.rialto.spi.error.CommunicationException if a rank threw: the first failure of a
   *     rank's own is the cause, never what it did to another rank, and what other ranks threw for
   *     reasons of their own is suppressed in it
   * @throws IllegalStateException if the world is closed, has failed, or is running
   */
  default void run(RankBody body) {
    call(
        comm -> {
          body.run(comm);
          return comm.rank();
        });
  }

  /**
   * Runs as {@link #run} does and returns what the ranks of this process returned, in rank order.
   */
  <T> List<T> call(RankFunction<T> function);

  /** Gives the world back; collective where ranks are processes. Closing again does nothing. */
  @Override
  void close();

  /** The body that each rank runs. */
  @FunctionalInterface
  interface RankBody {
    /** Runs on one rank. */
    void run(Communicator comm) throws Exception;
  }

  /**
   * The function that each rank computes.
   *
   * @param <T> the result of one rank
   */
  @FunctionalInterface
  interface RankFunction<T> {
    /** Runs on one rank. */
    T run(Communicator comm) throws Exception;
  }

  /**
   * Opens a world whose ranks are threads of this JVM.
   *
   * @param ranks how many, from 1 to 1024; more than there are cores is fine
   */
  static World local(int ranks) {
    if (ranks < 1) {
      throw new IllegalArgumentException("a world of " + ranks + " ranks; give at least 1");
    }
    return Backends.get("local").openWorld(ranks);
  }

  /**
   * Opens the world this JVM was launched into, or a local one.
   *
   * @param args the program's arguments; {@code --comm NAME} asks for a backend and {@code --ranks
   *     N} for a number of ranks, anything else is left alone
   * @throws IllegalArgumentException if a value is missing or wrong
   */
  static World open(String... args) {
    return WorldArguments.parse(args).open();
  }

  /**
   * The rank that a thread works for, where several ranks share a process.
   *
   * <p>A world whose ranks are threads runs their bodies in such a scope, so that what is recorded
   * of one can be told from what is recorded of another.
   */
  final class RankScope {
    private static final ScopedValue<Integer> RANK = ScopedValue.newInstance();

    private RankScope() {}

    /** Returns the rank; empty outside a scope, where a process has one rank or none. */
    public static OptionalInt current() {
      return RANK.isBound() ? OptionalInt.of(RANK.get()) : OptionalInt.empty();
    }

    /**
     * Runs code in the scope of a rank.
     *
     * @param <T> what the code returns
     * @param <X> what it throws
     */
    public static <T, X extends Throwable> T call(
        int rank, ScopedValue.CallableOp<? extends T, X> body) throws X {
      return ScopedValue.where(RANK, rank).call(body);
    }
  }
}
