package dev.rialto.local;

import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.comm.Communicator;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits of tests for what a rank does, seen in its state. The test's time limit ends them. */
public final class Watched {
  private static final long LOOK_NANOS = 100_000;

  private Watched() {}

  /** Waits until all other ranks are parked, or through. */
  public static void untilOthersWait(Communicator comm) {
    for (int rank = 0; rank < comm.size(); rank++) {
      Rank other = rank(comm, rank);
      until(() -> rank(comm, comm.rank()) == other || other.blocked != null || other.finished);
    }
  }

  /** Waits until a rank's body has returned. */
  public static void untilFinished(Communicator comm, int rank) {
    Rank other = rank(comm, rank);
    until(() -> other.finished);
  }

  /** Waits until a rank that waits has looked so often in vain. */
  static void untilPolled(Communicator comm, int rank, int times) {
    Rank other = rank(comm, rank);
    until(() -> other.blocked != null);
    long first = other.polls();
    until(() -> other.polls() >= first + times);
  }

  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Lets time pass without giving the core away: for moments too short to park for. */
  static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static Rank rank(Communicator comm, int rank) {
    return ((LocalCommunicator) comm).member().group.member(rank);
  }
}
