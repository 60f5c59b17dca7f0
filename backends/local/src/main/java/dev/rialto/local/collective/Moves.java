package dev.rialto.local.collective;

import dev.rialto.local.memory.Memory;

/**
 * The shares of collectives that move elements. The receiver copies, straight from the sender's
 * memory; where that would leave ranks idle, they copy part of it for the others.
 */
final class Moves {
  /** From here on it pays that the root of a broadcast writes part of what the others receive. */
  private static final long SHARED_COPY = 64 << 10;

  private Moves() {}

  static void exchange(CollectiveOperation mine) {
    mine.taken = new Object[mine.size()];
    for (int rank = 0; rank < mine.size(); rank++) {
      mine.taken[rank] = mine.side(rank).given;
    }
  }

  /** Each rank copies its part, except for a last piece that the root writes for all. */
  static void broadcast(CollectiveOperation mine) {
    long bytes = mine.count * mine.type.size();
    boolean shared = !mine.inline() && bytes >= SHARED_COPY;
    long pulled = shared ? bytes / mine.size() * (mine.size() - 1) & -64 : bytes;
    if (mine.rank() != mine.root) {
      copy(mine, mine.root, 0, mine, 0, pulled);
    } else if (shared) {
      for (int rank = 0; rank < mine.size(); rank++) {
        if (rank != mine.root) {
          copy(mine, mine.root, pulled, mine.side(rank), pulled, bytes - pulled);
        }
      }
    }
  }

  /** Each rank writes its own block into the root's memory, so that all copy at once. */
  static void gather(CollectiveOperation mine) {
    if (!mine.inline()) {
      CollectiveOperation root = mine.side(mine.root);
      if (agree(mine, mine.rank(), mine.count, mine.root, root.receiveCount(mine.rank()))) {
        copy(mine, mine.rank(), 0, root, root.receiveOffset(mine.rank()), bytes(mine));
      }
    } else if (mine.rank() == mine.root) {
      allGather(mine);
    }
  }

  static void scatter(CollectiveOperation mine) {
    CollectiveOperation root = counts(mine, mine.root);
    if (agree(mine, mine.root, root.sendCount(mine.rank()), mine.rank(), mine.count)) {
      copy(mine, mine.root, root.sendOffset(mine.rank()), mine, 0, bytes(mine));
    }
  }

  static void allGather(CollectiveOperation mine) {
    for (int i = 1; i <= mine.size(); i++) {
      int rank = (mine.rank() + i) % mine.size();
      CollectiveOperation other = counts(mine, rank);
      if (agree(mine, rank, other.count, mine.rank(), mine.receiveCount(rank))) {
        copy(mine, rank, 0, mine, mine.receiveOffset(rank), bytes(other));
      }
    }
  }

  static void allToAll(CollectiveOperation mine) {
    for (int i = 1; i <= mine.size(); i++) {
      int rank = (mine.rank() + i) % mine.size();
      pull(mine, rank, mine.rank(), rank);
    }
  }

  /** Each rank copies what its neighbours send to all theirs. */
  static void neighborAllGather(CollectiveOperation mine) {
    for (int i = 0; i < mine.queue.edges().count(); i++) {
      int rank = mine.queue.edges().source(i);
      CollectiveOperation other = mine.side(rank);
      if (agree(mine, rank, other.count, mine.rank(), mine.receiveCount(i))) {
        copy(mine, rank, 0, mine, mine.receiveOffset(i), bytes(other));
      }
    }
  }

  static void neighborAllToAll(CollectiveOperation mine) {
    for (int i = 0; i < mine.queue.edges().count(); i++) {
      pull(mine, mine.queue.edges().source(i), mine.queue.edges().blockAtSource(i), i);
    }
  }

  /** Copies block {@code from} of what {@code rank} sends to block {@code to} of what I receive. */
  private static void pull(CollectiveOperation mine, int rank, int from, int to) {
    CollectiveOperation other = counts(mine, rank);
    if (agree(mine, rank, other.sendCount(from), mine.rank(), mine.receiveCount(to))) {
      long bytes = other.sendCount(from) * other.type.size();
      copy(mine, rank, other.sendOffset(from), mine, mine.receiveOffset(to), bytes);
    }
  }

  /** Returns the side that has a rank's counts: in cells all have the same, so no other is read. */
  private static CollectiveOperation counts(CollectiveOperation mine, int rank) {
    return mine.inline() ? mine : mine.side(rank);
  }

  private static long bytes(CollectiveOperation operation) {
    return operation.count * operation.type.size();
  }

  /** Fails the operation unless one sends as much as the other receives. */
  private static boolean agree(
      CollectiveOperation mine, int from, long sent, int to, long received) {
    if (sent == received) {
      return true;
    }
    mine.queue
        .peers()
        .mismatch(
            mine,
            from == mine.rank() ? to : from,
            "%s: rank %d sends %d elements to rank %d, which receives %d"
                .formatted(mine.kind.method, from, sent, to, received));
    return false;
  }

  /** Copies from what {@code rank} contributes to what {@code to} receives. */
  private static void copy(
      CollectiveOperation mine,
      int rank,
      long fromOffset,
      CollectiveOperation to,
      long toOffset,
      long bytes) {
    Memory.copySmall(
        mine.source(rank),
        mine.sourceStart(rank) + fromOffset,
        to.receive(),
        to.receiveStart() + toOffset,
        bytes);
  }
}
