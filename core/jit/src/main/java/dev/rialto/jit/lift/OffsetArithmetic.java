package dev.rialto.jit.lift;

import dev.rialto.jit.lower.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the offsets of elements sums of 64-bit numbers, and loops that count upwards loops over an
 * index.
 *
 * <p>Java's ints wrap around, and a compiler that must respect that sees no neighbours in {@code
 * x[row * 16 + k]}. Where the bounds of the variables tell that nothing wraps, the same sum of
 * longs stands there, of loop indices and not of variables that hold copies of them.
 */
final class OffsetArithmetic {
  /** Bodies are looked at several times for each loop around them. */
  private static final int MOST_STEPS = 20_000;

  private static final int MOST_ROUNDS = 4;

  private final Map<Var, IntegerRange> given;
  private final Map<String, List<KnownValues>> leaves = new HashMap<>();
  private final Map<String, List<KnownValues>> repeats = new HashMap<>();
  private final List<Var> made = new ArrayList<>();
  private @Nullable KnownValues now;
  private int steps;
  private int loops;

  private OffsetArithmetic(Map<Var, IntegerRange> given) {
    this.given = given;
    this.now = new KnownValues(given);
  }

  /**
   * Rewrites steps.
   *
   * @param given bounds of variables that come from outside
   */
  static Stmt apply(Stmt body, Map<Var, IntegerRange> given) {
    OffsetArithmetic pass = new OffsetArithmetic(given);
    Stmt done = pass.run(body);
    return pass.steps > MOST_STEPS ? body : done;
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
        Expr value = rewrite(e, here);
        made.add(v);
        if (given.containsKey(v)) {
          here.assign(v, given.get(v));
        } else {
          here.assign(v, value);
        }
        yield new Stmt.Let(v, value);
      }
      case Stmt.Assign(Var v, Expr e) -> {
        Expr value = rewrite(e, here);
        here.assign(v, value);
        yield new Stmt.Assign(v, value);
      }
      case Stmt.Store(Buffer b, Expr at, Expr e) ->
          new Stmt.Store(b, offset(at, here), rewrite(e, here));
      case Stmt.Atomic x -> {
        Stmt done =
            new Stmt.Atomic(
                x.old(),
                x.op(),
                x.buffer(),
                offset(x.offset(), here),
                rewrite(x.value(), here),
                rewrite(x.expected(), here));
        here.forget(x.old());
        yield done;
      }
      case Stmt.Exchange x -> {
        here.forget(x.result());
        yield x;
      }
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
    Expr condition = rewrite(x.condition(), here);
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
    Expr from = offset(x.from(), entry);
    Expr to = offset(x.to(), entry);
    IntegerRange first = entry.range(from);
    IntegerRange last = entry.range(to);
    IntegerRange index =
        new IntegerRange(
            first.min(), Math.max(first.min(), Math.max(last.max(), Long.MIN_VALUE + 1) - 1));
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

  /**
   * A loop over an index in place of one that leaves when a variable has come to a bound, and adds
   * to it at the end of each turn; null if it is none or the variable could wrap around.
   */
  private @Nullable Stmt counts(Stmt.Loop loop, KnownValues here) {
    List<Stmt> all = Ir.steps(loop.body());
    if (all.size() < 2
        || !(all.getFirst() instanceof Stmt.If(Expr ends, Stmt jump, Stmt otherwise))
        || !Ir.steps(otherwise).isEmpty()
        || Ir.steps(jump).size() != 1
        || !(Ir.steps(jump).getFirst() instanceof Stmt.Leave leave)
        || !(ends instanceof Binary(BinaryOp op, Expr bound, Var v))
        || (op != BinaryOp.LE && op != BinaryOp.LT)
        || !(all.getLast()
            instanceof Stmt.Assign(Var next, Binary(BinaryOp add, Var same, Expr.Const by)))
        || add != BinaryOp.ADD
        || !next.equals(v)
        || !same.equals(v)
        || by.bits() < 1
        || by.bits() > Integer.MAX_VALUE) {
      return null;
    }
    List<Stmt> rest = all.subList(1, all.size() - 1);
    Set<Var> changing = new HashSet<>(VariablePlaces.assigned(rest));
    boolean jumps = BlockLoops.contains(rest, new Stmt.Repeat(loop.label())::equals);
    if (jumps || changing.contains(v) || !isFixed(bound, v, changing)) {
      return null;
    }
    long step = by.bits();
    long beyond = op == BinaryOp.LE ? 0 : 1;
    boolean isInt = v.type().equals(Type.I32);
    long most = isInt ? Integer.MAX_VALUE - step - beyond : Long.MAX_VALUE >> 2;
    boolean canWrap =
        here.range(bound).max() > most || here.range(v).min() < IntegerRange.of(Type.I32).min();
    if (canWrap && (step > 1 || beyond > 0)) {
      return null;
    }
    String name = "i" + loops++;
    Var index = new Var(name, Type.I64);
    Var first = new Var(name + "_first", Type.I64);
    Var end = new Var(name + "_end", Type.I64);
    List<Stmt> turn = new ArrayList<>();
    turn.add(new Stmt.Assign(v, KernelCode.convert(v.type(), index)));
    turn.addAll(rest);
    Expr behind = KernelCode.binary(BinaryOp.ADD, KernelCode.index(bound), Expr.of(beyond));
    Stmt counts =
        new Stmt.Block(
            List.of(
                new Stmt.Let(first, KernelCode.index(v)),
                new Stmt.Let(end, behind),
                new Stmt.For(index, first, end, step, new Stmt.Block(turn)),
                new Stmt.Assign(v, KernelCode.convert(v.type(), last(first, end, step))),
                leave));
    return BlockLoops.contains(List.of(counts), new Stmt.Leave(loop.label())::equals)
        ? new Stmt.Labeled(loop.label(), counts)
        : counts;
  }

  /** The first number from {@code first} on by steps that is not below {@code end}. */
  private static Expr last(Var first, Var end, long step) {
    Expr reached = end;
    if (step > 1) {
      Expr whole =
          KernelCode.binary(BinaryOp.ADD, new Binary(BinaryOp.SUB, end, first), Expr.of(step - 1));
      Expr turns = new Binary(BinaryOp.DIV, whole, Expr.of(step));
      reached = new Binary(BinaryOp.ADD, first, new Binary(BinaryOp.MUL, turns, Expr.of(step)));
    }
    return new Expr.Select(new Binary(BinaryOp.LT, first, end), reached, first);
  }

  private static boolean isFixed(Expr bound, Var counter, Set<Var> changing) {
    boolean[] fixed = {true};
    Ir.walk(
        bound,
        e ->
            fixed[0] &=
                !(e instanceof Expr.Load)
                    && !(e instanceof Var v && (v.equals(counter) || changing.contains(v))));
    return fixed[0];
  }

  // --- Expressions ------------------------------------------------------------------------------

  private static Expr rewrite(Expr e, KnownValues here) {
    if (e instanceof Expr.Load(Buffer b, Expr at, int lanes)) {
      return new Expr.Load(b, offset(at, here), lanes);
    }
    return Ir.map(e, x -> rewrite(x, here));
  }

  /** An offset in terms of what its variables are sums of. */
  private static Expr offset(Expr e, KnownValues here) {
    return wide(Ir.rewrite(rewrite(e, here), x -> x instanceof Var v ? here.sum(v) : x), here);
  }

  /** A sum of 64-bit numbers, where it has conversions from 32 bits. */
  private static Expr wide(Expr e, KnownValues here) {
    return switch (e) {
      case Binary(BinaryOp op, Expr x, Expr y)
          when op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL ->
          KernelCode.binary(op, wide(x, here), wide(y, here));
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I32) -> widened(x, here);
      default -> e;
    };
  }

  /** An int as a long. */
  private static Expr widened(Expr e, KnownValues here) {
    return switch (e) {
      case Binary(BinaryOp op, Expr x, Expr y)
          when IntegerRange.isExact(op, here.range(x), here.range(y), Type.I32) ->
          switch (op) {
            case ADD, SUB, MUL -> KernelCode.binary(op, widened(x, here), widened(y, here));
            case SHL ->
                y instanceof Expr.Const c
                    ? KernelCode.binary(BinaryOp.MUL, widened(x, here), Expr.of(1L << c.bits()))
                    : KernelCode.index(e);
            default -> KernelCode.index(e);
          };
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I64) && here.range(x).isInt() ->
          wide(x, here);
      default -> KernelCode.index(e);
    };
  }
}
