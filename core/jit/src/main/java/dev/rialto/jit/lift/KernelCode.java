package dev.rialto.jit.lift;

import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.jit.lift.classfile.ArrayCopies;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Select;
import dev.rialto.spi.code.Expr.Unary;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The code of a kernel while it grows. Every variable is made at the top, so that jumps may pass
 * over any step.
 */
public final class KernelCode {
  private static final int MOST_PARTS = 100;

  public static final Const ZERO = new Const(Type.I32, 0);
  public static final Const ONE = new Const(Type.I32, 1);

  /** The buffer of the lines that items print. */
  static final Buffer PRINTED = new Buffer("printed", Buffer.Storage.I64, 0, false);

  private final List<Var> variables = new ArrayList<>();
  private final List<Buffer> shared = new ArrayList<>();
  private final List<Buffer> own = new ArrayList<>();
  private final List<Lifted.Line> lines = new ArrayList<>();
  private final Tables tables;
  private final TensorPlaces tensors = new TensorPlaces();
  private final Set<Buffer> loaded = new HashSet<>();
  private final Set<Buffer> stored = new HashSet<>();
  private final Map<Buffer, String> origins = new HashMap<>();
  private final boolean marked;
  private final IndexGuards guards;
  private boolean wholeBlocks;
  private List<Stmt> steps = new ArrayList<>();
  private @Nullable Frame frame;
  private int count;

  /**
   * Begins with nothing.
   *
   * @param marked whether a comment before each step that can go wrong tells its line
   */
  KernelCode(boolean marked, IndexGuards guards, ArrayCopies copies) {
    this.marked = marked;
    this.tables = new Tables(copies);
    this.guards = guards;
  }

  List<Var> variables() {
    return variables;
  }

  /** The arrays that all items of a block have together. */
  List<Buffer> shared() {
    return shared;
  }

  /** The arrays that each item has for itself. */
  List<Buffer> own() {
    return own;
  }

  /** The arrays of numbers from outside. */
  Tables tables() {
    return tables;
  }

  /** The places of the elements of tensors. */
  TensorPlaces tensors() {
    return tensors;
  }

  List<Lifted.Line> lines() {
    return lines;
  }

  /** Notes that blocks at the ends must be whole ones too. */
  void needWholeBlocks() {
    wholeBlocks = true;
  }

  boolean needsWholeBlocks() {
    return wholeBlocks;
  }

  /** Returns whether a comment before each step that can go wrong tells its line. */
  boolean isMarked() {
    return marked;
  }

  boolean loads(Buffer buffer) {
    return loaded.contains(buffer);
  }

  boolean stores(Buffer buffer) {
    return stored.contains(buffer);
  }

  // --- Steps ------------------------------------------------------------------------------------

  /** Tells which call the next steps are of, at the line where it is then. */
  void at(Frame now) {
    frame = now;
    while (frame.caller != null && Intrinsics.isItem(frame.owner.internalName())) {
      frame = frame.caller;
    }
  }

  /** The lines that made the arrays of items and blocks; nothing unless steps are marked. */
  Map<Buffer, String> origins() {
    return origins;
  }

  void add(Stmt step) {
    if (canGoWrong(step)) {
      mark();
    }
    steps.add(step);
  }

  private void note(Stmt.TileStep step) {
    for (Stmt.TilePlace tile : step.tiles()) {
      boolean writes =
          switch (step.op()) {
            case STORE, STORE_F16, STORE_BF16 -> true;
            case COPY -> tile.buffer().equals(step.sums());
            default -> false;
          };
      (writes ? stored : loaded).add(tile.buffer());
    }
  }

  /** Adds steps that were collected. */
  void append(List<Stmt> collected) {
    steps.addAll(collected);
  }

  /** Tells the line of the next step, if lines are told. */
  void mark() {
    if (marked && frame != null) {
      steps.add(new Stmt.Comment(Refusal.line(frame)));
    }
  }

  private static boolean canGoWrong(Stmt step) {
    return switch (step) {
      case Stmt.Assign(Var _, Expr value) -> value instanceof Expr.Load || Ir.isDivision(value);
      case Stmt.Store _, Stmt.Atomic _, Stmt.Barrier _, Stmt.Exchange _ -> true;
      default -> false;
    };
  }

  /** Returns the steps that {@code writer} adds, instead of adding them here. */
  List<Stmt> collect(Runnable writer) {
    List<Stmt> outer = steps;
    List<Stmt> inner = new ArrayList<>();
    steps = inner;
    try {
      writer.run();
    } finally {
      steps = outer;
    }
    return inner;
  }

  String label(String stem) {
    return stem + count++;
  }

  // --- Variables and arrays ---------------------------------------------------------------------

  Var fresh(Type type) {
    Var variable = new Var("v" + count++, type);
    variables.add(variable);
    return variable;
  }

  void assign(Var variable, Expr value) {
    if (!variable.equals(value)) {
      add(new Stmt.Assign(variable, value));
    }
  }

  /** Returns a value that later steps do not change, and that costs nothing to use twice. */
  Expr once(Expr value) {
    return value instanceof Const ? value : snapshot(value);
  }

  /** Returns a value, from a variable if it takes many operators: what walks through it recurs. */
  Expr bounded(Expr value) {
    return Ir.size(value) < MOST_PARTS ? value : once(value);
  }

  private Expr snapshot(Expr value) {
    Var variable = fresh(value.type());
    assign(variable, value);
    return variable;
  }

  Buffer array(Buffer.Storage storage, int elements, boolean isShared) {
    Buffer buffer = new Buffer((isShared ? "s" : "a") + count++, storage, elements, true);
    (isShared ? shared : own).add(buffer);
    if (marked && frame != null) {
      String what = isShared ? "the shared array of " : "the array of ";
      origins.put(buffer, what + Refusal.line(frame));
    }
    return buffer;
  }

  /**
   * Loads an element into a variable of its own, so that later stores do not matter.
   *
   * @param checks what its indices have to be; none if they are known to be that
   */
  Expr load(Buffer buffer, Expr offset, Check... checks) {
    loaded.add(buffer);
    Expr.Load element = new Expr.Load(buffer, offset, 1);
    Var variable = fresh(element.type());
    access(new Stmt.Assign(variable, element), variable, "reads", checks);
    return variable;
  }

  void store(Buffer buffer, Expr offset, Expr value, Check... checks) {
    stored.add(buffer);
    access(new Stmt.Store(buffer, offset, value), null, "writes", checks);
  }

  /** Moves elements side by side between memory and a whole array of the kernel's own. */
  void move(boolean loads, Buffer lanes, Buffer memory, Expr first, int count, Check... checks) {
    loaded.add(loads ? memory : lanes);
    stored.add(loads ? lanes : memory);
    Stmt step =
        loads
            ? new Stmt.Store(lanes, Expr.of(0), new Expr.Load(memory, first, count))
            : new Stmt.Store(memory, first, new Expr.Load(lanes, Expr.of(0), count));
    access(step, null, loads ? "reads" : "writes", checks);
  }

  Expr atomic(
      Stmt.AtomicOp op, Buffer buffer, Expr offset, Expr value, Expr expected, Check... checks) {
    loaded.add(buffer);
    stored.add(buffer);
    Var old = fresh(value.type());
    Stmt step = new Stmt.Atomic(old, op, buffer, once(offset), once(value), once(expected));
    access(step, old, "changes", checks);
    return old;
  }

  /** Adds a step of tiles, whose offsets and strides are the same for the items that do it. */
  void tiles(Stmt.TileStep step, List<Check> checks) {
    note(step);
    access(step, null, "uses", checks.toArray(Check[]::new));
  }

  /** Adds an access behind the guards of its indices; without it the result is 0. */
  private void access(Stmt step, @Nullable Var result, String verb, Check... checks) {
    List<Check> all = List.of(checks);
    List<Integer> guarded = guards.number(frame, all, verb);
    if (guarded.stream().allMatch(site -> site < 0)) {
      add(step);
      return;
    }
    if (result != null) {
      assign(result, constant(result.type(), 0));
    }
    add(guards.guard(this, step, all, guarded));
  }

  /** Leaves a line with an item's number and the bits of a value, if there is room for it. */
  void print(Lifted.Line line, Expr item, Expr bits) {
    Expr number = atomic(Stmt.AtomicOp.ADD, PRINTED, Expr.of(0), Expr.of(1), Expr.of(1));
    Expr at = binary(BinaryOp.MUL, number, Expr.of(Lifted.Line.WORDS));
    Expr[] words = {Expr.of(lines.size()), item, bits};
    List<Stmt> stores = new ArrayList<>();
    for (int i = 0; i < words.length; i++) {
      stores.add(new Stmt.Store(PRINTED, binary(BinaryOp.ADD, at, Expr.of(1 + i)), words[i]));
    }
    Expr fits = binary(BinaryOp.LT, number, Expr.of(Lifted.Line.MOST));
    add(new Stmt.If(fits, new Stmt.Block(stores)));
    lines.add(line);
  }

  // --- Expressions ------------------------------------------------------------------------------

  public static Expr simple(Expr e) {
    return Simplify.rule(e, false);
  }

  public static Expr binary(BinaryOp op, Expr x, Expr y) {
    return simple(new Binary(op, x, y));
  }

  static Expr unary(UnaryOp op, Expr x) {
    return simple(new Unary(op, x));
  }

  public static Expr select(Expr condition, Expr yes, Expr no) {
    return simple(new Select(condition, yes, no));
  }

  public static Expr constant(Type type, long value) {
    return new Const(type, value);
  }

  public static Expr convert(Type type, Expr x) {
    if (x.type().equals(type)) {
      return x;
    }
    return x.type().isFloat() && !type.isFloat()
        ? simple(new Expr.Saturate(type, x))
        : simple(new Expr.Convert(type, x));
  }

  public static Expr index(Expr x) {
    return convert(Type.I64, x);
  }

  /** Returns a condition as Java's 0 or 1. */
  public static Expr number(Expr condition) {
    return select(condition, ONE, ZERO);
  }

  /** Returns whether a number is not 0. */
  public static Expr isSet(Expr x) {
    if (x instanceof Select(Expr c, Const one, Const none) && one.bits() == 1 && none.bits() == 0) {
      return c;
    }
    return binary(BinaryOp.NE, x, constant(x.type(), 0));
  }

  public static Expr not(Expr condition) {
    return switch (condition) {
      case Const c -> new Const(Type.BOOL, 1 - c.bits());
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.EQ ->
          new Binary(BinaryOp.NE, x, y);
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.NE ->
          new Binary(BinaryOp.EQ, x, y);
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.LT && !x.type().isFloat() ->
          new Binary(BinaryOp.LE, y, x);
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.LE && !x.type().isFloat() ->
          new Binary(BinaryOp.LT, y, x);
      default -> unary(UnaryOp.NOT, condition);
    };
  }

  /**
   * The quotient or remainder of integers: that of the least number and -1 is Java's, and of a
   * number and 0 is 0. Where lines are told it is a step of its own, which may refuse the 0.
   */
  Expr divide(BinaryOp op, Expr left, Expr right) {
    if (left.type().isFloat()) {
      return binary(op, left, right);
    }
    Type type = left.type();
    Expr zero = constant(type, 0);
    Expr minus = constant(type, -1);
    if (right instanceof Const divisor && divisor.bits() != 0 && divisor.bits() != -1) {
      return binary(op, left, right);
    }
    if (marked) {
      return snapshot(new Expr.Binary(op, left, right));
    }
    Expr x = once(left);
    Expr y = once(right);
    Expr none = binary(BinaryOp.EQ, y, zero);
    Expr negates = binary(BinaryOp.EQ, y, minus);
    Expr safe = select(binary(BinaryOp.OR, none, negates), constant(type, 1), y);
    Expr result = binary(op, x, safe);
    return op == BinaryOp.REM
        ? result
        : select(negates, unary(UnaryOp.NEG, x), select(none, zero, result));
  }

  /** Returns an integer's low bits, with their sign or without. */
  static Expr narrow(Expr x, int bits, boolean signed) {
    if (!signed) {
      return binary(BinaryOp.AND, x, constant(Type.I32, (1L << bits) - 1));
    }
    Expr shift = constant(Type.I32, 32 - bits);
    return binary(BinaryOp.SHR, binary(BinaryOp.SHL, x, shift), shift);
  }

  static Type type(Kind kind) {
    return new Type(kind, 1);
  }
}
