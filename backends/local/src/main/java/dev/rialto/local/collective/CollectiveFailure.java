package dev.rialto.local.collective;

import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;

/** The reason why one rank's side of a collective failed. */
sealed interface CollectiveFailure {
  /** Returns what the rank that called the operation throws. */
  RuntimeException exception(CollectiveOperation of);

  /** Ranks that disagree. */
  record Mismatch(String what) implements CollectiveFailure {
    @Override
    public RuntimeException exception(CollectiveOperation of) {
      return new MismatchException(
          what, of.queue.toString(), "call the same on all ranks, in order", null);
    }
  }

  /** A rank's share that threw. */
  record Thrown(int rank, Throwable cause) implements CollectiveFailure {
    @Override
    public RuntimeException exception(CollectiveOperation of) {
      return new CommunicationException(
          of + " failed on rank " + rank + ": " + cause, of.queue.toString(), "", cause);
    }
  }

  /** A rank that did not wait for the end. */
  record Left(int rank) implements CollectiveFailure {
    @Override
    public RuntimeException exception(CollectiveOperation of) {
      of.queue.member.checkRunning();
      return new PeerFailedException(
          "rank " + rank + " left " + of + " before it was complete",
          of.queue.toString(),
          "let it await what it begins",
          null);
    }
  }

  /** A rank's memory that was freed. */
  record Freed(int rank, IllegalStateException cause) implements CollectiveFailure {
    @Override
    public RuntimeException exception(CollectiveOperation of) {
      String what = "the memory of " + of + " was freed before that was complete";
      String remedy = "keep its arena open until then";
      return rank == of.rank()
          ? new IllegalStateException(of.queue + ": " + what + "; " + remedy, cause)
          : new PeerFailedException(
              "on rank " + rank + " " + what, of.queue.toString(), remedy, cause);
    }
  }
}
