package dev.rialto.tck.comm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A graph of senders and receivers: for each rank, the lists it gives when a topology is made.
 *
 * @param name what it is, for messages
 * @param sources for each rank those it receives from
 * @param targets for each rank those it sends to
 */
record Graph(String name, List<List<Integer>> sources, List<List<Integer>> targets) {
  /** An edge and where it stands in its sender's list. */
  private record Edge(int from, int to) {}

  /** Makes the graphs to try with a number of ranks. */
  static List<Graph> all(int ranks, Random random) {
    List<Edge> ring = new ArrayList<>();
    List<Edge> self = new ArrayList<>();
    List<Edge> star = new ArrayList<>();
    List<Edge> repeated = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      int next = (rank + 1) % ranks;
      ring.add(new Edge(rank, next));
      self.add(new Edge(rank, rank));
      star.add(new Edge(0, rank));
      repeated.addAll(List.of(new Edge(rank, next), new Edge(rank, rank), new Edge(rank, next)));
    }
    List<Graph> graphs = new ArrayList<>();
    graphs.add(of("no edges", ranks, List.of(), random));
    graphs.add(of("directed ring", ranks, ring, random));
    graphs.add(of("self edges", ranks, self, random));
    graphs.add(of("star", ranks, star, random));
    graphs.add(of("repeated edges", ranks, repeated, random));
    for (int i = 0; i < 4; i++) {
      List<Edge> edges =
          IntStream.range(0, random.nextInt(4 * ranks))
              .mapToObj(_ -> new Edge(random.nextInt(ranks), random.nextInt(ranks)))
              .toList();
      graphs.add(of("random " + edges, ranks, edges, random));
    }
    return graphs;
  }

  private static Graph of(String name, int ranks, List<Edge> edges, Random random) {
    List<Edge> asReceived = new ArrayList<>(edges);
    Collections.shuffle(asReceived, random);
    List<List<Integer>> sources = new ArrayList<>();
    List<List<Integer>> targets = new ArrayList<>();
    for (int i = 0; i < ranks; i++) {
      int rank = i;
      sources.add(asReceived.stream().filter(e -> e.to() == rank).map(Edge::from).toList());
      targets.add(edges.stream().filter(e -> e.from() == rank).map(Edge::to).toList());
    }
    return new Graph(name, sources, targets);
  }

  int[] sourcesOf(int rank) {
    return sources.get(rank).stream().mapToInt(Integer::intValue).toArray();
  }

  int[] targetsOf(int rank) {
    return targets.get(rank).stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Returns where, in its sender's list, the edge stands that is {@code index}-th in the list of
   * {@code rank}: the k-th from a sender here is the k-th to this rank there.
   */
  int placeAtSender(int rank, int index) {
    int sender = sources.get(rank).get(index);
    long earlier = sources.get(rank).subList(0, index).stream().filter(s -> s == sender).count();
    List<Integer> sent = targets.get(sender);
    return IntStream.range(0, sent.size())
        .filter(i -> sent.get(i) == rank)
        .skip(earlier)
        .findFirst()
        .orElseThrow();
  }
}
