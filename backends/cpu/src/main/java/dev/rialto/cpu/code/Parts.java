package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.List;
import java.util.function.Consumer;

/** The parts of statements and expressions. */
final class Parts {
  private Parts() {}

  /** Returns the steps that stand in a statement. */
  static List<Stmt> of(Stmt s) {
    return switch (s) {
      case Stmt.Block x -> x.steps();
      case Stmt.For x -> List.of(x.body());
      case Stmt.If x -> List.of(x.body(), x.otherwise());
      case Stmt.Labeled x -> List.of(x.body());
      case Stmt.Loop x -> List.of(x.body());
      case Stmt.Items x -> List.of(x.body());
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Array _, Stmt.Comment _ -> List.of();
      case Stmt.Leave _, Stmt.Repeat _, Stmt.Atomic _, Stmt.Barrier _, Stmt.Exchange _ -> List.of();
      case Stmt.TileStep _ -> List.of();
    };
  }

  /** Returns the expressions that stand in a statement itself. */
  static List<Expr> expressions(Stmt s) {
    return switch (s) {
      case Stmt.Let x -> List.of(x.value());
      case Stmt.Assign x -> List.of(x.value());
      case Stmt.Store x -> List.of(x.offset(), x.value());
      case Stmt.For x -> List.of(x.from(), x.to());
      case Stmt.If x -> List.of(x.condition());
      case Stmt.Items x -> List.of(x.count());
      case Stmt.Atomic x -> List.of(x.offset(), x.value(), x.expected());
      case Stmt.Exchange x -> List.of(x.value(), x.lane());
      case Stmt.Block _, Stmt.Labeled _, Stmt.Loop _, Stmt.Array _, Stmt.Comment _ -> List.of();
      case Stmt.Leave _, Stmt.Repeat _, Stmt.Barrier _, Stmt.TileStep _ -> List.of();
    };
  }

  /** Returns the operands of an expression. */
  static List<Expr> of(Expr e) {
    return switch (e) {
      case Expr.Const _, Expr.Var _ -> List.of();
      case Expr.Load x -> List.of(x.offset());
      case Expr.Unary x -> List.of(x.value());
      case Expr.Binary x -> List.of(x.left(), x.right());
      case Expr.Fma x -> List.of(x.a(), x.b(), x.c());
      case Expr.Select x -> List.of(x.condition(), x.yes(), x.no());
      case Expr.Convert x -> List.of(x.value());
      case Expr.Saturate x -> List.of(x.value());
      case Expr.Bits x -> List.of(x.value());
      case Expr.Splat x -> List.of(x.value());
      case Expr.Ramp x -> List.of(x.base());
      case Expr.Lane x -> List.of(x.value());
      case Expr.Any x -> List.of(x.condition());
    };
  }

  /** Calls {@code f} for a statement and all in it, outermost first. */
  static void walk(Stmt s, Consumer<Stmt> f) {
    f.accept(s);
    of(s).forEach(step -> walk(step, f));
  }

  static void walk(Expr e, Consumer<Expr> f) {
    f.accept(e);
    of(e).forEach(operand -> walk(operand, f));
  }

  /** Calls {@code f} for the variables that the expressions in a statement, at any depth, use. */
  static void variables(Stmt s, Consumer<Expr.Var> f) {
    walk(
        s,
        step ->
            expressions(step)
                .forEach(
                    e ->
                        walk(
                            e,
                            x -> {
                              if (x instanceof Expr.Var v) {
                                f.accept(v);
                              }
                            })));
  }

  /** Calls {@code f} for the buffers that a statement itself touches. */
  static void buffers(Stmt s, Consumer<Buffer> f) {
    switch (s) {
      case Stmt.Store x -> f.accept(x.buffer());
      case Stmt.Atomic x -> f.accept(x.buffer());
      case Stmt.Array x -> f.accept(x.buffer());
      default -> {}
    }
    expressions(s)
        .forEach(
            e ->
                walk(
                    e,
                    x -> {
                      if (x instanceof Expr.Load load) {
                        f.accept(load.buffer());
                      }
                    }));
  }
}
