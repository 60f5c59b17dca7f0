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
    return Ir.find(procedure.body(), Stmt.Items.class);
  }

  /** Returns whether a step is done once for all items of a block. */
  static boolean shares(Procedure procedure, Stmt step) {
    Stmt.Items items = of(procedure);
    if (items == null) {
      return false;
    }
    return !Ir.contains(items.body(), step::equals);
  }
}
