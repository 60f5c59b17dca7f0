package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.Axis;
import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.lift.range.OffsetArithmetic;
import dev.rialto.jit.loops.IntegerRange;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Loops for the host's threads in place of the items of a block.
 *
 * <p>A thread does a block, so what the block shares is an array of the thread and atomic steps on
 * it are plain ones. Without a barrier the items are one loop; {@link ItemLoops} splits it at
 * barriers, and for subgroups where they exchange values.
 */
public final class BlockLoops {
  private static final int MOST_STEPS_TWICE = 400;
  private static final long MOST_ELEMENTS = 1L << 60;

  /** The number of an item in its block. */
  public static final Var LOCAL = new Var("local", Type.I64);

  public static final Var COUNT = new Var("count", Type.I64);

  private BlockLoops() {}

  /**
   * Rewrites a lifted kernel.
   *
   * @param isHost whether a thread does many blocks in a call
   * @param vectors those that items are done in side by side
   */
  public static Procedure of(Lifted kernel, boolean isHost, VectorSupport vectors) {
    Procedure p = kernel.procedure();
    List<Stmt> before = new ArrayList<>();
    List<Stmt> block = new ArrayList<>();
    Stmt.For blocks = null;
    for (Stmt step : Ir.steps(p.body())) {
      if (step instanceof Stmt.For loop) {
        blocks = loop;
      } else {
        before.add(step);
      }
    }
    if (blocks == null) {
      throw new IllegalArgumentException("procedure " + p.name() + " has no blocks");
    }
    Stmt runs = isHost ? BlockRuns.of(kernel, blocks) : null;
    if (runs != null) {
      before.add(runs);
      return p.withBody(lowered(before, kernel, vectors, false));
    }
    kernel.shared().forEach(b -> before.add(new Stmt.Array(b)));
    boolean onlyKnown = false;
    for (Stmt step : Ir.steps(blocks.body())) {
      switch (step) {
        case Stmt.Array _ -> {}
        case Stmt.Items items -> {
          List<Stmt> loops = items(items, kernel, before);
          block.add(isHost ? wholeOrPart(loops, kernel) : new Stmt.Block(loops));
          onlyKnown = block.getLast() instanceof Stmt.If || isLarge(block.getLast());
        }
        default -> block.add(step);
      }
    }
    before.add(new Stmt.For(blocks.index(), blocks.from(), blocks.to(), 1, new Stmt.Block(block)));
    return p.withBody(lowered(before, kernel, vectors, onlyKnown));
  }

  private static Stmt lowered(
      List<Stmt> steps, Lifted kernel, VectorSupport vectors, boolean onlyKnown) {
    Set<Var> places = new HashSet<>(List.of(BlockRuns.AT, LOCAL));
    places.add(kernel.axes().getLast().local());
    Stmt counted = OffsetArithmetic.apply(new Stmt.Block(steps), bounds(kernel));
    Stmt guarded = kernel.guarded() ? GuardedLoops.apply(counted) : counted;
    Stmt body = UnreadVariables.apply(StridedLoops.apply(guarded, places), places);
    if (vectors.bits() == 0) {
      return body;
    }
    Set<Buffer> own = Set.copyOf(kernel.own());
    CutLoops halves = new CutLoops(places);
    Stmt cut = halves.apply(body);
    Predicate<Stmt.For> known = loop -> isKnown(loop.from(), halves) && isKnown(loop.to(), halves);
    Stmt inVectors = ItemVectors.apply(cut, places, own, vectors, onlyKnown ? known : _ -> true);
    kernel.axes().forEach(axis -> places.add(axis.local()));
    return UnrollAndJam.apply(inVectors, places, own, vectors.bits());
  }

  private static boolean isKnown(Expr bound, CutLoops halves) {
    return bound instanceof Expr.Const || (bound instanceof Var v && halves.cuts().contains(v));
  }

  /** Returns the ranges of the numbers that a launch passes. */
  private static Map<Var, IntegerRange> bounds(Lifted kernel) {
    IntegerRange lengths = new IntegerRange(0, MOST_ELEMENTS);
    Map<Var, IntegerRange> known = new HashMap<>();
    IntegerRange blocks = new IntegerRange(0, kernel.procedure().items());
    known.put(kernel.procedure().begin(), blocks);
    known.put(kernel.procedure().end(), blocks);
    kernel.axes().forEach(axis -> known.put(axis.items(), lengths));
    kernel.lengths().forEach(length -> known.put(length, lengths));
    return known;
  }

  private static List<Stmt> items(Stmt.Items items, Lifted kernel, List<Stmt> before) {
    List<Stmt> lets = new ArrayList<>();
    List<Stmt> body = new ArrayList<>();
    for (Stmt step : Ir.steps(plain(items.body(), kernel))) {
      switch (step) {
        case Stmt.Array _ -> {}
        case Stmt.Let let -> {
          // Loops along the axes give their places.
          if (!Axis.isPlace(kernel.axes(), let)) {
            lets.add(let);
          }
        }
        default -> body.add(step);
      }
    }
    ItemRange block = ItemRange.ofBlock(items, kernel.axes());
    boolean waits = Ir.contains(body, s -> s instanceof Stmt.Barrier);
    if (!waits && !Ir.contains(body, s -> s instanceof Stmt.Exchange)) {
      kernel.own().forEach(b -> before.add(new Stmt.Array(b)));
      List<Stmt> all = new ArrayList<>(lets);
      all.addAll(body);
      return List.of(block.each(new Stmt.Block(FirstValues.apply(all))));
    }
    List<Stmt> inner =
        body.size() == 1
                && body.getFirst() instanceof Stmt.Labeled(String label, Stmt whole)
                && label.equals(kernel.end())
            ? Ir.steps(whole)
            : body;
    List<Var> variables = new ArrayList<>();
    lets.forEach(let -> variables.add(((Stmt.Let) let).variable()));
    List<Stmt> steps = LiveRanges.split(variables, inner);
    return waits
        ? new ItemLoops(block, kernel.end(), before).split(variables, kernel.own(), steps)
        : ItemLoops.subgroups(block, kernel.end(), before, variables, kernel.own(), steps);
  }

  /**
   * Loops whose turns are known, for whole blocks, and those for the blocks at the ends. Short
   * loops are compiled to a few vectors that way; a single long one gains nothing.
   */
  private static Stmt wholeOrPart(List<Stmt> loops, Lifted kernel) {
    Stmt part = new Stmt.Block(loops);
    boolean waits = Ir.contains(kernel.procedure().body(), Lifted::meets);
    if (isLarge(part) || (kernel.axes().size() == 1 && !waits)) {
      return part;
    }
    Map<Expr, Expr> sizes = new HashMap<>();
    Expr isWhole = new Expr.Const(Type.BOOL, 1);
    long items = 1;
    for (Axis axis : kernel.axes()) {
      Expr size = Expr.of(axis.size());
      Expr same = new Expr.Binary(Expr.BinaryOp.EQ, axis.count(), size);
      isWhole = items == 1 ? same : new Expr.Binary(Expr.BinaryOp.AND, isWhole, same);
      sizes.put(axis.count(), size);
      items *= axis.size();
    }
    sizes.put(COUNT, Expr.of(items));
    Stmt known =
        Ir.mapExpressions(
            part, e -> Ir.rewrite(e, x -> KernelCode.simple(sizes.getOrDefault(x, x))));
    return new Stmt.If(isWhole, Ir.rebuild(known, s -> renamed(s, "w")), part);
  }

  /** Whether a compiler would take too long for two copies. */
  private static boolean isLarge(Stmt part) {
    return Ir.size(part) > MOST_STEPS_TWICE;
  }

  /** A copy has labels of its own. */
  static Stmt renamed(Stmt s, String end) {
    return switch (s) {
      case Stmt.Labeled x -> new Stmt.Labeled(x.label() + end, x.body());
      case Stmt.Loop x -> new Stmt.Loop(x.label() + end, x.body());
      case Stmt.Leave x -> new Stmt.Leave(x.label() + end);
      case Stmt.Repeat x -> new Stmt.Repeat(x.label() + end);
      default -> s;
    };
  }

  /** Atomic steps on what no other thread sees, as plain ones. */
  private static Stmt plain(Stmt s, Lifted kernel) {
    return Ir.rebuild(
        s,
        step ->
            step instanceof Stmt.Atomic a && kernel.shared().contains(a.buffer())
                ? new Stmt.Block(
                    List.of(
                        new Stmt.Assign(a.old(), new Expr.Load(a.buffer(), a.offset(), 1)),
                        new Stmt.Store(
                            a.buffer(),
                            a.offset(),
                            Spelled.next(a.op(), a.old(), a.value(), a.expected()))))
                : step);
  }
}
