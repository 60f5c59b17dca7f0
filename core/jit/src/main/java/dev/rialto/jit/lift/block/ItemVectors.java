package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Does neighbouring items side by side in the lanes of vectors, for compilers that do not find that
 * out for themselves.
 *
 * <p>Items between two barriers run in any order, so each step may be done for several of them
 * before the next one. What is the same for all lanes or grows from lane to lane by a constant
 * stays a scalar, that of the first lane; the rest are vectors. Loops and conditions around steps
 * must be the same for all lanes; a condition that is not, over assignments alone, chooses between
 * old values and new ones. A loop that has something else stays as it is.
 */
final class ItemVectors {
  private static final int LEAST_BITS = 128;
  private static final int MOST_STEPS = 60;

  private final Set<Var> places;
  private final Set<Buffer> own;
  private final VectorSupport vectors;
  private final Predicate<Stmt.For> chosen;
  private int loops;

  private ItemVectors(
      Set<Var> places, Set<Buffer> own, VectorSupport vectors, Predicate<Stmt.For> chosen) {
    this.places = places;
    this.own = own;
    this.vectors = vectors;
    this.chosen = chosen;
  }

  /**
   * Rewrites loops over items.
   *
   * @param places the indices of such loops
   * @param own the arrays of an item, which are there once
   * @param vectors those that there are
   * @param chosen tells which loops are rewritten if they can be
   */
  static Stmt apply(
      Stmt body,
      Set<Var> places,
      Set<Buffer> own,
      VectorSupport vectors,
      Predicate<Stmt.For> chosen) {
    ItemVectors pass = new ItemVectors(places, own, vectors, chosen);
    return Ir.rebuild(
        body,
        s ->
            s instanceof Stmt.For loop && places.contains(loop.index()) && loop.step() == 1
                ? pass.vectors(loop)
                : s);
  }

  private Stmt vectors(Stmt.For loop) {
    boolean isInnermost = !Ir.contains(loop.body(), this::isOverItems);
    boolean usesOwn =
        Ir.contains(
            List.of(loop.body()),
            s -> s instanceof Stmt.Store store && own.contains(store.buffer()));
    if (!isInnermost || usesOwn || !chosen.test(loop)) {
      return loop;
    }
    long turns =
        loop.from() instanceof Expr.Const a && loop.to() instanceof Expr.Const b
            ? b.bits() - a.bits()
            : Long.MAX_VALUE;
    for (int width : new int[] {Integer.SIZE, Long.SIZE}) {
      int lanes = (int) Math.min(vectors.bits() / width, Long.highestOneBit(Math.max(1, turns)));
      if (lanes > 1 && lanes * width >= LEAST_BITS) {
        Optional<Stmt> body = LaneCode.of(loop, lanes, vectors);
        if (body.isPresent()) {
          return sideBySide(loop, lanes, LEAST_BITS / width, turns, body.get());
        }
      }
    }
    return loop;
  }

  private boolean isOverItems(Stmt s) {
    return s instanceof Stmt.For loop && places.contains(loop.index());
  }

  /**
   * A loop that does several items in a turn, and one for those that are left. Shorter vectors come
   * between, unless the items do much: in rows of 254 floats, 14 at the end of each one by one took
   * as long as a third of the others.
   */
  private Stmt sideBySide(Stmt.For loop, int lanes, int least, long turns, Stmt body) {
    Var i = loop.index();
    if (turns % lanes == 0) {
      return new Stmt.For(i, loop.from(), loop.to(), lanes, body);
    }
    List<Stmt> steps = new ArrayList<>();
    Expr from = inVectors(loop, loop.from(), lanes, body, steps);
    for (int fewer = lanes / 2; fewer >= least && isShort(loop.body()); fewer /= 2) {
      Optional<Stmt> part = LaneCode.of(loop, fewer, vectors);
      if (part.isPresent()) {
        String end = "_" + fewer;
        Stmt own = Ir.rebuild(part.get(), s -> BlockLoops.renamed(s, end));
        from = inVectors(loop, from, fewer, own, steps);
      }
    }
    steps.add(new Stmt.For(i, from, loop.to(), 1, loop.body()));
    return new Stmt.Block(steps);
  }

  /** Adds a loop over the whole vectors from a place on; returns where it ends. */
  private Expr inVectors(Stmt.For loop, Expr from, int lanes, Stmt body, List<Stmt> steps) {
    Var whole = new Var(loop.index().name() + "_whole" + loops++, Type.I64);
    Expr all = KernelCode.binary(BinaryOp.SUB, loop.to(), from);
    Expr count = KernelCode.binary(BinaryOp.DIV, all, Expr.of(lanes));
    Expr items = KernelCode.binary(BinaryOp.MUL, count, Expr.of(lanes));
    steps.add(new Stmt.Let(whole, KernelCode.binary(BinaryOp.ADD, from, items)));
    steps.add(new Stmt.For(loop.index(), from, whole, lanes, body));
    return whole;
  }

  private static boolean isShort(Stmt body) {
    return Ir.size(body) <= MOST_STEPS;
  }
}
