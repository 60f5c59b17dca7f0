package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Does the inner loops of several vectors of items together, so that their sums do not wait for one
 * another: each step is done for all before the next one. What is the same for all of them is done
 * once.
 *
 * <p>A sum of products in one vector waits four cycles for each term. The tile of a matrix product
 * took 94 ns on the JVM with one row at a time and 47 ns with four, which is what C takes.
 */
final class UnrollAndJam {
  /** The most turns done together. */
  private static final int USUAL = 4;

  /** The most turns done together where their values stay in registers. */
  private static final int MOST = 8;

  private static final int MOST_VECTORS = 6;

  /** Vectors of which there are 32 registers. */
  private static final int LONG_BITS = 512;

  private final Set<Var> places;
  private final Set<Buffer> own;
  private final int registers;
  private final Set<Var> inside = new HashSet<>();

  /** The variables whose values may differ from turn to turn of the jammed loop. */
  private final Set<Var> varying = new HashSet<>();

  private UnrollAndJam(Set<Var> places, Set<Buffer> own, int registers) {
    this.places = places;
    this.own = own;
    this.registers = registers;
  }

  /**
   * Rewrites loops over items.
   *
   * @param places the indices of such loops
   * @param own the arrays of an item, which are there once
   */
  static Stmt apply(Stmt body, Set<Var> places, Set<Buffer> own, int vectorBits) {
    int registers = vectorBits >= LONG_BITS ? 16 : 8;
    return Ir.rebuild(
        body,
        s ->
            s instanceof Stmt.For loop && places.contains(loop.index())
                ? new UnrollAndJam(places, own, registers).jammed(loop)
                : s);
  }

  private Stmt jammed(Stmt.For loop) {
    if (!isWorthIt(loop.body())) {
      return loop;
    }
    inside.addAll(Ir.made(loop.body()));
    findVarying(loop);
    int count = count(loop, fitsRegisters(loop.body()) ? MOST : USUAL);
    if (count == 1 || !canShare(loop.body())) {
      return loop;
    }
    Stmt together = together(loop, loop.body(), count);
    return new Stmt.For(loop.index(), loop.from(), loop.to(), count * loop.step(), together);
  }

  /**
   * Whether there are registers for the vectors of the most turns, and half as many for others.
   * Turns that read memory at places of their own need those for addresses: with eight of a product
   * of 8 by 8 the JVM took 1.2 times as long.
   */
  private boolean fitsRegisters(Stmt body) {
    long each = varying.stream().filter(v -> v.type().lanes() > 1).count();
    return each * MOST <= registers
        && !Ir.mentions(
            body,
            e ->
                e instanceof Expr.Load(Buffer b, Expr at, int _)
                    && !b.local()
                    && Ir.contains(at, x -> x instanceof Var v && varying.contains(v)));
  }

  /** Returns the turns of a loop done together: a divisor of all, so that none is left over. */
  private static int count(Stmt.For loop, int most) {
    if (!(loop.from() instanceof Const from) || !(loop.to() instanceof Const to)) {
      return 1;
    }
    long turns = (to.bits() - from.bits()) / loop.step();
    int count = most;
    while (count > 1 && (turns % count != 0 || (to.bits() - from.bits()) % loop.step() != 0)) {
      count /= 2;
    }
    return count;
  }

  /** Whether there is a loop with a few vectors in it, and none over several items. */
  private boolean isWorthIt(Stmt body) {
    long vectors = Ir.made(body).stream().filter(v -> v.type().lanes() > 1).count();
    return vectors > 0
        && vectors <= MOST_VECTORS
        && Ir.contains(body, s -> s instanceof Stmt.For f && !places.contains(f.index()))
        && !Ir.contains(
            body, s -> s instanceof Stmt.For f && places.contains(f.index()) && !isSingle(f));
  }

  private static boolean isSingle(Stmt.For loop) {
    return loop.from() instanceof Const from
        && loop.to() instanceof Const to
        && to.bits() - from.bits() <= loop.step();
  }

  // --- Control ----------------------------------------------------------------------------------

  /** Whether all turns take the same way through the steps. */
  private boolean canShare(Stmt s) {
    return switch (s) {
      case Stmt.Block x -> x.steps().stream().allMatch(this::canShare);
      case Stmt.For x -> isSame(x.from()) && isSame(x.to()) && canShare(x.body());
      case Stmt.If x -> isSame(x.condition()) && canShare(x.body()) && canShare(x.otherwise());
      case Stmt.Labeled x -> canShare(x.body());
      case Stmt.Loop x -> canShare(x.body());
      case Stmt.Assign x -> inside.contains(x.variable());
      case Stmt.Store x -> !own.contains(x.buffer());
      case Stmt.Let _, Stmt.Leave _, Stmt.Repeat _, Stmt.Comment _ -> true;
      case Stmt.Atomic _,
          Stmt.Exchange _,
          Stmt.TileStep _,
          Stmt.Array _,
          Stmt.Items _,
          Stmt.Barrier _ ->
          false;
    };
  }

  private boolean isSame(Expr e) {
    return Ir.isFixed(e, varying);
  }

  private void findVarying(Stmt.For loop) {
    varying.add(loop.index());
    int before;
    do {
      before = varying.size();
      Ir.walk(
          loop.body(),
          s -> {
            Var given = Ir.given(s);
            if (given != null && varies(s)) {
              varying.add(given);
            }
          });
    } while (before < varying.size());
  }

  /**
   * Whether a step does something else in each turn. An element that no turn's place decides is the
   * same for all: items that write it would have to wait for one another.
   */
  private boolean varies(Stmt s) {
    Var given = Ir.given(s);
    return (given != null && varying.contains(given))
        || Ir.expressions(s).stream()
            .anyMatch(e -> Ir.contains(e, x -> x instanceof Var v && varying.contains(v)));
  }

  // --- Steps ------------------------------------------------------------------------------------

  private Stmt together(Stmt.For loop, Stmt s, int count) {
    return switch (s) {
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _ -> {
        List<Stmt> all = new ArrayList<>();
        int copies = varies(s) ? count : 1;
        for (int i = 0; i < copies; i++) {
          all.add(copy(loop, s, i));
        }
        yield new Stmt.Block(all);
      }
      default -> Ir.mapInner(s, step -> together(loop, step, count));
    };
  }

  /** A step of a later turn, with variables of its own. */
  private Stmt copy(Stmt.For loop, Stmt s, int turn) {
    if (turn == 0) {
      return s;
    }
    Map<Var, Expr> renamed = new HashMap<>();
    // A loop around this one may be jammed too: its copies have other names.
    String end = "_" + loop.index().name() + turn;
    varying.forEach(v -> renamed.put(v, new Var(v.name() + end, v.type())));
    renamed.put(
        loop.index(), KernelCode.binary(BinaryOp.ADD, loop.index(), Expr.of(turn * loop.step())));
    Stmt values =
        Ir.mapExpressions(
            s,
            e ->
                Ir.rewrite(
                    e,
                    x -> x instanceof Var v ? renamed.getOrDefault(v, v) : KernelCode.simple(x)));
    return switch (values) {
      case Stmt.Let(Var v, Expr e) -> new Stmt.Let((Var) renamed.getOrDefault(v, v), e);
      case Stmt.Assign(Var v, Expr e) -> new Stmt.Assign((Var) renamed.getOrDefault(v, v), e);
      default -> values;
    };
  }
}
