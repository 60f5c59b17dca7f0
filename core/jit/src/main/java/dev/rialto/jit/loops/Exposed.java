package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds the variables that steps may read before they give them a value. */
public final class Exposed {
  private Exposed() {}

  /**
   * Looks at steps in order.
   *
   * @param written what has surely got a value; what the steps surely write is added
   * @param found what is read before is added
   */
  public static void read(List<Stmt> steps, Set<Var> written, Set<Var> found) {
    for (Stmt step : steps) {
      switch (step) {
        case Stmt.Block x -> read(x.steps(), written, found);
        case Stmt.If x -> {
          read(x.condition(), written, found);
          Set<Var> yes = new HashSet<>(written);
          Set<Var> no = new HashSet<>(written);
          read(Ir.steps(x.body()), yes, found);
          read(Ir.steps(x.otherwise()), no, found);
          if (jumps(x.body())) {
            written.addAll(no);
          } else {
            yes.retainAll(no);
            written.addAll(yes);
          }
        }
        case Stmt.For x -> {
          read(x.from(), written, found);
          read(x.to(), written, found);
          Set<Var> inside = new HashSet<>(written);
          inside.add(x.index());
          read(Ir.steps(x.body()), inside, found);
        }
        default -> {
          Ir.expressions(step).forEach(e -> read(e, written, found));
          Ir.inner(step).forEach(body -> read(Ir.steps(body), new HashSet<>(written), found));
          Var given = Ir.given(step);
          if (given != null) {
            written.add(given);
          }
        }
      }
    }
  }

  private static boolean jumps(Stmt body) {
    List<Stmt> steps = Ir.steps(body);
    return !steps.isEmpty()
        && (steps.getLast() instanceof Stmt.Leave || steps.getLast() instanceof Stmt.Repeat);
  }

  private static void read(Expr e, Set<Var> written, Set<Var> found) {
    for (Var v : Ir.uses(e)) {
      if (!written.contains(v)) {
        found.add(v);
      }
    }
  }
}
