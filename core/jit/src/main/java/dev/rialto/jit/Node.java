package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An array that programs compute with: a name, a type, a shape, and where it may live.
 *
 * <p>Where it lives is a set of {@link Mode modes} that each use narrows; every narrowing remembers
 * its reason, so that a contradiction can name both sides. Thread-safe.
 */
public final class Node {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

  private record Reason(Set<Mode> modes, String why) {}

  private final String name;
  private final DType type;
  private final Shape shape;
  private final List<Reason> reasons = new ArrayList<>();
  private EnumSet<Mode> modes = EnumSet.allOf(Mode.class);

  /**
   * Makes a node.
   *
   * @param name letters, digits, dots and underscores; unique in a program
   */
  public Node(String name, DType type, Shape shape) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name for a node; use letters, digits, dots and underscores");
    }
    this.name = name;
    this.type = type;
    this.shape = shape;
  }

  /** Makes a node that is copied from and to the host. */
  public static Node hosted(String name, DType type, long... extents) {
    Node node = new Node(name, type, Shape.of(extents));
    node.restrict(Mode.onHost(), "it was made to be hosted");
    return node;
  }

  /** Makes a node that the host writes into each context once and that never changes. */
  public static Node constant(String name, DType type, long... extents) {
    Node node = new Node(name, type, Shape.of(extents));
    node.restrict(EnumSet.of(Mode.CONSTANT), "it was made to be constant");
    return node;
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the elements' type. */
  public DType type() {
    return type;
  }

  /** Returns the shape. */
  public Shape shape() {
    return shape;
  }

  /** Returns the bytes of all elements. */
  public long bytes() {
    return type.bytes(shape.count());
  }

  /** Returns the distance, in elements, between neighbours along an axis. */
  public long stride(int axis) {
    long stride = 1;
    for (int a = axis + 1; a < shape.rank(); a++) {
      stride *= shape.extent(a);
    }
    return stride;
  }

  /** Returns the distance, in elements, between an index and the next where a symbol grows by 1. */
  public long stride(List<Affine> index, Symbol symbol) {
    long stride = 0;
    for (int axis = 0; axis < index.size(); axis++) {
      stride += index.get(axis).factor(symbol) * stride(axis);
    }
    return stride;
  }

  /** Returns the index of all elements: a loop for each axis. */
  public List<Affine> whole() {
    List<Affine> index = new ArrayList<>();
    for (int axis = 0; axis < shape.rank(); axis++) {
      index.add(Affine.of(new Symbol.Iter("i" + axis, shape.extent(axis))));
    }
    return index;
  }

  /**
   * Narrows where this node may live.
   *
   * @param allowed the modes that remain possible
   * @param why a clause that completes "because …"
   * @throws IllegalStateException if nothing remains; the message has both reasons
   */
  public synchronized void restrict(Set<Mode> allowed, String why) {
    EnumSet<Mode> left = left(allowed, why);
    if (!left.equals(modes)) {
      modes = left;
      reasons.add(new Reason(Set.copyOf(allowed), why));
    }
  }

  /**
   * Checks that a use is possible, and narrows nothing.
   *
   * @throws IllegalStateException as {@link #restrict} does
   */
  public synchronized void require(Set<Mode> allowed, String why) {
    left(allowed, why);
  }

  private EnumSet<Mode> left(Set<Mode> allowed, String why) {
    EnumSet<Mode> left = EnumSet.copyOf(modes);
    left.retainAll(allowed);
    if (left.isEmpty()) {
      throw new IllegalStateException(
          "node %s must be %s because %s, but %s"
              .formatted(name, words(allowed), why, earlier(allowed)));
    }
    return left;
  }

  /** Returns the modes that are still possible. */
  public synchronized Set<Mode> modes() {
    return EnumSet.copyOf(modes);
  }

  /** Returns where this node may live and why, such as {@code hosted because it is an input}. */
  public synchronized String provenance() {
    return words(modes)
        + (reasons.isEmpty() ? "" : " because ")
        + String.join(" and ", reasons.stream().map(Reason::why).toList());
  }

  private String earlier(Set<Mode> allowed) {
    for (Reason reason : reasons) {
      if (reason.modes().stream().noneMatch(allowed::contains)) {
        return "it must be " + words(reason.modes()) + " because " + reason.why();
      }
    }
    StringBuilder all = new StringBuilder();
    for (Reason reason : reasons) {
      all.append(all.isEmpty() ? "" : " and ")
          .append("it must be " + words(reason.modes()) + " because " + reason.why());
    }
    return all.toString();
  }

  /** All that are on the host are called hosted. */
  private static String words(Set<Mode> modes) {
    EnumSet<Mode> named = EnumSet.copyOf(modes);
    if (modes.containsAll(Mode.onHost())) {
      named.removeAll(EnumSet.of(Mode.CONSTANT, Mode.VOLATILE));
    }
    return String.join(
        " or ", named.stream().map(m -> m.name().toLowerCase(java.util.Locale.ROOT)).toList());
  }

  @Override
  public String toString() {
    return name;
  }
}
