package dev.rialto.local.collective;

import dev.rialto.local.world.Group;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.error.MismatchException;
import java.util.Arrays;

/** The topologies of a {@link LocalCommunicator}. */
public abstract class LocalNeighborhoods extends LocalReductions {
  /** What one rank asks for; the board of rank 0's proposal is used by all. */
  private static final class Proposal {
    final int[] sources;
    final int[] targets;
    final CollectiveBoard board;

    Proposal(int[] sources, int[] targets, CollectiveBoard board) {
      this.sources = sources.clone();
      this.targets = targets.clone();
      this.board = board;
    }
  }

  public LocalNeighborhoods(Group group, int rank) {
    super(group, rank);
  }

  @Override
  public final Topology topology(int[] sources, int[] targets) {
    for (int source : sources) {
      Arguments.rank(source, size(), "source");
    }
    for (int target : targets) {
      Arguments.rank(target, size(), "target");
    }
    Proposal mine =
        new Proposal(sources, targets, rank() == 0 ? new CollectiveBoard(size()) : group.board);
    Proposal[] all =
        Arrays.stream(exchange("topology", mine))
            .map(Proposal.class::cast)
            .toArray(Proposal[]::new);
    checkEdges(all);
    CollectiveQueue queue =
        new CollectiveQueue(
            all[0].board, this, others(mine.sources), others(mine.targets), edges(mine, all));
    return register(new LocalTopology(this, queue, mine.sources, mine.targets));
  }

  /** All ranks look at all edges, so that all get the same exception. */
  private void checkEdges(Proposal[] all) {
    int[][] received = new int[size()][];
    for (int rank = 0; rank < size(); rank++) {
      received[rank] = tally(all[rank].sources);
    }
    for (int from = 0; from < size(); from++) {
      int[] sent = tally(all[from].targets);
      for (int to = 0; to < size(); to++) {
        if (sent[to] != received[to][from]) {
          throw new MismatchException(
              "rank %d names rank %d as target %d times, but rank %d names rank %d as source %d times"
                  .formatted(from, to, sent[to], to, from, received[to][from]),
              collectives.toString(),
              "name each edge at both ends",
              null);
        }
      }
    }
  }

  private int[] tally(int[] ranks) {
    int[] times = new int[size()];
    for (int rank : ranks) {
      times[rank]++;
    }
    return times;
  }

  private int[] others(int[] ranks) {
    return Arrays.stream(ranks).distinct().filter(each -> each != rank()).toArray();
  }

  /** The k-th edge from a source here is the k-th edge to this rank there. */
  private Edges edges(Proposal mine, Proposal[] all) {
    int[] next = new int[size()];
    int[] blocks = new int[mine.sources.length];
    for (int i = 0; i < blocks.length; i++) {
      int source = mine.sources[i];
      int block = next[source];
      while (all[source].targets[block] != rank()) {
        block++;
      }
      blocks[i] = block;
      next[source] = block + 1;
    }
    return new Edges(mine.sources, blocks);
  }
}
