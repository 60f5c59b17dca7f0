package dev.rialto.jit.lift.range;

import dev.rialto.jit.loops.IntegerRange;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The known facts of the integer variables at a step: their bounds, sums that they are, and which
 * of two is less.
 */
final class KnownValues {
  private static final int MOST_PARTS = 16;

  /** Two variables of which conditions tell that one is not less than the other. */
  private record Pair(Var less, Var more) {
    boolean has(Var v) {
      return less.equals(v) || more.equals(v);
    }
  }

  /** The bounds of a variable; if it is a sum, that and the places of its parts. */
  private record Fact(Var variable, IntegerRange range, @Nullable Expr sum, BitSet parts) {
    boolean isNothing() {
      return sum == null && range.equals(IntegerRange.of(variable.type()));
    }
  }

  /** The places of variables among the facts, the same at all steps of a pass. */
  private final Map<Var, Integer> places;

  private @Nullable Fact[] facts;

  /** By how much the second of two is greater, at least. */
  private final Map<Pair, Long> distances;

  private KnownValues(Map<Var, Integer> places, @Nullable Fact[] facts, Map<Pair, Long> distances) {
    this.places = places;
    this.facts = facts;
    this.distances = distances;
  }

  /** Begins with bounds. */
  KnownValues(Map<Var, IntegerRange> ranges) {
    this(new HashMap<>(), new Fact[ranges.size()], new HashMap<>());
    ranges.forEach((v, range) -> set(v, range, null));
  }

  KnownValues copy() {
    return new KnownValues(places, facts.clone(), new HashMap<>(distances));
  }

  private @Nullable Fact fact(Var v) {
    Integer place = places.get(v);
    return place == null || place >= facts.length ? null : facts[place];
  }

  private int place(Var v) {
    return places.computeIfAbsent(v, _ -> places.size());
  }

  private void set(Var v, IntegerRange range, @Nullable Expr sum) {
    BitSet parts = new BitSet();
    if (sum != null) {
      Ir.uses(sum).forEach(part -> parts.set(place(part)));
    }
    Fact fact = new Fact(v, range, sum, parts);
    int place = place(v);
    if (place >= facts.length) {
      facts = Arrays.copyOf(facts, 2 * place + 1);
    }
    facts[place] = fact.isNothing() ? null : fact;
  }

  private static boolean isInteger(Type type) {
    return type.lanes() == 1 && (type.kind() == Kind.I32 || type.kind() == Kind.I64);
  }

  // --- Values -----------------------------------------------------------------------------------

  IntegerRange range(Expr e) {
    IntegerRange all = IntegerRange.of(e.type());
    return switch (e) {
      case Expr.Const c -> IntegerRange.of(c.bits());
      case Var v -> {
        Fact fact = fact(v);
        yield fact == null ? all : fact.range();
      }
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when isInteger(x.type()) && !op.compares() ->
          combine(op, x, y);
      case Expr.Select(Expr.Binary(BinaryOp op, Expr less, Expr more), Expr x, Expr y)
          when op == BinaryOp.LT
              && isInteger(x.type())
              && ((less.equals(x) && more.equals(y)) || (less.equals(y) && more.equals(x))) -> {
        IntegerRange a = range(x);
        IntegerRange b = range(y);
        yield less.equals(x)
            ? new IntegerRange(Math.min(a.min(), b.min()), Math.min(a.max(), b.max()))
            : new IntegerRange(Math.max(a.min(), b.min()), Math.max(a.max(), b.max()));
      }
      case Expr.Select(Expr c, Expr x, Expr _) when isInteger(x.type()) && holds(c, true) ->
          range(x);
      case Expr.Select(Expr c, Expr _, Expr y) when isInteger(y.type()) && holds(c, false) ->
          range(y);
      case Expr.Select(Expr c, Expr x, Expr y) when isInteger(x.type()) -> {
        KnownValues holds = copy();
        holds.assume(c, true);
        KnownValues fails = copy();
        fails.assume(c, false);
        yield holds.range(x).join(fails.range(y));
      }
      case Expr.Convert(Type _, Expr x) when isInteger(x.type()) -> {
        IntegerRange inner = range(x);
        yield inner.meet(all).equals(inner) ? inner : all;
      }
      case Expr.Load(Buffer b, Expr _, int _) ->
          switch (b.storage()) {
            case I8 -> new IntegerRange(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case I16 -> new IntegerRange(Short.MIN_VALUE, Short.MAX_VALUE);
            default -> all;
          };
      default -> all;
    };
  }

  private IntegerRange combine(BinaryOp op, Expr x, Expr y) {
    IntegerRange result = IntegerRange.combine(op, range(x), range(y), x.type());
    Long distance =
        op == BinaryOp.SUB && plain(x) instanceof Var more && plain(y) instanceof Var less
            ? distances.get(new Pair(less, more))
            : null;
    return distance != null && IntegerRange.isExact(op, range(x), range(y), x.type())
        ? result.meet(new IntegerRange(distance, Long.MAX_VALUE))
        : result;
  }

  /** A value without a conversion that keeps every value. */
  private static Expr plain(Expr e) {
    return e instanceof Expr.Convert(Type type, Var v)
            && v.type().equals(Type.I32)
            && type.equals(Type.I64)
        ? v
        : e;
  }

  /** Returns the sum that a variable is, or the variable. */
  Expr sum(Var v) {
    Fact fact = fact(v);
    return fact == null || fact.sum() == null ? v : fact.sum();
  }

  void assign(Var v, Expr value) {
    if (!isInteger(v.type())) {
      return;
    }
    IntegerRange range = range(value);
    Expr sum =
        isSum(value) ? Ir.rewrite(value, x -> x instanceof Var other ? sum(other) : x) : null;
    forget(v);
    boolean isKept = sum != null && Ir.size(sum) <= MOST_PARTS && !Ir.uses(sum).contains(v);
    set(v, range, isKept ? sum : null);
  }

  /** Gives a variable bounds, and any value between them. */
  void assign(Var v, IntegerRange range) {
    forget(v);
    set(v, range, null);
  }

  /** Gives up what is known of a variable, and the sums that it is a part of. */
  void forget(Var v) {
    int place = place(v);
    for (int i = 0; i < facts.length; i++) {
      Fact fact = facts[i];
      if (i == place) {
        facts[i] = null;
      } else if (fact != null && fact.parts().get(place)) {
        set(fact.variable(), fact.range(), null);
      }
    }
    distances.keySet().removeIf(pair -> pair.has(v));
  }

  void forgetAll(Collection<Var> variables) {
    variables.forEach(this::forget);
  }

  /** Whether a value is made of variables and constants by sums and products alone. */
  private static boolean isSum(Expr e) {
    return switch (e) {
      case Expr.Const _, Var _ -> true;
      case Expr.Convert(Type _, Expr x) -> isInteger(x.type()) && isSum(x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) ->
          switch (op) {
            case ADD, SUB -> isSum(x) && isSum(y);
            case MUL, SHL -> isSum(x) && isSum(y) && y instanceof Expr.Const;
            default -> false;
          };
      default -> false;
    };
  }

  // --- Conditions -------------------------------------------------------------------------------

  /** Whether a condition is known to be as {@code wanted}. */
  boolean holds(Expr condition, boolean wanted) {
    return switch (condition) {
      case Expr.Const c -> (c.bits() != 0) == wanted;
      case Expr.Unary(Expr.UnaryOp op, Expr x) when op == Expr.UnaryOp.NOT -> holds(x, !wanted);
      case Expr.Binary(BinaryOp op, Expr x, Expr y)
          when op == (wanted ? BinaryOp.AND : BinaryOp.OR) ->
          holds(x, wanted) && holds(y, wanted);
      case Expr.Binary(BinaryOp op, Expr x, Expr y)
          when op == (wanted ? BinaryOp.OR : BinaryOp.AND) ->
          holds(x, wanted) || holds(y, wanted);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when isInteger(x.type()) -> {
        IntegerRange a = range(x);
        IntegerRange b = range(y);
        boolean less = a.max() < b.min();
        boolean more = b.max() < a.min();
        boolean same = a.min() == b.max() && a.max() == b.min();
        yield switch (op) {
          case LT -> wanted ? less : b.max() <= a.min();
          case LE -> wanted ? a.max() <= b.min() : more;
          case EQ -> wanted ? same : less || more;
          case NE -> wanted ? less || more : same;
          default -> false;
        };
      }
      default -> false;
    };
  }

  void assume(Expr condition, boolean holds) {
    switch (condition) {
      case Expr.Unary(Expr.UnaryOp op, Expr x) when op == Expr.UnaryOp.NOT -> assume(x, !holds);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.AND && holds -> {
        assume(x, true);
        assume(y, true);
      }
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.OR && !holds -> {
        assume(x, false);
        assume(y, false);
      }
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when isInteger(x.type()) -> {
        switch (op) {
          case LT -> order(holds ? x : y, holds ? y : x, holds ? 1 : 0);
          case LE -> order(holds ? x : y, holds ? y : x, holds ? 0 : 1);
          case EQ -> equal(x, y, holds);
          case NE -> equal(x, y, !holds);
          default -> {}
        }
      }
      default -> {}
    }
  }

  private void equal(Expr x, Expr y, boolean holds) {
    if (holds) {
      order(x, y, 0);
      order(y, x, 0);
    }
  }

  /** Takes note that the first is less by so much at least. */
  private void order(Expr less, Expr more, long by) {
    IntegerRange a = range(less);
    IntegerRange b = range(more);
    if (b.max() != Long.MIN_VALUE && a.min() != Long.MAX_VALUE) {
      atMost(less, new IntegerRange(Long.MIN_VALUE, b.max() - by));
      atMost(more, new IntegerRange(a.min() + by, Long.MAX_VALUE));
    }
    if (plain(less) instanceof Var x && plain(more) instanceof Var y) {
      distances.merge(new Pair(x, y), by, Math::max);
    }
  }

  private void atMost(Expr e, IntegerRange bounds) {
    if (plain(e) instanceof Var v) {
      IntegerRange range = range(v).meet(bounds);
      if (!range.isEmpty()) {
        Fact fact = fact(v);
        set(v, range, fact == null ? null : fact.sum());
      }
    }
  }

  // --- Ways that meet ---------------------------------------------------------------------------

  /** The facts that hold where two paths of control meet. */
  static @Nullable KnownValues join(@Nullable KnownValues a, @Nullable KnownValues b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    KnownValues both = a.copy();
    for (int i = 0; i < both.facts.length; i++) {
      Fact one = a.facts[i];
      Fact other = i < b.facts.length ? b.facts[i] : null;
      if (one != null && !one.equals(other)) {
        both.facts[i] = null;
        if (other != null) {
          Expr sum = Objects.equals(one.sum(), other.sum()) ? one.sum() : null;
          both.set(one.variable(), one.range().join(other.range()), sum);
        }
      }
    }
    both.distances.keySet().retainAll(b.distances.keySet());
    both.distances.replaceAll((pair, by) -> Math.min(by, b.distances.getOrDefault(pair, by)));
    return both;
  }

  /** Whether all that is known elsewhere is known here, or more. */
  boolean isWithin(KnownValues other) {
    for (Fact theirs : other.facts) {
      if (theirs != null && !isKnown(theirs)) {
        return false;
      }
    }
    return distances.entrySet().containsAll(other.distances.entrySet());
  }

  private boolean isKnown(Fact fact) {
    Var v = fact.variable();
    return range(v).join(fact.range()).equals(fact.range())
        && (fact.sum() == null || fact.sum().equals(sum(v)));
  }

  /** Gives up the bounds that another round moves. */
  void widen(KnownValues next) {
    for (Fact fact : facts.clone()) {
      if (fact != null) {
        Var v = fact.variable();
        Expr sum = fact.sum() != null && fact.sum().equals(next.sum(v)) ? fact.sum() : null;
        set(v, fact.range().widen(next.range(v), v.type()), sum);
      }
    }
    distances.entrySet().retainAll(next.distances.entrySet());
  }
}
