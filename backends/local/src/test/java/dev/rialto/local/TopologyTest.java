package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {
  /** A random graph, in which edges may be doubled, go to oneself, or be missing altogether. */
  private static final class Graph {
    final List<int[]> edges = new ArrayList<>();
    final long[] counts;

    Graph(Random random, int ranks) {
      int many = random.nextInt(3 * ranks);
      for (int i = 0; i < many; i++) {
        edges.add(new int[] {random.nextInt(ranks), random.nextInt(ranks)});
      }
      counts = random.longs(many, 0, 3000).toArray();
    }

    /** Returns the edges that leave (end 0) or reach (end 1) a rank. */
    int[] at(int rank, int end) {
      int[] all = new int[edges.size()];
      Arrays.setAll(all, i -> i);
      return Arrays.stream(all).filter(i -> edges.get(i)[end] == rank).toArray();
    }

    int[] ranksAt(int rank, int end) {
      return Arrays.stream(at(rank, end)).map(i -> edges.get(i)[1 - end]).toArray();
    }

    long[] countsAt(int rank, int end) {
      return Arrays.stream(at(rank, end)).mapToLong(i -> counts[i]).toArray();
    }
  }

  private static long[] starts(long[] counts) {
    long[] starts = new long[counts.length];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }

  private static long total(long[] counts) {
    return Arrays.stream(counts).sum();
  }

  /** An element of a message along an edge: it tells edge and round, so no two are alike. */
  private static int element(int edge, int round, long i) {
    return edge * 1_000_000 + round * 10_000 + (int) i;
  }

  private static int[] blocks(Graph graph, int rank, int end, int round) {
    int[] elements = new int[(int) total(graph.countsAt(rank, end))];
    int at = 0;
    for (int edge : graph.at(rank, end)) {
      for (long i = 0; i < graph.counts[edge]; i++) {
        elements[at++] = element(edge, round, i);
      }
    }
    return elements;
  }

  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void unevenBlocksFollowTheEdgesOfAnyGraph(int ranks) {
    try (World world = World.local(ranks)) {
      for (int seed = 0; seed < 8; seed++) {
        Graph graph = new Graph(new Random(100L * ranks + seed), ranks);
        world.run(comm -> exchangeUneven(comm, graph));
      }
    }
  }

  /** Runs all forms at once: begun in the same order on all ranks, completed in another. */
  private static void exchangeUneven(Communicator comm, Graph graph) {
    int me = comm.rank();
    long[] out = graph.countsAt(me, 0);
    long[] in = graph.countsAt(me, 1);
    try (Topology topology = comm.topology(graph.ranksAt(me, 1), graph.ranksAt(me, 0))) {
      int[][] received = new int[20][(int) total(in)];
      Request[] requests = new Request[20];
      for (int round = 0; round < requests.length; round++) {
        MemorySegment send = MemorySegment.ofArray(blocks(graph, me, 0, round));
        MemorySegment receive = MemorySegment.ofArray(received[round]);
        requests[round] =
            round % 2 == 0
                ? topology.start(
                    new Collective.AllToAllV(
                        send, out, starts(out), receive, in, starts(in), DType.I32))
                : topology.prepare(
                    new Collective.AllToAllV(
                        send, out, starts(out), receive, in, starts(in), DType.I32));
        if (requests[round] instanceof PersistentRequest persistent && round % 2 == 1) {
          persistent.start();
        }
      }
      for (int round = requests.length - 1; round >= 0; round--) {
        requests[round].await();
        requests[round].close();
        assertThat(received[round]).as("%s", graph.edges).isEqualTo(blocks(graph, me, 1, round));
      }
      int[] again = new int[(int) total(in)];
      MemorySegment send = MemorySegment.ofArray(blocks(graph, me, 0, 77));
      MemorySegment receive = MemorySegment.ofArray(again);
      topology.run(
          new Collective.AllToAllV(send, out, starts(out), receive, in, starts(in), DType.I32));
      assertThat(again).isEqualTo(blocks(graph, me, 1, 77));
    }
  }

  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {1, 2, 4})
  void evenBlocksAndGathersGoRoundARing(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            int left = (comm.rank() + ranks - 1) % ranks;
            int right = (comm.rank() + 1) % ranks;
            int[] both = {left, right};
            // To the left first: from the right neighbour this is the first block.
            try (Topology ring = comm.topology(new int[] {right, left}, both)) {
              assertThat(ring.sources()).containsExactly(right, left);
              assertThat(ring.targets()).containsExactly(left, right);
              int[] got = new int[2];
              MemorySegment send = MemorySegment.ofArray(new int[] {comm.rank(), -comm.rank()});
              MemorySegment receive = MemorySegment.ofArray(got);
              ring.run(new Collective.AllToAll(send, receive, DType.I32, 1));
              assertThat(got).containsExactly(right, -left);
              ring.start(new Collective.AllToAll(send, receive, DType.I32, 1)).await();
              assertThat(got).containsExactly(right, -left);
              ring.run(new Collective.AllGather(send, receive, DType.I32, 1));
              assertThat(got).containsExactly(right, left);
              ring.start(new Collective.AllGather(send, receive, DType.I32, 1)).await();
              assertThat(got).containsExactly(right, left);
              int mine = comm.rank() % 2 + 1;
              int[] uneven = new int[4];
              ring.run(
                  new Collective.AllGatherV(
                      send,
                      mine,
                      MemorySegment.ofArray(uneven),
                      new long[] {right % 2 + 1, left % 2 + 1},
                      new long[] {0, 2},
                      DType.I32));
              assertThat(uneven[0]).isEqualTo(right);
              assertThat(uneven[2]).isEqualTo(left);
              assertThat(uneven[3]).isEqualTo(left % 2 == 1 ? -left : 0);
            }
          });
    }
  }

  @Test
  void manySmallRequestsUnderWayWakeWhomTheyBringForward() {
    // Far more than a board has slots for: each late one starts when an early one has ended. Ranks
    // that only looked again after a nap would be taken for deadlocked, or take minutes.
    int many = 2000;
    try (World world = World.local(4)) {
      world.run(
          comm -> {
            int[] left = {(comm.rank() + 3) % 4};
            int[] right = {(comm.rank() + 1) % 4};
            try (Topology ring = comm.topology(left, right)) {
              int[] got = new int[many];
              Request[] requests = new Request[many];
              for (int i = 0; i < many; i++) {
                MemorySegment send = MemorySegment.ofArray(new int[] {10 * i + comm.rank()});
                MemorySegment receive = MemorySegment.ofArray(got).asSlice(4L * i, 4);
                requests[i] = ring.start(new Collective.AllToAll(send, receive, DType.I32, 1));
              }
              requests[many - 1].await();
              for (int i = 0; i < many; i++) {
                requests[i].await();
                assertThat(got[i]).isEqualTo(10 * i + left[0]);
              }
            }
          });
    }
  }

  @Test
  void onlyNeighboursWaitForOneAnother() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            int[] peer = comm.rank() == 2 ? new int[0] : new int[] {1 - comm.rank()};
            try (Topology pair = comm.topology(peer, peer)) {
              MemorySegment none = MemorySegment.NULL;
              if (comm.rank() == 2) {
                // The others exchange a hundred times before this rank takes part at all.
                comm.receive(none, DType.I8, 0, 0, 0);
              }
              int[] got = new int[1];
              for (int i = 0; i < 100; i++) {
                MemorySegment send = MemorySegment.ofArray(new int[] {i});
                pair.run(new Collective.AllToAll(send, MemorySegment.ofArray(got), DType.I32, 1));
                assertThat(got[0]).isEqualTo(comm.rank() == 2 ? 0 : i);
              }
              if (comm.rank() == 0) {
                comm.send(none, DType.I8, 0, 2, 0);
              }
            }
          });
    }
  }

  @Test
  void edgesThatOnlyOneEndNamesAreToldToAllRanks() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            int[] targets = comm.rank() == 0 ? new int[] {1, 1} : new int[0];
            int[] sources = comm.rank() == 1 ? new int[] {0} : new int[0];
            assertThatThrownBy(() -> comm.topology(sources, targets))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 0 names rank 1 as target 2 times")
                .hasMessageContaining("rank 1 names rank 0 as source 1 times");
            assertThatThrownBy(() -> comm.topology(new int[] {3}, targets))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("source 3");
          });
    }
  }

  @Test
  void endsOfAnEdgeThatDisagreeBothLearnIt() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            int[] next = {(comm.rank() + 1) % 3};
            int[] before = {(comm.rank() + 2) % 3};
            try (Topology ring = comm.topology(before, next)) {
              MemorySegment send = MemorySegment.ofArray(new int[4]);
              MemorySegment receive = MemorySegment.ofArray(new int[4]);
              // Rank 0 sends 2 where rank 1 receives 1, and receives 1 where rank 2 sends 1.
              long[] sent = {comm.rank() == 0 ? 2 : 1};
              long[] one = {1};
              long[] at = {0};
              Request exchange =
                  ring.start(new Collective.AllToAllV(send, sent, at, receive, one, at, DType.I32));
              if (comm.rank() == 2) {
                exchange.await();
              } else {
                assertThatThrownBy(exchange::await)
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContaining("rank 0 sends 2 elements to rank 1, which receives 1");
              }
              // The topology is still good for the next operation.
              ring.run(new Collective.AllToAll(send, receive, DType.I32, 4));
            }
          });
    }
  }
}
