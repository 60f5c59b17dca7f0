package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Divides a procedure into a method per outermost loop, each with the variables in front of it. The
 * JVM never compiles methods beyond 8000 bytes, and optimizes smaller ones better. Where a loop
 * changes what those variables are made of, all stays in one method.
 */
final class MethodParts {
  private final Set<Buffer> stored = new HashSet<>();
  private final Set<Expr.Var> assigned = new HashSet<>();

  private MethodParts() {}

  static List<List<Stmt>> of(Stmt body) {
    List<Stmt> steps = body instanceof Stmt.Block block ? block.steps() : List.of(body);
    MethodParts changes = new MethodParts();
    steps.forEach(changes::note);
    List<List<Stmt>> parts = new ArrayList<>();
    List<Stmt> variables = new ArrayList<>();
    for (Stmt step : steps) {
      switch (step) {
        case Stmt.Let(Expr.Var v, Expr e)
            when !changes.assigned.contains(v) && !changes.affect(e) ->
            variables.add(step);
        case Stmt.For _ -> {
          List<Stmt> part = new ArrayList<>(variables);
          part.add(step);
          parts.add(part);
        }
        case Stmt.Comment _ -> {}
        default -> {
          return List.of(steps);
        }
      }
    }
    return parts;
  }

  private void note(Stmt s) {
    switch (s) {
      case Stmt.Block block -> block.steps().forEach(this::note);
      case Stmt.For loop -> note(loop.body());
      case Stmt.If branch -> {
        note(branch.body());
        note(branch.otherwise());
      }
      case Stmt.Labeled step -> note(step.body());
      case Stmt.Loop loop -> note(loop.body());
      case Stmt.Atomic atomic -> {
        stored.add(atomic.buffer());
        assigned.add(atomic.old());
      }
      case Stmt.Items items -> note(items.body());
      case Stmt.Leave _, Stmt.Repeat _, Stmt.Barrier _ -> {}
      case Stmt.Store store -> stored.add(store.buffer());
      case Stmt.Assign assign -> assigned.add(assign.variable());
      case Stmt.Let _, Stmt.Array _, Stmt.Comment _ -> {}
    }
  }

  private boolean affect(Expr e) {
    return switch (e) {
      case Expr.Load load -> stored.contains(load.buffer()) || affect(load.offset());
      case Expr.Const _, Expr.Var _ -> false;
      case Expr.Unary x -> affect(x.value());
      case Expr.Binary x -> affect(x.left()) || affect(x.right());
      case Expr.Fma x -> affect(x.a()) || affect(x.b()) || affect(x.c());
      case Expr.Select x -> affect(x.condition()) || affect(x.yes()) || affect(x.no());
      case Expr.Convert x -> affect(x.value());
      case Expr.Saturate x -> affect(x.value());
      case Expr.Bits x -> affect(x.value());
      case Expr.Splat x -> affect(x.value());
      case Expr.Ramp x -> affect(x.base());
      case Expr.Lane x -> affect(x.value());
      case Expr.Any x -> affect(x.condition());
    };
  }
}
