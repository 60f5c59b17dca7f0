package dev.rialto.jit;

import dev.rialto.jit.ScalarExpression.Apply;
import dev.rialto.jit.ScalarExpression.Cast;
import dev.rialto.jit.ScalarExpression.Const;
import dev.rialto.jit.ScalarExpression.Position;
import dev.rialto.jit.ScalarExpression.Random;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A node together with how it is computed: the way to write programs in Java.
 *
 * <p>Each method gives a new tensor; nothing is computed until a {@link #program} is compiled and
 * run. Binary operators broadcast: axes are matched from the right, and an axis of extent 1 is
 * repeated. Immutable.
 */
public final class TensorExpression {
  private final Node node;
  private final List<Assign> code;
  private final List<TensorExpression> operands;

  private TensorExpression(Node node, List<Assign> code, List<TensorExpression> operands) {
    this.node = node;
    this.code = List.copyOf(code);
    this.operands = List.copyOf(operands);
  }

  /** Returns a tensor whose elements come from outside. */
  public static TensorExpression of(Node node) {
    return new TensorExpression(node, List.of(), List.of());
  }

  /** Returns a tensor of one value. */
  public static TensorExpression constant(String name, DType type, double value, long... extents) {
    return each(name, type, Shape.of(extents), List.of(), _ -> new Const(type, value));
  }

  /** Returns 0, 1, 2, … in row-major order. */
  public static TensorExpression range(String name, DType type, long... extents) {
    Shape shape = Shape.of(extents);
    return each(
        name, type, shape, List.of(), index -> new Position(type, Affine.number(index, shape)));
  }

  /** Returns pseudo-random numbers in [0, 1) that depend on the seed and the place alone. */
  public static TensorExpression random(String name, DType type, long seed, long... extents) {
    Shape shape = Shape.of(extents);
    return each(
        name, type, shape, List.of(), index -> new Random(type, seed, Affine.number(index, shape)));
  }

  private static TensorExpression compute(
      Node node,
      List<Affine> index,
      Accum accum,
      ScalarExpression body,
      List<TensorExpression> operands) {
    return new TensorExpression(node, List.of(Assign.of(node, index, accum, true, body)), operands);
  }

  /** Sets each element of a new node. */
  private static TensorExpression each(
      String name,
      DType type,
      Shape shape,
      List<TensorExpression> operands,
      Function<List<Affine>, ScalarExpression> value) {
    Node node = new Node(name, type, shape);
    List<Affine> index = node.whole();
    return compute(node, index, Accum.SET, value.apply(index), operands);
  }

  private static List<Node> nodes(List<TensorExpression> tensors) {
    return tensors.stream().map(TensorExpression::node).toList();
  }

  /** Returns the node. */
  public Node node() {
    return node;
  }

  // --- Element by element -----------------------------------------------------------------------

  /** Applies an operator, element by element. */
  public TensorExpression apply(String name, Op op, TensorExpression... others) {
    List<TensorExpression> all = new ArrayList<>(List.of(this));
    all.addAll(List.of(others));
    return each(
        name,
        node.type(),
        Einsum.broadcast(name, nodes(all)),
        all,
        index -> new Apply(op, all.stream().<ScalarExpression>map(t -> t.read(index)).toList()));
  }

  private Read read(List<Affine> index) {
    List<Affine> own = new ArrayList<>();
    int skip = index.size() - node.shape().rank();
    for (int axis = 0; axis < node.shape().rank(); axis++) {
      boolean repeated = node.shape().extent(axis) == 1;
      own.add(repeated ? Affine.of(0) : index.get(skip + axis));
    }
    return new Read(node, own, false);
  }

  /** Returns the sum. */
  public TensorExpression add(String name, TensorExpression other) {
    return apply(name, Op.ADD, other);
  }

  /** Returns the difference. */
  public TensorExpression sub(String name, TensorExpression other) {
    return apply(name, Op.SUB, other);
  }

  /** Returns the product, element by element. */
  public TensorExpression mul(String name, TensorExpression other) {
    return apply(name, Op.MUL, other);
  }

  /** Returns the quotient. */
  public TensorExpression div(String name, TensorExpression other) {
    return apply(name, Op.DIV, other);
  }

  /** Returns the sum with a number. */
  public TensorExpression add(String name, double value) {
    return withConstant(name, Op.ADD, value);
  }

  /** Returns the product with a number. */
  public TensorExpression mul(String name, double value) {
    return withConstant(name, Op.MUL, value);
  }

  /** Returns a power. */
  public TensorExpression pow(String name, double exponent) {
    return withConstant(name, Op.POW, exponent);
  }

  private TensorExpression withConstant(String name, Op op, double value) {
    Const constant = new Const(node.type(), value);
    return each(
        name,
        node.type(),
        node.shape(),
        List.of(this),
        index -> ScalarExpression.apply(op, read(index), constant));
  }

  /** Returns this in another type. */
  public TensorExpression cast(String name, DType type) {
    return each(name, type, node.shape(), List.of(this), index -> new Cast(type, read(index)));
  }

  // --- Index maps -------------------------------------------------------------------------------

  /**
   * Multiplies and sums over index maps such as {@code "i k, k j -> i j"}.
   *
   * @throws IllegalArgumentException if the spec does not fit the shapes; it says which axes differ
   */
  public TensorExpression einsum(String name, String spec, TensorExpression... others) {
    return einsum(name, spec, Accum.SUM, Op.MUL, others);
  }

  /** As {@link #einsum(String, String, Tensor...)} with any operator and accumulation. */
  public TensorExpression einsum(
      String name, String spec, Accum accum, Op op, TensorExpression... others) {
    List<TensorExpression> all = new ArrayList<>(List.of(this));
    all.addAll(List.of(others));
    Assign assign = new Einsum(spec).assign(name, accum, op, nodes(all)).setIfSingle();
    return new TensorExpression(assign.target(), List.of(assign), all);
  }

  /** Returns the part that a static index selects along the first axis. */
  public TensorExpression slice(String name, StaticIndex which) {
    Shape shape = node.shape();
    if (shape.rank() == 0 || shape.extent(0) != which.size()) {
      throw new IllegalArgumentException(
          "static index %s has %s values, but axis 0 of %s, of shape %s, has another extent"
              .formatted(which, which.size(), node, shape));
    }
    long[] rest = java.util.Arrays.copyOfRange(shape.extents(), 1, shape.rank());
    return each(
        name,
        node.type(),
        Shape.of(rest),
        List.of(this),
        index -> {
          List<Affine> from = new ArrayList<>(List.of(Affine.of(which)));
          from.addAll(index);
          return new Read(node, from, false);
        });
  }

  /** Returns this followed by another along an axis. */
  public TensorExpression concat(String name, int axis, TensorExpression other) {
    long[] extents = node.shape().extents();
    long[] others = other.node.shape().extents();
    long first = extents[axis];
    extents[axis] += others[axis];
    others[axis] = extents[axis];
    if (!java.util.Arrays.equals(extents, others)) {
      throw new IllegalArgumentException(
          "shapes %s of %s and %s of %s differ besides axis %s"
              .formatted(node.shape(), node, other.node.shape(), other.node, axis));
    }
    Node target = new Node(name, node.type(), Shape.of(extents));
    List<Assign> code = new ArrayList<>();
    for (TensorExpression part : List.of(this, other)) {
      List<Affine> index = part.node.whole();
      List<Affine> place = new ArrayList<>(index);
      place.set(axis, index.get(axis).plus(part == this ? 0 : first));
      code.add(
          Assign.of(target, place, Accum.SET, part == this, new Read(part.node, index, false)));
    }
    return new TensorExpression(target, code, List.of(this, other));
  }

  // --- Places that are read ---------------------------------------------------------------------

  private TensorExpression requireInteger(String what) {
    if (node.type().kind() != DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          node + " of type " + node.type() + " cannot be " + what + "; cast it to i32 or i64");
    }
    return this;
  }

  /** Checks an axis and returns the index of the whole tensor, and the axes besides that one. */
  private List<Affine> besides(int axis, List<Affine> whole) {
    if (axis < 0 || axis >= whole.size()) {
      throw new IllegalArgumentException(
          "axis " + axis + " of " + node + " is not there; its shape is " + node.shape());
    }
    List<Affine> rest = new ArrayList<>(whole);
    rest.remove(axis);
    return rest;
  }

  private static Shape shape(List<Affine> index) {
    return Shape.of(index.stream().mapToLong(a -> a.max() + 1).toArray());
  }

  /**
   * Gathers: the axes of {@code places} take the place of one axis, which each of its elements is
   * an index of. Where it is outside the result is 0.
   */
  public TensorExpression take(String name, int axis, TensorExpression places) {
    places.requireInteger("indices");
    List<Affine> from = new ArrayList<>(node.whole());
    List<Affine> rest = besides(axis, from);
    List<Affine> along = new ArrayList<>();
    for (int a = 0; a < places.node.shape().rank(); a++) {
      along.add(Affine.of(new Iter("p" + a, places.node.shape().extent(a))));
    }
    Symbol place = new Symbol.Element(new Read(places.node, along, false));
    from.set(axis, Affine.of(place));
    List<Affine> index = new ArrayList<>(rest);
    index.addAll(axis, along);
    return compute(
        new Node(name, node.type(), shape(index)),
        index,
        Accum.SET,
        new Read(node, from, false).orZero(),
        List.of(this, places));
  }

  /**
   * Scatters: what is at a position of an axis is combined with the element whose index is at that
   * position of {@code places}; elements that get nothing have the neutral value. Where an index is
   * outside nothing is assigned.
   *
   * @param places one axis, as long as the one that is scattered
   * @param extent how long that axis becomes
   */
  public TensorExpression scatter(
      String name, Accum accum, int axis, TensorExpression places, long extent) {
    places.requireInteger("indices");
    List<Affine> from = node.whole();
    List<Affine> rest = besides(axis, from);
    if (places.node.shape().rank() != 1
        || places.node.shape().extent(0) != node.shape().extent(axis)) {
      throw new IllegalArgumentException(
          "places %s of shape %s are not as long as axis %d of %s, whose shape is %s"
              .formatted(places.node, places.node.shape(), axis, node, node.shape()));
    }
    Symbol place = new Symbol.Element(new Read(places.node, List.of(from.get(axis)), false));
    List<Affine> index = new ArrayList<>(rest);
    index.add(axis, Affine.of(place));
    long[] extents = node.shape().extents();
    extents[axis] = extent;
    return compute(
        new Node(name, node.type(), Shape.of(extents)),
        index,
        accum,
        new Read(node, from, false),
        List.of(this, places));
  }

  /** Returns where along an axis the largest value is, the first of several, as I64. */
  public TensorExpression argmax(String name, int axis) {
    return argExtreme(name, axis, Accum.MAX);
  }

  /** Returns where along an axis the smallest value is, the first of several, as I64. */
  public TensorExpression argmin(String name, int axis) {
    return argExtreme(name, axis, Accum.MIN);
  }

  private TensorExpression argExtreme(String name, int axis, Accum accum) {
    List<Affine> from = node.whole();
    List<Affine> index = besides(axis, from);
    Node target = new Node(name, DType.I64, shape(index));
    ScalarExpression value = new Read(node, from, false);
    return new TensorExpression(target, ArgExtreme.of(target, index, accum, value), List.of(this));
  }

  /**
   * Combines what is along an axis, up to a length that is read.
   *
   * @param lengths broadcast to the axes besides that one; at most the axis is used
   */
  public TensorExpression reduce(String name, Accum accum, int axis, TensorExpression lengths) {
    lengths.requireInteger("lengths");
    List<Affine> from = new ArrayList<>(node.whole());
    List<Affine> index = besides(axis, from);
    Node target = new Node(name, node.type(), shape(index));
    if (!Einsum.broadcast(name, List.of(lengths.node, target)).equals(target.shape())) {
      throw new IllegalArgumentException(
          "lengths %s of shape %s are more than the rows of %s, which are of shape %s"
              .formatted(lengths.node, lengths.node.shape(), node, target.shape()));
    }
    Read end = lengths.read(index);
    from.set(axis, Affine.of(new Iter("i" + axis, node.shape().extent(axis), end)));
    return compute(target, index, accum, new Read(node, from, false), List.of(this, lengths));
  }

  // --- Programs ---------------------------------------------------------------------------------

  /** Returns the program that computes tensors, which then are hosted. */
  public static Program program(String name, TensorExpression... results) {
    Set<TensorExpression> seen = new HashSet<>();
    List<Assign> assigns = new ArrayList<>();
    for (TensorExpression result : results) {
      result.collect(seen, assigns);
      result.node.restrict(Mode.onHost(), "it is a result of program " + name);
    }
    return new Program(name, assigns);
  }

  /** Operands come first; those still to do wait on a stack of their own. */
  private void collect(Set<TensorExpression> seen, List<Assign> assigns) {
    record Open(TensorExpression tensor, Iterator<TensorExpression> operands) {
      Open(TensorExpression tensor) {
        this(tensor, tensor.operands.iterator());
      }
    }
    Deque<Open> open = new ArrayDeque<>();
    if (seen.add(this)) {
      open.push(new Open(this));
    }
    while (!open.isEmpty()) {
      Open top = open.getFirst();
      if (!top.operands.hasNext()) {
        assigns.addAll(open.pop().tensor.code);
        continue;
      }
      TensorExpression next = top.operands.next();
      if (seen.add(next)) {
        open.push(new Open(next));
      }
    }
  }

  /** Returns the derivatives of this single number, computed by one program with it. */
  public Gradient gradient(String name, Set<Node> wanted) {
    Program forward = program(name, this);
    Gradient gradient = Gradient.of(forward, node, wanted);
    return new Gradient(forward.then(gradient.program()), gradient.of());
  }
}
