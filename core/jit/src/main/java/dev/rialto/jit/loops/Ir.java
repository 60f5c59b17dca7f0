package dev.rialto.jit.loops;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Any;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Bits;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Convert;
import dev.rialto.spi.code.Expr.Fma;
import dev.rialto.spi.code.Expr.Lane;
import dev.rialto.spi.code.Expr.Load;
import dev.rialto.spi.code.Expr.Ramp;
import dev.rialto.spi.code.Expr.Select;
import dev.rialto.spi.code.Expr.Splat;
import dev.rialto.spi.code.Expr.Unary;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Walks and rebuilds expressions and steps. A pass handles the kinds that it changes and leaves all
 * others to this.
 */
public final class Ir {
  private Ir() {}

  // --- Expressions ------------------------------------------------------------------------------

  /** Rebuilds an expression with each operand replaced. */
  public static Expr map(Expr e, Function<Expr, Expr> f) {
    return switch (e) {
      case Const _, Var _ -> e;
      case Load x -> new Load(x.buffer(), f.apply(x.offset()), x.lanes());
      case Unary x -> new Unary(x.op(), f.apply(x.value()));
      case Binary x -> new Binary(x.op(), f.apply(x.left()), f.apply(x.right()));
      case Fma x -> new Fma(f.apply(x.a()), f.apply(x.b()), f.apply(x.c()));
      case Select x -> new Select(f.apply(x.condition()), f.apply(x.yes()), f.apply(x.no()));
      case Convert x -> new Convert(x.type(), f.apply(x.value()));
      case Expr.Saturate x -> new Expr.Saturate(x.type(), f.apply(x.value()));
      case Bits x -> new Bits(x.type(), f.apply(x.value()));
      case Splat x -> new Splat(x.lanes(), f.apply(x.value()));
      case Ramp x -> new Ramp(f.apply(x.base()), x.lanes());
      case Lane x -> new Lane(f.apply(x.value()), x.lane());
      case Any x -> new Any(f.apply(x.condition()));
    };
  }

  /** Returns the operands of an expression. */
  public static List<Expr> operands(Expr e) {
    return switch (e) {
      case Const _, Var _ -> List.of();
      case Load x -> List.of(x.offset());
      case Unary x -> List.of(x.value());
      case Binary x -> List.of(x.left(), x.right());
      case Fma x -> List.of(x.a(), x.b(), x.c());
      case Select x -> List.of(x.condition(), x.yes(), x.no());
      case Convert x -> List.of(x.value());
      case Expr.Saturate x -> List.of(x.value());
      case Bits x -> List.of(x.value());
      case Splat x -> List.of(x.value());
      case Ramp x -> List.of(x.base());
      case Lane x -> List.of(x.value());
      case Any x -> List.of(x.condition());
    };
  }

  /** Calls {@code f} for an expression and all within it. */
  public static void walk(Expr e, Consumer<Expr> f) {
    f.accept(e);
    for (Expr operand : operands(e)) {
      walk(operand, f);
    }
  }

  /** Returns whether a condition holds for an expression or something within it. */
  public static boolean contains(Expr e, Predicate<Expr> wanted) {
    if (wanted.test(e)) {
      return true;
    }
    for (Expr operand : operands(e)) {
      if (contains(operand, wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Rebuilds an expression bottom-up. */
  public static Expr rewrite(Expr e, Function<Expr, Expr> rule) {
    return new Rewriting(rule).apply(e);
  }

  /** One for a whole expression, which may have a hundred thousand operands. */
  private record Rewriting(Function<Expr, Expr> rule) implements Function<Expr, Expr> {
    @Override
    public Expr apply(Expr e) {
      return rule.apply(map(e, this));
    }
  }

  /** Rebuilds an expression with others in place of some. */
  public static Expr replace(Expr e, Map<? extends Expr, ? extends Expr> by) {
    return rewrite(
        e,
        x -> {
          Expr other = by.get(x);
          return other == null ? x : other;
        });
  }

  /** Returns whether an expression is the quotient or remainder of integers. */
  public static boolean isDivision(Expr e) {
    return e instanceof Binary(BinaryOp op, Expr left, Expr _)
        && (op == BinaryOp.DIV || op == BinaryOp.REM)
        && !left.type().isFloat();
  }

  public static boolean isLoad(Expr e) {
    return e instanceof Load;
  }

  /** Returns whether a value is the same while none but these variables change. */
  public static boolean isFixed(Expr e, Set<Var> changing) {
    return !contains(e, x -> isLoad(x) || (x instanceof Var v && changing.contains(v)));
  }

  /** Returns the variables that an expression uses. */
  public static Set<Var> uses(Expr e) {
    Set<Var> found = new HashSet<>();
    walk(
        e,
        x -> {
          if (x instanceof Var v) {
            found.add(v);
          }
        });
    return found;
  }

  /** Returns the number of expressions that one is made of. */
  public static int size(Expr e) {
    int[] count = new int[1];
    walk(e, _ -> count[0]++);
    return count[0];
  }

  // --- Steps ------------------------------------------------------------------------------------

  /**
   * Rebuilds a step.
   *
   * @param place replaces the offsets of elements that stand in it
   * @param value replaces all other expressions that do
   * @param body replaces the steps inside
   */
  public static Stmt map(
      Stmt s, UnaryOperator<Expr> place, UnaryOperator<Expr> value, UnaryOperator<Stmt> body) {
    return switch (s) {
      case Stmt.Block x -> new Stmt.Block(x.steps().stream().map(body).toList());
      case Stmt.Let(Var v, Expr e) -> new Stmt.Let(v, value.apply(e));
      case Stmt.Assign(Var v, Expr e) -> new Stmt.Assign(v, value.apply(e));
      case Stmt.Store(Buffer b, Expr at, Expr e) ->
          new Stmt.Store(b, place.apply(at), value.apply(e));
      case Stmt.For(Var v, Expr from, Expr to, long step, Stmt inner) ->
          new Stmt.For(v, value.apply(from), value.apply(to), step, body.apply(inner));
      case Stmt.If(Expr c, Stmt yes, Stmt no) ->
          new Stmt.If(value.apply(c), body.apply(yes), body.apply(no));
      case Stmt.Labeled(String label, Stmt inner) -> new Stmt.Labeled(label, body.apply(inner));
      case Stmt.Loop(String label, Stmt inner) -> new Stmt.Loop(label, body.apply(inner));
      case Stmt.Items(Var v, Expr count, int most, Stmt inner) ->
          new Stmt.Items(v, value.apply(count), most, body.apply(inner));
      case Stmt.Atomic x ->
          new Stmt.Atomic(
              x.old(),
              x.op(),
              x.buffer(),
              place.apply(x.offset()),
              value.apply(x.value()),
              value.apply(x.expected()));
      case Stmt.Exchange x ->
          new Stmt.Exchange(x.result(), x.op(), value.apply(x.value()), value.apply(x.lane()));
      case Stmt.TileStep x -> {
        List<Stmt.TilePlace> tiles = new ArrayList<>();
        for (Stmt.TilePlace tile : x.tiles()) {
          Expr at = place.apply(tile.offset());
          tiles.add(new Stmt.TilePlace(tile.buffer(), at, value.apply(tile.stride())));
        }
        yield new Stmt.TileStep(x.op(), x.rows(), x.columns(), x.depth(), x.sums(), tiles);
      }
      case Stmt.Array _, Stmt.Comment _, Stmt.Leave _, Stmt.Repeat _, Stmt.Barrier _ -> s;
    };
  }

  /** Rebuilds a step with each step inside replaced. */
  public static Stmt mapInner(Stmt s, UnaryOperator<Stmt> body) {
    return map(s, e -> e, e -> e, body);
  }

  /** Rebuilds a step with every expression that stands in it, at any depth, replaced. */
  public static Stmt mapExpressions(Stmt s, UnaryOperator<Expr> f) {
    return map(s, f, f, body -> mapExpressions(body, f));
  }

  /** Rebuilds steps from the inside, each by a rule. */
  public static Stmt rebuild(Stmt s, UnaryOperator<Stmt> rule) {
    return rule.apply(mapInner(s, body -> rebuild(body, rule)));
  }

  /** Returns the steps inside a step. */
  public static List<Stmt> inner(Stmt s) {
    return switch (s) {
      case Stmt.Block x -> x.steps();
      case Stmt.For x -> List.of(x.body());
      case Stmt.If x -> List.of(x.body(), x.otherwise());
      case Stmt.Labeled x -> List.of(x.body());
      case Stmt.Loop x -> List.of(x.body());
      case Stmt.Items x -> List.of(x.body());
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Array _, Stmt.Comment _ -> List.of();
      case Stmt.Leave _, Stmt.Repeat _, Stmt.Atomic _, Stmt.Barrier _ -> List.of();
      case Stmt.Exchange _, Stmt.TileStep _ -> List.of();
    };
  }

  /** Returns the expressions that stand in a step itself. */
  public static List<Expr> expressions(Stmt s) {
    return switch (s) {
      case Stmt.Let x -> List.of(x.value());
      case Stmt.Assign x -> List.of(x.value());
      case Stmt.Store x -> List.of(x.offset(), x.value());
      case Stmt.For x -> List.of(x.from(), x.to());
      case Stmt.If x -> List.of(x.condition());
      case Stmt.Items x -> List.of(x.count());
      case Stmt.Atomic x -> List.of(x.offset(), x.value(), x.expected());
      case Stmt.Exchange x -> List.of(x.value(), x.lane());
      case Stmt.TileStep x ->
          x.tiles().stream().flatMap(tile -> Stream.of(tile.offset(), tile.stride())).toList();
      case Stmt.Block _, Stmt.Array _, Stmt.Comment _, Stmt.Barrier _ -> List.of();
      case Stmt.Labeled _, Stmt.Loop _, Stmt.Leave _, Stmt.Repeat _ -> List.of();
    };
  }

  /** Calls {@code f} for every step, outermost first. */
  public static void walk(Stmt s, Consumer<Stmt> f) {
    f.accept(s);
    for (Stmt step : inner(s)) {
      walk(step, f);
    }
  }

  /** Calls {@code f} for every expression that stands in a step, not for those within them. */
  public static void expressions(Stmt s, Consumer<Expr> f) {
    walk(s, step -> expressions(step).forEach(f));
  }

  /** Returns whether a condition holds for a step or one inside it. */
  public static boolean contains(Stmt s, Predicate<Stmt> wanted) {
    return wanted.test(s) || contains(inner(s), wanted);
  }

  public static boolean contains(List<Stmt> steps, Predicate<Stmt> wanted) {
    for (Stmt step : steps) {
      if (contains(step, wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first step of a kind; null if there is none. */
  public static <S extends Stmt> @Nullable S find(Stmt s, Class<S> kind) {
    if (kind.isInstance(s)) {
      return kind.cast(s);
    }
    for (Stmt step : inner(s)) {
      S found = find(step, kind);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Returns whether a condition holds for an expression in a step, or something within one. */
  public static boolean mentions(Stmt s, Predicate<Expr> wanted) {
    return contains(s, step -> expressions(step).stream().anyMatch(e -> contains(e, wanted)));
  }

  /** Returns the number of steps. */
  public static int size(Stmt s) {
    int[] count = new int[1];
    walk(s, _ -> count[0]++);
    return count[0];
  }

  /** Returns the variable that a step makes or changes; null if it does neither. */
  public static @Nullable Var given(Stmt s) {
    return s instanceof Stmt.Let let ? let.variable() : changed(s);
  }

  private static @Nullable Var changed(Stmt s) {
    return switch (s) {
      case Stmt.Assign assign -> assign.variable();
      case Stmt.Atomic atomic -> atomic.old();
      case Stmt.Exchange exchange -> exchange.result();
      default -> null;
    };
  }

  private static <T> Set<T> collect(Stmt s, Function<Stmt, @Nullable T> found) {
    Set<T> all = new HashSet<>();
    walk(
        s,
        step -> {
          T each = found.apply(step);
          if (each != null) {
            all.add(each);
          }
        });
    return all;
  }

  /** Returns the variables that are given values after they were made. */
  public static Set<Var> assigned(Stmt s) {
    return collect(s, Ir::changed);
  }

  public static Set<Var> assigned(List<Stmt> steps) {
    return assigned(new Stmt.Block(steps));
  }

  /** Returns the variables that steps make. */
  public static Set<Var> made(Stmt s) {
    return collect(s, step -> step instanceof Stmt.Let let ? let.variable() : null);
  }

  /** Returns the buffers whose elements steps write. */
  public static Set<Buffer> stored(Stmt s) {
    return collect(
        s,
        step ->
            switch (step) {
              case Stmt.Store store -> store.buffer();
              case Stmt.Atomic atomic -> atomic.buffer();
              default -> null;
            });
  }

  /** Returns the buffers whose elements expressions of steps read. */
  public static Set<Buffer> loaded(Stmt s) {
    Set<Buffer> loaded = new HashSet<>();
    expressions(
        s,
        e ->
            walk(
                e,
                x -> {
                  if (x instanceof Load load) {
                    loaded.add(load.buffer());
                  }
                }));
    return loaded;
  }

  /**
   * Refuses steps that lifted methods have and array programs do not: what moves code from step to
   * step knows no jumps.
   */
  static void requireProgram(Stmt body) {
    walk(
        body,
        s -> {
          switch (s) {
            case Stmt.Labeled _, Stmt.Loop _, Stmt.Leave _, Stmt.Repeat _, Stmt.Items _ ->
                throw notOfPrograms(s);
            case Stmt.Barrier _, Stmt.Exchange _, Stmt.TileStep _ -> throw notOfPrograms(s);
            default -> {}
          }
        });
  }

  public static IllegalArgumentException notOfPrograms(Stmt s) {
    return new IllegalArgumentException(s + " is not a step of array programs");
  }

  /** Returns the steps of a block, or the statement itself. */
  public static List<Stmt> steps(Stmt s) {
    return s instanceof Stmt.Block block ? block.steps() : List.of(s);
  }

  /** Combines two indices. */
  public static Expr index(BinaryOp op, Expr left, Expr right) {
    return Simplify.rule(new Binary(op, left, right), false);
  }

  /** Returns the smaller of two indices. */
  public static Expr min(Expr left, Expr right) {
    return Simplify.rule(new Select(new Binary(BinaryOp.LT, left, right), left, right), false);
  }
}
