package dev.rialto.jit;

import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Random programs: shapes, types, index maps, operators, sums, padding and overwriting. The same
 * seed gives the same program.
 */
public final class RandomProgram {
  private static final long[] SIZES = {1, 2, 3, 5, 8, 17, 33};
  private static final List<Op> REAL =
      List.of(
          Op.NEG,
          Op.ABS,
          Op.SQRT,
          Op.EXP,
          Op.LOG,
          Op.SIN,
          Op.COS,
          Op.TANH,
          Op.FLOOR,
          Op.RELU,
          Op.RECIP,
          Op.ADD,
          Op.SUB,
          Op.MUL,
          Op.DIV,
          Op.POW,
          Op.MAX,
          Op.MIN,
          Op.RELU_GATE,
          Op.REM,
          Op.LT,
          Op.LE,
          Op.GT,
          Op.GE,
          Op.EQ,
          Op.NE,
          Op.NOT,
          Op.AND,
          Op.OR,
          Op.XOR,
          Op.WHERE,
          Op.FMA);
  private static final List<Op> APPROXIMATE =
      List.of(Op.EXP, Op.LOG, Op.SIN, Op.COS, Op.TANH, Op.POW);
  private static final List<Op> WHOLE =
      List.of(
          Op.NEG,
          Op.ABS,
          Op.RELU,
          Op.ADD,
          Op.SUB,
          Op.MUL,
          Op.DIV,
          Op.MAX,
          Op.MIN,
          Op.REM,
          Op.LT,
          Op.LE,
          Op.GT,
          Op.GE,
          Op.EQ,
          Op.NE,
          Op.NOT,
          Op.AND,
          Op.OR,
          Op.XOR,
          Op.BIT_NOT,
          Op.BIT_AND,
          Op.BIT_OR,
          Op.BIT_XOR,
          Op.SHL,
          Op.SHR,
          Op.USHR,
          Op.WHERE,
          Op.FMA,
          Op.RECIP,
          Op.RELU_GATE,
          Op.FLOOR);
  private static final List<Op> COMPLEX =
      List.of(Op.NEG, Op.ABS, Op.CONJ, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.RECIP, Op.FMA);

  private final RandomGenerator random;
  private final DType favourite;
  private final boolean exact;
  private final String prefix;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Assign> assigns = new ArrayList<>();
  private final Map<Node, double[]> inputs = new LinkedHashMap<>();
  private final StaticIndex step = new StaticIndex("step", 3);

  /** Makes the program of a seed, half of it in single precision. */
  public RandomProgram(long seed) {
    this(seed, DType.F32);
  }

  /** Makes the program of a seed, half of it in one type. */
  public RandomProgram(long seed, DType favourite) {
    this(seed, favourite, false, "");
  }

  /**
   * Makes the program of a seed.
   *
   * @param exact whether operators that are approximations are left out
   * @param prefix what names of nodes begin with
   */
  public RandomProgram(long seed, DType favourite, boolean exact, String prefix) {
    this.favourite = favourite;
    this.exact = exact;
    this.prefix = prefix;
    random = new java.util.SplittableRandom(seed);
    int count = 2 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      Node input = Node.hosted(prefix + "in" + i, type(), extents(1 + random.nextInt(3)));
      nodes.add(input);
      inputs.put(input, values(input));
    }
    int statements = 2 + random.nextInt(6);
    for (int i = 0; i < statements; i++) {
      statement(i);
    }
    Node last = assigns.getLast().target();
    last.restrict(Mode.onHost(), "it is the result");
  }

  /** Returns the program. */
  public Program program() {
    return new Program("random", assigns);
  }

  /** Returns what the inputs hold. */
  public Map<Node, double[]> inputs() {
    return inputs;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private DType type() {
    return random.nextInt(2) == 0 ? favourite : pick(List.of(DType.values()));
  }

  private long[] extents(int rank) {
    long[] extents = new long[rank];
    for (int axis = 0; axis < rank; axis++) {
      extents[axis] = SIZES[random.nextInt(SIZES.length)];
    }
    return extents;
  }

  private double[] values(Node node) {
    int parts = node.type().kind() == DType.Kind.COMPLEX ? 2 : 1;
    double[] values = new double[(int) node.shape().count() * parts];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(node.type());
    }
    return values;
  }

  private double value(DType type) {
    int kind = random.nextInt(40);
    if (type.kind() == DType.Kind.INTEGER) {
      if (type.isUnsigned()) {
        // The greatest of U64 that a double holds.
        double greatest =
            type == DType.U64 ? 0x1.fffffffffffffp63 : 0x1p8 * (1L << (8 * type.size() - 8)) - 1;
        return kind > 2 ? random.nextInt(20) : greatest - (kind == 0 ? 0 : 0x1p12 % greatest);
      }
      return kind > 1 ? random.nextInt(-20, 20) : kind == 0 ? Byte.MAX_VALUE : Byte.MIN_VALUE;
    }
    return switch (kind) {
      case 0 -> 0;
      case 1 -> -0.0;
      case 2 -> exact ? Double.NaN : 0;
      case 3 -> exact ? Double.POSITIVE_INFINITY : 1;
      case 4 -> exact ? random.nextDouble(-1e19, 1e19) : 1;
      // A number that every type holds, so that what is written is what is read.
      default -> Math.rint(random.nextDouble(-4, 4) * 32) / 32;
    };
  }

  private void statement(int number) {
    List<Iter> loops = new ArrayList<>();
    // One loop may be long enough for vectors; the interpreter pays for each further one.
    for (String name : List.of("i", "j", "k").subList(0, 1 + random.nextInt(3))) {
      loops.add(new Iter(name, SIZES[random.nextInt(loops.isEmpty() ? SIZES.length : 4)]));
    }
    java.util.Collections.rotate(loops, random.nextInt(3));
    if (random.nextInt(5) == 0) {
      cutShort(loops);
    }
    List<Iter> kept = new ArrayList<>(loops);
    if (random.nextInt(2) == 0 && kept.size() > 1) {
      kept.remove(random.nextInt(kept.size()));
    }
    DType type = type();
    ScalarExpression body = value(type, loops, 3);
    boolean complex = type.kind() == DType.Kind.COMPLEX;
    Accum accum =
        pick(complex ? List.of(Accum.SET, Accum.SUM, Accum.PRODUCT) : List.of(Accum.values()));
    if (random.nextInt(4) == 0) {
      for (Node node : nodes) {
        if (!inputs.containsKey(node) && node.type() == type) {
          boolean fresh = random.nextInt(3) == 0;
          Node other = new Node("other", type, node.shape());
          Assign assign = Assign.of(other, index(node, loops, true), accum, fresh, body);
          if (mayBeTarget(node, assign)) {
            assigns.add(Assign.of(node, assign.index(), accum, fresh, body));
            return;
          }
        }
      }
    }
    long[] extents = new long[kept.size()];
    List<Affine> index = new ArrayList<>();
    for (int axis = 0; axis < extents.length; axis++) {
      long room = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0;
      extents[axis] = kept.get(axis).size() + room;
      index.add(Affine.of(kept.get(axis)).plus(room));
    }
    Node target = new Node(prefix + "n" + number, type, Shape.of(extents));
    if (random.nextInt(4) == 0) {
      target.restrict(Mode.onHost(), "chance wants it so");
    }
    nodes.add(target);
    assigns.add(Assign.of(target, index, accum, true, body));
  }

  /** Has the last loop end where an integer says. */
  private void cutShort(List<Iter> loops) {
    Node lengths = pick(nodes);
    Iter last = loops.removeLast();
    List<Iter> others = loops.isEmpty() ? List.of(new Iter("one", 1)) : List.copyOf(loops);
    boolean whole = lengths.type().kind() == DType.Kind.INTEGER;
    ScalarExpression.Read end =
        whole ? new ScalarExpression.Read(lengths, index(lengths, others, false), false) : null;
    loops.add(new Iter(last.name(), last.size(), end));
  }

  /** Whether a node can take another's place as a target, though the body may read it. */
  private static boolean mayBeTarget(Node node, Assign assign) {
    return assign.reads().stream().noneMatch(read -> read.node() == node)
        || (assign.placeReads().stream().noneMatch(read -> read.node() == node)
            && assign.isInjective()
            && assign.reducedLoops().isEmpty()
            && (!assign.fresh() || assign.isSurjective()));
  }

  private ScalarExpression value(DType type, List<Iter> loops, int depth) {
    if (depth == 0 || random.nextInt(5) == 0) {
      return leaf(type, loops);
    }
    if (random.nextInt(8) == 0) {
      DType from = type();
      if (from != type && from.kind() != DType.Kind.COMPLEX) {
        return new ScalarExpression.Cast(type, value(from, loops, depth - 1));
      }
    }
    Op op =
        pick(
            switch (type.kind()) {
              case FLOAT -> REAL;
              case INTEGER -> WHOLE;
              case COMPLEX -> COMPLEX;
            });
    if (exact && APPROXIMATE.contains(op)) {
      ScalarExpression exponent = new ScalarExpression.Const(type, random.nextInt(-4, 12));
      return ScalarExpression.apply(Op.POW, value(type, loops, depth - 1), exponent);
    }
    List<ScalarExpression> operands = new ArrayList<>();
    for (int i = 0; i < op.arity(); i++) {
      operands.add(value(type, loops, depth - 1));
    }
    return new ScalarExpression.Apply(op, operands);
  }

  private ScalarExpression leaf(DType type, List<Iter> loops) {
    int kind = random.nextInt(8);
    if (kind == 0) {
      return new ScalarExpression.Const(
          type,
          random.nextInt(type.isUnsigned() ? 0 : -3, 4)
              * (type.kind() == DType.Kind.FLOAT ? 0.5 : 1));
    }
    if (kind == 1) {
      return new ScalarExpression.Position(
          type, Affine.of(pick(loops)).plus(Affine.of(step)).plus(random.nextInt(3)));
    }
    if (kind == 2 && type.kind() == DType.Kind.FLOAT) {
      return new ScalarExpression.Random(
          type, random.nextInt(100), Affine.of(pick(loops)).times(3));
    }
    for (int attempt = 0; attempt < 20; attempt++) {
      Node node = pick(nodes);
      List<Affine> index = node.type() == type ? index(node, loops, true) : null;
      if (index != null) {
        return pad(new ScalarExpression.Read(node, index, false));
      }
    }
    return new ScalarExpression.Const(type, 2);
  }

  private List<Affine> index(Node node, List<Iter> loops, boolean data) {
    List<Affine> index = new ArrayList<>();
    for (int axis = 0; axis < node.shape().rank(); axis++) {
      Node places = pick(nodes);
      if (data && places.type().kind() == DType.Kind.INTEGER && random.nextInt(3) == 0) {
        List<Affine> place = index(places, loops, random.nextInt(4) == 0);
        Symbol element = new Symbol.Element(new ScalarExpression.Read(places, place, false));
        index.add(Affine.of(element).plus(random.nextInt(2)));
        continue;
      }
      long extent = node.shape().extent(axis);
      Affine affine = Affine.of(random.nextInt((int) extent));
      Iter iter = pick(loops);
      long stride = random.nextInt(4) == 0 ? 2 : 1;
      if (random.nextInt(6) != 0 && stride * (iter.size() - 1) < extent) {
        long room = extent - 1 - stride * (iter.size() - 1);
        affine = Affine.of(iter).times(stride).plus(random.nextLong(room + 1));
        Iter other = pick(loops);
        if (random.nextInt(5) == 0 && affine.max() + other.size() - 1 < extent) {
          affine = affine.plus(Affine.of(other));
        }
      }
      index.add(affine);
    }
    return index;
  }

  private ScalarExpression pad(ScalarExpression.Read read) {
    if (read.index().stream().anyMatch(Affine::isData)) {
      return read.orZero();
    }
    if (read.index().isEmpty() || random.nextInt(6) != 0) {
      return read;
    }
    int axis = random.nextInt(read.index().size());
    Affine moved = read.index().get(axis).plus(random.nextInt(-2, 3));
    List<Affine> index = new ArrayList<>(read.index());
    index.set(axis, moved);
    return new ScalarExpression.Within(
        moved,
        read.node().shape().extent(axis),
        new ScalarExpression.Read(read.node(), index, false),
        new ScalarExpression.Const(read.type(), 1));
  }
}
