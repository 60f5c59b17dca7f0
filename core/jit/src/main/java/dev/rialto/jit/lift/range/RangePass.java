package dev.rialto.jit.lift.range;

import dev.rialto.jit.lift.block.VariablePlaces;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pass through steps that knows the bounds of integers at each of them, and rewrites expressions
 * by them. What is known where a loop begins is found by going through it until nothing changes.
 */
abstract class RangePass {
  /** Bodies are looked at several times for each loop around them. */
  private static final int MOST_STEPS = 20_000;

  private static final int MOST_ROUNDS = 4;

  private final Map<Var, IntegerRange> given;
  private final Map<String, List<KnownValues>> leaves = new HashMap<>();
  private final Map<String, List<KnownValues>> repeats = new HashMap<>();
  private final List<Var> made = new ArrayList<>();
  private @Nullable KnownValues now;
  private int steps;

  /** The loops around a step of which it is not yet known what holds where they begin. */
  private int trials;

  /**
   * Begins.
   *
   * @param given bounds of variables that come from outside
   */
  RangePass(Map<Var, IntegerRange> given) {
    this.given = given;
    this.now = new KnownValues(given);
  }

  abstract Expr value(Expr e, KnownValues here);

  /** Rewrites a value whose bounds come from outside. */
  Expr given(Expr e, KnownValues here) {
    return value(e, here);
  }

  /** Rewrites the offset of an element. */
  abstract Expr offset(Expr e, KnownValues here);

  /** Rewrites a bound of a loop over an index. */
  abstract Expr bound(Expr e, KnownValues here);

  /** Looks at a step with a condition; once, when all that is known there is known. */
  void branches(Stmt.If step, KnownValues here) {}

  /** Returns steps to take in place of a loop; null if it stays one. */
  @Nullable Stmt counts(Stmt.Loop loop, KnownValues here) {
    return null;
  }

  /** Returns whether all steps were looked at. */
  final boolean isComplete() {
    return steps <= MOST_STEPS;
  }

  /** Rewrites all, or nothing if that would take too long. */
  final Stmt all(Stmt body) {
    Stmt done = run(body);
    return isComplete() ? done : body;
  }

  // --- Steps ------------------------------------------------------------------------------------

  private Stmt run(Stmt s) {
    KnownValues here = now;
    if (here == null || steps++ > MOST_STEPS) {
      return s;
    }
    return switch (s) {
      case Stmt.Block x -> {
        List<Stmt> done = new ArrayList<>();
        x.steps().forEach(step -> done.add(run(step)));
        yield new Stmt.Block(done);
      }
      case Stmt.Let(Var v, Expr e) -> {
        IntegerRange range = given.get(v);
        Expr value = range == null ? value(e, here) : given(e, here);
        made.add(v);
        if (range == null) {
          here.assign(v, value);
        } else {
          here.assign(v, range);
        }
        yield new Stmt.Let(v, value);
      }
      case Stmt.Assign(Var v, Expr e) -> {
        Expr value = value(e, here);
        here.assign(v, value);
        yield new Stmt.Assign(v, value);
      }
      case Stmt.Store(Buffer b, Expr at, Expr e) ->
          new Stmt.Store(b, offset(at, here), value(e, here));
      case Stmt.Atomic x -> {
        Stmt done =
            new Stmt.Atomic(
                x.old(),
                x.op(),
                x.buffer(),
                offset(x.offset(), here),
                value(x.value(), here),
                value(x.expected(), here));
        here.forget(x.old());
        yield done;
      }
      case Stmt.Exchange x -> {
        here.forget(x.result());
        yield x;
      }
      case Stmt.TileStep x ->
          new Stmt.TileStep(
              x.op(),
              x.rows(),
              x.columns(),
              x.depth(),
              x.sums(),
              x.tiles().stream()
                  .map(
                      tile ->
                          new Stmt.TilePlace(
                              tile.buffer(),
                              offset(tile.offset(), here),
                              value(tile.stride(), here)))
                  .toList());
      case Stmt.If x -> branch(x, here);
      case Stmt.Labeled(String label, Stmt body) -> {
        leaves.put(label, new ArrayList<>());
        Stmt done = inside(body);
        meet(leaves.remove(label));
        yield new Stmt.Labeled(label, done);
      }
      case Stmt.Leave(String label) -> {
        leaves.computeIfAbsent(label, _ -> new ArrayList<>()).add(here);
        now = null;
        yield s;
      }
      case Stmt.Repeat(String label) -> {
        repeats.computeIfAbsent(label, _ -> new ArrayList<>()).add(here);
        now = null;
        yield s;
      }
      case Stmt.For x -> counted(x, here);
      case Stmt.Loop x -> {
        Stmt counts = counts(x, here);
        yield counts == null ? loop(x, here) : run(counts);
      }
      case Stmt.Items x -> new Stmt.Items(x.local(), x.count(), x.most(), run(x.body()));
      case Stmt.Array _, Stmt.Comment _, Stmt.Barrier _ -> s;
    };
  }

  /** Rewrites steps that end the life of what they make. */
  private Stmt inside(Stmt body) {
    int outside = made.size();
    Stmt done = run(body);
    made.subList(outside, made.size()).clear();
    return done;
  }

  /** Has other ways come here too; what was made on them is no more. */
  private void meet(List<KnownValues> ways) {
    ways.forEach(way -> now = KnownValues.join(now, way));
    if (now != null) {
      Set<Var> alive = new HashSet<>(made);
      alive.addAll(given.keySet());
      now.retain(alive);
    }
  }

  private Stmt branch(Stmt.If x, KnownValues here) {
    if (trials == 0) {
      branches(x, here);
    }
    Expr condition = value(x.condition(), here);
    KnownValues other = here.copy();
    here.assume(condition, true);
    Stmt body = inside(x.body());
    List<KnownValues> after = now == null ? List.of() : List.of(now);
    other.assume(condition, false);
    now = other;
    Stmt otherwise = inside(x.otherwise());
    meet(after);
    return new Stmt.If(condition, body, otherwise);
  }

  // --- Loops ------------------------------------------------------------------------------------

  private Stmt loop(Stmt.Loop x, KnownValues entry) {
    KnownValues head =
        head(
            x.body(),
            entry,
            at -> {
              repeats.put(x.label(), new ArrayList<>());
              now = at.copy();
              Stmt _ = inside(x.body());
              meet(repeats.remove(x.label()));
              return now;
            });
    leaves.put(x.label(), new ArrayList<>());
    now = head;
    Stmt body = inside(x.body());
    repeats.remove(x.label());
    now = null;
    meet(leaves.remove(x.label()));
    return new Stmt.Loop(x.label(), body);
  }

  private Stmt counted(Stmt.For x, KnownValues entry) {
    Expr from = bound(x.from(), entry);
    Expr to = bound(x.to(), entry);
    IntegerRange first = entry.range(from);
    IntegerRange last = entry.range(to);
    long end = Math.max(first.min(), Math.max(last.max(), Long.MIN_VALUE + 1) - 1);
    IntegerRange index = first.upTo(end, x.step());
    KnownValues head =
        head(
            x.body(),
            entry,
            at -> {
              now = at.copy();
              now.assign(x.index(), index);
              Stmt _ = turn(x);
              return now;
            });
    now = head.copy();
    now.assign(x.index(), index);
    Stmt body = turn(x);
    now = head;
    return new Stmt.For(x.index(), from, to, x.step(), body);
  }

  private Stmt turn(Stmt.For x) {
    int outside = made.size();
    made.add(x.index());
    Stmt body = run(x.body());
    made.subList(outside, made.size()).clear();
    meet(List.of());
    return body;
  }

  private interface Turn {
    /** Returns what is known where the next turn begins; null if none does. */
    @Nullable KnownValues from(KnownValues head);
  }

  /** Finds what is known at the begin of every turn of a loop. */
  private KnownValues head(Stmt body, KnownValues entry, Turn turn) {
    Set<Var> changing = VariablePlaces.assigned(List.of(body));
    Ir.walk(
        body,
        s -> {
          if (s instanceof Stmt.Let(Var v, Expr _)) {
            changing.remove(v);
          }
        });
    if (changing.isEmpty()) {
      return entry.copy();
    }
    trials++;
    try {
      return head(changing, entry, turn);
    } finally {
      trials--;
    }
  }

  private KnownValues head(Set<Var> changing, KnownValues entry, Turn turn) {
    KnownValues head = entry.copy();
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Map<String, Integer> before = new HashMap<>();
      leaves.forEach((label, ways) -> before.put(label, ways.size()));
      Map<String, Integer> beforeNext = new HashMap<>();
      repeats.forEach((label, ways) -> beforeNext.put(label, ways.size()));
      KnownValues next = KnownValues.join(entry, turn.from(head));
      before.forEach((label, size) -> cut(leaves.get(label), size));
      beforeNext.forEach((label, size) -> cut(repeats.get(label), size));
      if (next == null || next.isWithin(head)) {
        return next == null ? head : next;
      }
      head.widen(next);
    }
    head.forgetAll(changing);
    return head;
  }

  private static void cut(@Nullable List<KnownValues> ways, int size) {
    if (ways != null) {
      ways.subList(size, ways.size()).clear();
    }
  }
}
