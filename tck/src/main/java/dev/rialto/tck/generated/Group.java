package dev.rialto.tck.generated;

import java.util.List;

/**
 * A communicator of a script, as the model knows it.
 *
 * @param path how it was made, such as {@code world/dup/split}
 * @param depth how many communicators lie above it
 * @param members the ranks of the world that belong to it, in its own order
 */
public record Group(String path, int depth, List<Integer> members) {
  static Group world(int ranks) {
    return new Group("world", 0, java.util.stream.IntStream.range(0, ranks).boxed().toList());
  }

  public int size() {
    return members.size();
  }

  Group child(String how, List<Integer> ranks) {
    return new Group(path + "/" + how, depth + 1, List.copyOf(ranks));
  }

  // Two communicators of the same ranks are two.
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
