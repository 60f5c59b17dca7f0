package dev.rialto.local.collective;

import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.error.MismatchException;
import java.util.Arrays;

/** Makes the topologies of a {@link LocalCommunicator} out of what each rank asks for. */
public final class LocalTopologies {
  private final Member member;
  private final LocalCollectives collectives;

  /** One rank's proposal; the board of rank 0's is used by all. */
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

  public LocalTopologies(Member member, LocalCollectives collectives) {
    this.member = member;
    this.collectives = collectives;
  }

  /** Makes a topology; see {@link LocalCommunicator#topology}. */
  public Topology make(int[] sources, int[] targets) {
    Arguments.edges(sources, targets, member.size());
    Proposal mine =
        new Proposal(
            sources,
            targets,
            member.rank() == 0 ? new CollectiveBoard(member.size()) : member.group.board);
    Proposal[] all =
        Arrays.stream(collectives.exchange("topology", mine))
            .map(Proposal.class::cast)
            .toArray(Proposal[]::new);
    checkEdges(all);
    CollectiveQueue queue =
        new CollectiveQueue(
            all[0].board, member, others(mine.sources), others(mine.targets), edges(mine, all));
    return member.register(new LocalTopology(member, queue, mine.sources, mine.targets));
  }

  /** All ranks look at all edges, so that all get the same exception. */
  private void checkEdges(Proposal[] all) {
    int[][] received = new int[member.size()][];
    for (int rank = 0; rank < member.size(); rank++) {
      received[rank] = tally(all[rank].sources);
    }
    for (int from = 0; from < member.size(); from++) {
      int[] sent = tally(all[from].targets);
      for (int to = 0; to < member.size(); to++) {
        if (sent[to] != received[to][from]) {
          throw new MismatchException(
              "rank %d names rank %d as target %d times, but rank %d names rank %d as source %d times"
                  .formatted(from, to, sent[to], to, from, received[to][from]),
              member.where(),
              "name each edge at both ends",
              null);
        }
      }
    }
  }

  private int[] tally(int[] ranks) {
    int[] times = new int[member.size()];
    for (int rank : ranks) {
      times[rank]++;
    }
    return times;
  }

  private int[] others(int[] ranks) {
    return Arrays.stream(ranks).distinct().filter(each -> each != member.rank()).toArray();
  }

  /** The k-th edge from a source here is the k-th edge to this rank there. */
  private Edges edges(Proposal mine, Proposal[] all) {
    int[] next = new int[member.size()];
    int[] blocks = new int[mine.sources.length];
    for (int i = 0; i < blocks.length; i++) {
      int source = mine.sources[i];
      int block = next[source];
      while (all[source].targets[block] != member.rank()) {
        block++;
      }
      blocks[i] = block;
      next[source] = block + 1;
    }
    return new Edges(mine.sources, blocks);
  }
}
