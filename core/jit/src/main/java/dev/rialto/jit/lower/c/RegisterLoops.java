package dev.rialto.jit.lower.c;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loops over arrays of an item's own that a GPU's compiler is told to unroll: with indices that are
 * constants, elements are registers, and else memory.
 */
final class RegisterLoops {
  /** With more turns in all, loops inside one another are not unrolled. */
  private static final long MOST_TURNS = 1024;

  private final Set<Buffer> own = new HashSet<>();

  RegisterLoops(Procedure procedure) {
    Stmt.Items items = Items.of(procedure);
    if (items != null) {
      Ir.walk(
          items.body(),
          s -> {
            if (s instanceof Stmt.Array(Buffer b)) {
              own.add(b);
            }
          });
    }
  }

  boolean isOne(Stmt.Loop loop) {
    long turns = turns(loop);
    return turns > 0 && turns <= MOST_TURNS && usesOwn(loop.body());
  }

  /** The turns of a loop and of the longest one in it, multiplied; 0 if they are not known. */
  private static long turns(Stmt.Loop loop) {
    Expr.Const end = end(loop);
    if (end == null || end.bits() < 1 || end.bits() > MOST_TURNS) {
      return 0;
    }
    long[] inner = {1};
    Ir.walk(
        loop.body(),
        s -> {
          if (s instanceof Stmt.Loop other) {
            inner[0] = Math.max(inner[0], turns(other));
          }
        });
    return end.bits() * inner[0];
  }

  /** Returns the constant that a loop's counter is compared with first; null if it is none. */
  private static Expr.@Nullable Const end(Stmt.Loop loop) {
    List<Stmt> steps = Ir.steps(loop.body());
    return !steps.isEmpty()
            && steps.getFirst() instanceof Stmt.If(Expr.Binary compared, Stmt then, _)
            && compared.op() == Expr.BinaryOp.LE
            && compared.left() instanceof Expr.Const end
            && compared.right() instanceof Expr.Var
            && Ir.steps(then).stream().anyMatch(s -> s instanceof Stmt.Leave)
        ? end
        : null;
  }

  private boolean usesOwn(Stmt body) {
    return Ir.stored(body).stream().anyMatch(own::contains)
        || Ir.loaded(body).stream().anyMatch(own::contains);
  }
}
