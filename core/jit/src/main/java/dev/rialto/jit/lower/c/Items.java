package dev.rialto.jit.lower.c;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import org.jspecify.annotations.Nullable;

/** The items of the blocks of a procedure. */
final class Items {
  private Items() {}

  /** Returns the step that all items of a block do, or null if the procedure has no blocks. */
  static Stmt.@Nullable Items of(Procedure procedure) {
    Stmt.@Nullable Items[] found = new Stmt.Items[1];
    Ir.walk(
        procedure.body(),
        s -> {
          if (s instanceof Stmt.Items items) {
            found[0] = items;
          }
        });
    return found[0];
  }

  /** Returns whether a step is done once for all items of a block. */
  static boolean shares(Procedure procedure, Stmt step) {
    Stmt.Items items = of(procedure);
    if (items == null) {
      return false;
    }
    boolean[] inside = new boolean[1];
    Ir.walk(items.body(), s -> inside[0] |= s.equals(step));
    return !inside[0];
  }
}
