package dev.rialto.jit.lift.range;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.loops.IntegerRange;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
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
  private final Map<String, Ways> leaves = new HashMap<>();
  private final Map<String, Ways> repeats = new HashMap<>();
  private final List<Var> made = new ArrayList<>();
  private @Nullable KnownValues now;
  private int steps;

  /** The loops around a step of which it is not yet known what holds where they begin. */
  private int trials;

  /** The ways by which jumps come to a label, outside of which so many variables were made. */
  private record Ways(int outside, List<KnownValues> all) {}

  /**
   * Begins.
   *
   * @param given bounds of variables that come from outside
   */
  RangePass(Map<Var, IntegerRange> given) {
    this.given = given;
    this.now = new KnownValues(given);
  }

  /** Rewrites a value. */
  Expr value(Expr e, KnownValues here) {
    return e;
  }

  /** Rewrites a value whose bounds come from outside. */
  Expr given(Expr e, KnownValues here) {
    return value(e, here);
  }

  /** Rewrites the offset of an element. */
  Expr offset(Expr e, KnownValues here) {
    return value(e, here);
  }

  /** Rewrites a bound of a loop over an index. */
  Expr bound(Expr e, KnownValues here) {
    return value(e, here);
  }

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
      case Stmt.Store _, Stmt.TileStep _ -> rewritten(s, here);
      case Stmt.Atomic x -> {
        Stmt done = rewritten(s, here);
        here.forget(x.old());
        made.add(x.old());
        yield done;
      }
      case Stmt.Exchange x -> {
        here.forget(x.result());
        made.add(x.result());
        yield x;
      }
      case Stmt.If x -> branch(x, here);
      case Stmt.Labeled(String label, Stmt body) -> {
        begin(leaves, label);
        Stmt done = inside(body);
        meet(leaves, label);
        yield new Stmt.Labeled(label, done);
      }
      case Stmt.Leave(String label) -> {
        jump(leaves, label, here);
        yield s;
      }
      case Stmt.Repeat(String label) -> {
        jump(repeats, label, here);
        yield s;
      }
      case Stmt.For x -> counted(x, here);
      case Stmt.Loop x -> {
        Stmt counts = counts(x, here);
        yield counts == null ? loop(x, here) : run(counts);
      }
      case Stmt.Items x -> new Stmt.Items(x.local(), x.count(), x.most(), inside(x.body()));
      case Stmt.Array _, Stmt.Comment _, Stmt.Barrier _ -> s;
    };
  }

  private Stmt rewritten(Stmt s, KnownValues here) {
    return Ir.map(s, e -> offset(e, here), e -> value(e, here), this::run);
  }

  /** Rewrites steps that end the life of what they make. */
  private Stmt inside(Stmt body) {
    int outside = made.size();
    Stmt done = run(body);
    end(outside);
    return done;
  }

  /** Ends the life of what was made since there were so many. */
  private void end(int outside) {
    List<Var> ended = made.subList(outside, made.size());
    if (now != null) {
      now.forgetAll(ended);
    }
    ended.clear();
  }

  private void begin(Map<String, Ways> jumps, String label) {
    jumps.put(label, new Ways(made.size(), new ArrayList<>()));
  }

  /** Jumps to a label, outside of which what was made on the way is no more. */
  private void jump(Map<String, Ways> jumps, String label, KnownValues here) {
    Ways ways = jumps.get(label);
    if (ways != null) {
      here.forgetAll(made.subList(ways.outside(), made.size()));
      ways.all().add(here);
    }
    now = null;
  }

  /** Has all jumps to a label come here too. */
  private void meet(Map<String, Ways> jumps, String label) {
    Ways ways = jumps.remove(label);
    if (ways != null) {
      ways.all().forEach(way -> now = KnownValues.join(now, way));
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
    KnownValues after = now;
    other.assume(condition, false);
    now = other;
    Stmt otherwise = inside(x.otherwise());
    now = KnownValues.join(now, after);
    return new Stmt.If(condition, body, otherwise);
  }

  // --- Loops ------------------------------------------------------------------------------------

  private Stmt loop(Stmt.Loop x, KnownValues entry) {
    KnownValues head =
        head(
            x.body(),
            entry,
            at -> {
              begin(repeats, x.label());
              now = at.copy();
              Stmt _ = inside(x.body());
              meet(repeats, x.label());
              return now;
            });
    begin(leaves, x.label());
    now = head;
    Stmt body = inside(x.body());
    repeats.remove(x.label());
    now = null;
    meet(leaves, x.label());
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
              Stmt _ = turn(x, index);
              return now;
            });
    now = head.copy();
    Stmt body = turn(x, index);
    now = head;
    return new Stmt.For(x.index(), from, to, x.step(), body);
  }

  private Stmt turn(Stmt.For x, IntegerRange index) {
    requireNonNull(now).assign(x.index(), index);
    int outside = made.size();
    made.add(x.index());
    Stmt body = run(x.body());
    end(outside);
    return body;
  }

  private interface Turn {
    /** Returns what is known where the next turn begins; null if none does. */
    @Nullable KnownValues from(KnownValues head);
  }

  /** Finds what is known at the begin of every turn of a loop. */
  private KnownValues head(Stmt body, KnownValues entry, Turn turn) {
    Set<Var> changing = Ir.assigned(body);
    changing.removeAll(Ir.made(body));
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
      IdentityHashMap<Ways, Integer> before = new IdentityHashMap<>();
      leaves.values().forEach(ways -> before.put(ways, ways.all().size()));
      repeats.values().forEach(ways -> before.put(ways, ways.all().size()));
      KnownValues next = KnownValues.join(entry, turn.from(head));
      before.forEach((ways, size) -> ways.all().subList(size, ways.all().size()).clear());
      if (next == null || next.isWithin(head)) {
        return next == null ? head : next;
      }
      head.widen(next);
    }
    head.forgetAll(changing);
    return head;
  }
}
