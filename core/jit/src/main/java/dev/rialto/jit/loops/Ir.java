package dev.rialto.jit.loops;

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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Walking and rebuilding loops. */
public final class Ir {
  private Ir() {}

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

  /** Returns whether an expression is the quotient or remainder of integers. */
  public static boolean isDivision(Expr e) {
    return e instanceof Binary(BinaryOp op, Expr left, Expr _)
        && (op == BinaryOp.DIV || op == BinaryOp.REM)
        && !left.type().isFloat();
  }

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
    operands(e).forEach(operand -> walk(operand, f));
  }

  /** Rebuilds an expression bottom-up. */
  public static Expr rewrite(Expr e, Function<Expr, Expr> rule) {
    return rule.apply(map(e, operand -> rewrite(operand, rule)));
  }

  /** Rebuilds a statement with every expression that stands in it, at any depth, replaced. */
  public static Stmt mapExpressions(Stmt s, Function<Expr, Expr> f) {
    return switch (s) {
      case Stmt.Block x ->
          new Stmt.Block(x.steps().stream().map(step -> mapExpressions(step, f)).toList());
      case Stmt.Let x -> new Stmt.Let(x.variable(), f.apply(x.value()));
      case Stmt.Assign x -> new Stmt.Assign(x.variable(), f.apply(x.value()));
      case Stmt.Store x -> new Stmt.Store(x.buffer(), f.apply(x.offset()), f.apply(x.value()));
      case Stmt.For x ->
          new Stmt.For(
              x.index(), f.apply(x.from()), f.apply(x.to()), x.step(), mapExpressions(x.body(), f));
      case Stmt.If x ->
          new Stmt.If(
              f.apply(x.condition()),
              mapExpressions(x.body(), f),
              mapExpressions(x.otherwise(), f));
      case Stmt.Labeled x -> new Stmt.Labeled(x.label(), mapExpressions(x.body(), f));
      case Stmt.Loop x -> new Stmt.Loop(x.label(), mapExpressions(x.body(), f));
      case Stmt.Atomic x ->
          new Stmt.Atomic(
              x.old(),
              x.op(),
              x.buffer(),
              f.apply(x.offset()),
              f.apply(x.value()),
              f.apply(x.expected()));
      case Stmt.Exchange x ->
          new Stmt.Exchange(x.result(), x.op(), f.apply(x.value()), f.apply(x.lane()));
      case Stmt.Items x ->
          new Stmt.Items(x.local(), f.apply(x.count()), x.most(), mapExpressions(x.body(), f));
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
                              tile.buffer(), f.apply(tile.offset()), f.apply(tile.stride())))
                  .toList());
      case Stmt.Array _, Stmt.Comment _, Stmt.Leave _, Stmt.Repeat _, Stmt.Barrier _ -> s;
    };
  }

  /** Calls {@code f} for every statement, outermost first. */
  public static void walk(Stmt s, Consumer<Stmt> f) {
    f.accept(s);
    switch (s) {
      case Stmt.Block x -> x.steps().forEach(step -> walk(step, f));
      case Stmt.For x -> walk(x.body(), f);
      case Stmt.If x -> {
        walk(x.body(), f);
        walk(x.otherwise(), f);
      }
      case Stmt.Labeled x -> walk(x.body(), f);
      case Stmt.Loop x -> walk(x.body(), f);
      case Stmt.Items x -> walk(x.body(), f);
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Array _, Stmt.Comment _ -> {}
      case Stmt.Leave _, Stmt.Repeat _, Stmt.Atomic _, Stmt.Barrier _, Stmt.Exchange _ -> {}
      case Stmt.TileStep _ -> {}
    }
  }

  /** Returns the variables that are given values after they were made. */
  public static Set<Var> assigned(Stmt s) {
    Set<Var> found = new HashSet<>();
    walk(
        s,
        step -> {
          switch (step) {
            case Stmt.Assign assign -> found.add(assign.variable());
            case Stmt.Atomic atomic -> found.add(atomic.old());
            case Stmt.Exchange exchange -> found.add(exchange.result());
            default -> {}
          }
        });
    return found;
  }

  /** Calls {@code f} for every expression that stands in a statement, not for those within them. */
  public static void expressions(Stmt s, Consumer<Expr> f) {
    walk(
        s,
        step -> {
          switch (step) {
            case Stmt.Let x -> f.accept(x.value());
            case Stmt.Assign x -> f.accept(x.value());
            case Stmt.Store x -> {
              f.accept(x.offset());
              f.accept(x.value());
            }
            case Stmt.For x -> {
              f.accept(x.from());
              f.accept(x.to());
            }
            case Stmt.If x -> f.accept(x.condition());
            case Stmt.Items x -> f.accept(x.count());
            case Stmt.Atomic x -> {
              f.accept(x.offset());
              f.accept(x.value());
              f.accept(x.expected());
            }
            case Stmt.Exchange x -> {
              f.accept(x.value());
              f.accept(x.lane());
            }
            case Stmt.TileStep x ->
                x.tiles()
                    .forEach(
                        tile -> {
                          f.accept(tile.offset());
                          f.accept(tile.stride());
                        });
            case Stmt.Block _, Stmt.Array _, Stmt.Comment _ -> {}
            case Stmt.Labeled _, Stmt.Loop _, Stmt.Leave _, Stmt.Repeat _, Stmt.Barrier _ -> {}
          }
        });
  }

  /** Refuses a step that lifted methods have and array programs do not. */
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
