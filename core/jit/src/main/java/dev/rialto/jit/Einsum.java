package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads index maps such as {@code "i k, k j -> i j"}: an index per axis, operands before the arrow
 * and the result after it.
 *
 * <p>An index is a name, a position, or a sum such as {@code 2*i+k}. Names that the result lacks
 * are summed over. {@code ...} stands for the leading axes that a spec does not name, matched from
 * the right; an operand of extent 1 there is repeated.
 */
final class Einsum {
  private static final String REST = "...";

  private final String spec;
  private final List<List<String>> operands = new ArrayList<>();
  private final List<String> result;

  Einsum(String spec) {
    this.spec = spec;
    String[] sides = spec.split("->", -1);
    if (sides.length != 2) {
      throw wrong("write operands, -> and the result, such as \"i k, k j -> i j\"");
    }
    for (String operand : sides[0].split(",", -1)) {
      operands.add(words(operand));
    }
    result = words(sides[1]);
  }

  private static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }

  private IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException("einsum \"" + spec + "\": " + why);
  }

  /** The index maps of operands and result, in the same symbols. */
  record Maps(List<List<Affine>> operands, List<Affine> result) {}

  Maps maps(List<Node> nodes) {
    if (nodes.size() != operands.size()) {
      throw wrong(operands.size() + " operands are written, but " + nodes.size() + " given");
    }
    int most = 0;
    for (int i = 0; i < nodes.size(); i++) {
      most = Math.max(most, rest(operands.get(i), nodes.get(i).shape()));
    }
    Indices indices = new Indices(Map.of(), Map.of());
    List<List<Indices.Written>> written = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      List<String> words = expand(operands.get(i), rest(operands.get(i), node.shape()), most);
      List<Indices.Written> index = new ArrayList<>();
      for (int axis = 0; axis < words.size(); axis++) {
        boolean repeated = words.get(axis).startsWith("_rest") && node.shape().extent(axis) == 1;
        Indices.Written w = Indices.parse(repeated ? "0" : words.get(axis));
        index.add(w);
        indices.use(node.name(), node.shape(), axis, w, false);
      }
      written.add(index);
    }
    try {
      indices.solve();
      List<List<Affine>> maps = new ArrayList<>();
      written.forEach(index -> maps.add(index.stream().map(indices::affine).toList()));
      List<String> words = expand(result, result.contains(REST) ? most : 0, most);
      return new Maps(maps, words.stream().map(w -> indices.affine(Indices.parse(w))).toList());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("einsum \"" + spec + "\": " + e.getMessage(), e);
    }
  }

  private int rest(List<String> words, Shape shape) {
    boolean open = words.contains(REST);
    int named = words.size() - (open ? 1 : 0);
    if (open ? shape.rank() < named : shape.rank() != named) {
      throw wrong("'" + String.join(" ", words) + "' does not fit shape " + shape);
    }
    return shape.rank() - named;
  }

  private static List<String> expand(List<String> words, int rest, int most) {
    List<String> expanded = new ArrayList<>();
    for (String word : words) {
      if (word.equals(REST)) {
        for (int i = most - rest; i < most; i++) {
          expanded.add("_rest" + i);
        }
      } else {
        expanded.add(word);
      }
    }
    return expanded;
  }

  /** The shape that the result map spans. */
  static Shape shape(List<Affine> result) {
    return Shape.of(result.stream().mapToLong(a -> a.max() + 1).toArray());
  }

  /** Combines operands by an operator over the maps and accumulates the result. */
  Assign assign(String name, Accum accum, Op op, List<Node> nodes) {
    Maps maps = maps(nodes);
    List<ScalarExpression> reads = new ArrayList<>();
    Set<DType> types = new LinkedHashSet<>();
    for (int i = 0; i < nodes.size(); i++) {
      reads.add(new ScalarExpression.Read(nodes.get(i), maps.operands().get(i), false));
      types.add(nodes.get(i).type());
    }
    if (types.size() > 1) {
      throw wrong("operands are of types " + types + "; cast them");
    }
    ScalarExpression body =
        reads.size() == 1 ? reads.get(0) : new ScalarExpression.Apply(op, reads);
    Node target = new Node(name, body.type(), shape(maps.result()));
    return Assign.of(target, maps.result(), accum, true, body);
  }

  /** Returns the shape that axes matched from the right make, those of extent 1 being repeated. */
  static Shape broadcast(String name, List<Node> nodes) {
    int rank = nodes.stream().mapToInt(n -> n.shape().rank()).max().orElse(0);
    long[] extents = new long[rank];
    for (int fromRight = 1; fromRight <= rank; fromRight++) {
      long extent = 1;
      Node first = nodes.getFirst();
      for (Node node : nodes) {
        Shape shape = node.shape();
        long own = shape.rank() < fromRight ? 1 : shape.extent(shape.rank() - fromRight);
        if (own != 1 && extent != 1 && own != extent) {
          throw new IllegalArgumentException(
              ("shapes of %s do not match: %s has %s and %s has %s; axis %s from the right "
                      + "is %s and %s")
                  .formatted(name, first, first.shape(), node, shape, fromRight, extent, own));
        }
        if (own != 1 || first == null) {
          extent = own;
          first = node;
        }
      }
      extents[rank - fromRight] = extent;
    }
    return Shape.of(extents);
  }
}
