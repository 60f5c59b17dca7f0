package dev.rialto.jit.lower.program;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Drops assignments to nodes that nothing afterwards reads and that cannot be seen from outside.
 */
public final class DeadCode {
  private DeadCode() {}

  /**
   * Drops them.
   *
   * @param inputs the nodes whose contents matter from before
   */
  public static List<Assign> apply(List<Assign> assigns, Set<Node> inputs) {
    Set<Node> needed = new HashSet<>();
    List<Assign> kept = new ArrayList<>();
    for (Assign a : assigns.reversed()) {
      if (isSeenOutside(a.target(), inputs) || needed.contains(a.target())) {
        kept.add(a);
        a.reads().forEach(read -> needed.add(read.node()));
      }
    }
    Collections.reverse(kept);
    return kept;
  }

  public static boolean isSeenOutside(Node node, Set<Node> inputs) {
    return inputs.contains(node) || Mode.inContext().containsAll(node.modes());
  }
}
