package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The steps of an item as steps of several items in the lanes of vectors. */
final class LaneCode {
  private static final Set<UnaryOp> UNARY =
      EnumSet.of(UnaryOp.NEG, UnaryOp.ABS, UnaryOp.SQRT, UnaryOp.NOT);

  /** Tells that steps cannot be done side by side. */
  private static final class NoVectors extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoVectors() {
      super("", null, false, false);
    }
  }

  private final LaneShapes shapes;
  private final int lanes;
  private final VectorSupport vectors;
  private final Set<String> labels = new HashSet<>();
  private int masks;

  private LaneCode(LaneShapes shapes, int lanes, VectorSupport vectors) {
    this.shapes = shapes;
    this.lanes = lanes;
    this.vectors = vectors;
  }

  /** Returns the body of a loop over items for several of them; nothing if it cannot be done so. */
  static Optional<Stmt> of(Stmt.For loop, int lanes, VectorSupport vectors) {
    try {
      return Optional.of(
          new LaneCode(new LaneShapes(loop), lanes, vectors).step(loop.body(), Optional.empty()));
    } catch (NoVectors e) {
      return Optional.empty();
    }
  }

  private static void require(boolean can) {
    if (!can) {
      throw new NoVectors();
    }
  }

  // --- Steps ------------------------------------------------------------------------------------

  private Stmt step(Stmt s, Optional<Expr> mask) {
    return switch (s) {
      case Stmt.Block x -> {
        List<Stmt> steps = new ArrayList<>();
        x.steps().forEach(step -> steps.add(step(step, mask)));
        yield new Stmt.Block(steps);
      }
      case Stmt.Let(Var v, Expr e) -> {
        require(mask.isEmpty());
        yield isVector(v) ? new Stmt.Let(vector(v), vector(e)) : s;
      }
      case Stmt.Assign(Var v, Expr e) -> {
        require(shapes.isOfLoop(v));
        if (!isVector(v)) {
          yield s;
        }
        Expr value = vector(e);
        yield new Stmt.Assign(
            vector(v), mask.<Expr>map(m -> new Expr.Select(m, value, vector(v))).orElse(value));
      }
      case Stmt.Store(Buffer b, Expr at, Expr e) -> {
        boolean isNarrow = b.storage().bytes() < Integer.BYTES;
        require(mask.isEmpty() && shapes.of(at) == 1 && (hasAll() || !isNarrow));
        yield new Stmt.Store(b, at, vector(e));
      }
      case Stmt.If x -> branch(x, mask);
      case Stmt.For x -> {
        require(mask.isEmpty() && shapes.of(x.from()) == 0 && shapes.of(x.to()) == 0);
        yield new Stmt.For(x.index(), x.from(), x.to(), x.step(), step(x.body(), mask));
      }
      case Stmt.Labeled(String label, Stmt body) -> {
        require(mask.isEmpty());
        labels.add(label);
        yield new Stmt.Labeled(label + "_x", step(body, mask));
      }
      case Stmt.Loop(String label, Stmt body) -> {
        require(mask.isEmpty());
        labels.add(label);
        yield new Stmt.Loop(label + "_x", step(body, mask));
      }
      case Stmt.Leave(String label) -> {
        require(mask.isEmpty() && labels.contains(label));
        yield new Stmt.Leave(label + "_x");
      }
      case Stmt.Repeat(String label) -> {
        require(mask.isEmpty() && labels.contains(label));
        yield new Stmt.Repeat(label + "_x");
      }
      case Stmt.Comment _ -> s;
      case Stmt.Atomic _,
          Stmt.Exchange _,
          Stmt.TileStep _,
          Stmt.Array _,
          Stmt.Items _,
          Stmt.Barrier _ ->
          throw new NoVectors();
    };
  }

  private Stmt branch(Stmt.If x, Optional<Expr> mask) {
    if (mask.isEmpty() && shapes.of(x.condition()) == 0) {
      return new Stmt.If(x.condition(), step(x.body(), mask), step(x.otherwise(), mask));
    }
    // Both sides are computed: an element that one of them must not touch would be touched.
    require(!Ir.mentions(x, Ir::isLoad));
    Var yes = mask();
    Var no = mask();
    Expr condition = vector(x.condition());
    Expr other = new Expr.Unary(UnaryOp.NOT, yes);
    List<Stmt> steps = new ArrayList<>();
    steps.add(new Stmt.Let(yes, condition));
    steps.add(new Stmt.Let(no, other));
    steps.add(step(x.body(), Optional.of(within(mask, yes))));
    steps.add(step(x.otherwise(), Optional.of(within(mask, no))));
    return new Stmt.Block(steps);
  }

  private static Expr within(Optional<Expr> mask, Var condition) {
    return mask.<Expr>map(outer -> new Binary(BinaryOp.AND, condition, outer)).orElse(condition);
  }

  private Var mask() {
    return new Var("mask" + masks++, Type.BOOL.withLanes(lanes));
  }

  // --- Values -----------------------------------------------------------------------------------

  private boolean isVector(Var v) {
    return shapes.of(v) == LaneShapes.ANY;
  }

  private Var vector(Var v) {
    require(v.type().kind() != Kind.BOOL);
    return new Var(v.name() + "_x", lanes(v.type()));
  }

  private Type lanes(Type type) {
    require(type.kind() == Kind.BOOL || type.kind().bits() * lanes <= vectors.bits());
    return type.withLanes(lanes);
  }

  private Expr vector(Expr e) {
    long shape = shapes.of(e);
    Type type = lanes(e.type());
    if (shape == 0) {
      return new Expr.Splat(lanes, e);
    }
    if (shape != LaneShapes.ANY) {
      return growing(e, shape);
    }
    require(canDo(e));
    return switch (e) {
      case Var v -> vector(v);
      case Expr.Load(Buffer b, Expr at, int _) -> {
        require(shapes.of(at) == 1);
        yield new Expr.Load(b, at, lanes);
      }
      case Expr.Unary(UnaryOp op, Expr x) -> {
        require(UNARY.contains(op));
        yield new Expr.Unary(op, vector(x));
      }
      case Binary(BinaryOp op, Expr x, Expr y) -> binary(op, x, y);
      case Expr.Fma(Expr a, Expr b, Expr c) -> new Expr.Fma(vector(a), vector(b), vector(c));
      case Expr.Select(Expr c, Expr x, Expr y) -> {
        require(x.type().kind() != Kind.BOOL);
        yield new Expr.Select(vector(c), vector(x), vector(y));
      }
      case Expr.Convert(Type _, Expr x) -> {
        require(!x.type().isFloat() || e.type().isFloat());
        yield new Expr.Convert(type, vector(x));
      }
      case Expr.Bits(Type _, Expr x) -> new Expr.Bits(type, vector(x));
      default -> throw new NoVectors();
    };
  }

  private boolean hasAll() {
    return vectors.operations() == VectorSupport.Operations.ALL;
  }

  private boolean canDo(Expr e) {
    return switch (e) {
      case Var _, Expr.Fma _ -> true;
      case Expr.Unary unary ->
          vectors.operations() != VectorSupport.Operations.ARITHMETIC
              && (hasAll() || unary.type().isFloat());
      case Expr.Load load -> hasAll() || load.buffer().storage().bytes() >= Integer.BYTES;
      case Binary b ->
          switch (b.op()) {
            case ADD, SUB, MUL, DIV -> true;
            default -> hasAll();
          };
      default -> hasAll();
    };
  }

  private Expr binary(BinaryOp op, Expr x, Expr y) {
    boolean isFloat = x.type().isFloat();
    switch (op) {
      case ADD, SUB, MUL, AND, OR, XOR, EQ, NE, LT, LE -> {}
      case DIV -> require(isFloat);
      case SHL, SHR, USHR -> {
        require(y instanceof Expr.Const);
        long count = ((Expr.Const) y).bits() & (x.type().kind().bits() - 1);
        return new Binary(
            op, vector(x), new Expr.Splat(lanes, KernelCode.constant(y.type(), count)));
      }
      default -> throw new NoVectors();
    }
    return new Binary(op, vector(x), vector(y));
  }

  /** A number that grows by a constant from lane to lane. */
  private Expr growing(Expr first, long by) {
    require(hasAll());
    Type wide = lanes(Type.I64);
    Expr each = new Expr.Ramp(Expr.of(0), lanes);
    if (by != 1) {
      each = new Binary(BinaryOp.MUL, each, new Expr.Splat(lanes, Expr.of(by)));
    }
    Expr base = new Expr.Splat(lanes, KernelCode.index(first));
    Expr sum = new Binary(BinaryOp.ADD, each, base);
    return first.type().kind() == Kind.I64
        ? sum
        : new Expr.Convert(Type.I32.withLanes(wide.lanes()), sum);
  }
}
