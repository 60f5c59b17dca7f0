package dev.rialto.jit.lift.block;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Stmt;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The steps that all items of a block do together: barriers, and the conditions and loops around
 * them.
 */
public final class Collective {
  private final String end;
  private final Set<String> labels = new HashSet<>();

  /**
   * Looks at steps.
   *
   * @param end the label that items leave when they return, each for itself
   */
  public Collective(List<Stmt> body, String end) {
    this.end = end;
    int before;
    do {
      before = labels.size();
      body.forEach(
          s ->
              Ir.walk(
                  s,
                  x -> {
                    switch (x) {
                      case Stmt.Labeled(String label, Stmt inner) -> mark(label, inner);
                      case Stmt.Loop(String label, Stmt inner) -> mark(label, inner);
                      default -> {}
                    }
                  }));
    } while (labels.size() > before);
  }

  private void mark(String label, Stmt inner) {
    if (!label.equals(end) && test(inner)) {
      labels.add(label);
    }
  }

  public boolean test(Stmt s) {
    return Ir.contains(
        s,
        x ->
            x instanceof Stmt.Barrier
                || (x instanceof Stmt.Leave(String label) && labels.contains(label))
                || (x instanceof Stmt.Repeat(String next) && labels.contains(next)));
  }
}
