package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;

/** An upper estimate of the bytes that steps take in a class file. */
final class CodeSize {
  private static final int VARIABLE = 5;
  private static final int ACCESS = 24;
  private static final int OPERATOR = 8;
  private static final int BRANCHES = 14;
  private static final int VECTOR = 18;
  private static final int LOOP = 40;

  private CodeSize() {}

  /** The bytes of a step without those that stand in it. */
  static int own(Stmt s) {
    int bytes =
        switch (s) {
          case Stmt.Let _, Stmt.Assign _ -> VARIABLE;
          case Stmt.Store _, Stmt.Atomic _ -> ACCESS;
          case Stmt.For _ -> LOOP;
          case Stmt.If _ -> BRANCHES;
          case Stmt.Array _ -> ACCESS;
          default -> VARIABLE;
        };
    for (Expr e : Parts.expressions(s)) {
      bytes += of(e);
    }
    return bytes;
  }

  /** Returns the calls in a step itself that only inlining makes fast. */
  static int calls(Stmt s) {
    int[] calls = new int[1];
    Parts.expressions(s).forEach(e -> Parts.walk(e, x -> calls[0] += isCall(x) ? 1 : 0));
    boolean stores = s instanceof Stmt.Store(Buffer b, Expr _, Expr e) && (!b.local() || isWide(e));
    return calls[0] + (stores ? 1 : 0);
  }

  private static boolean isCall(Expr e) {
    return switch (e) {
      case Expr.Var _ -> false;
      case Expr.Load load -> !load.buffer().local() || isWide(load);
      case Expr.Lane _, Expr.Any _ -> true;
      default -> isWide(e);
    };
  }

  private static boolean isWide(Expr e) {
    return e.type().lanes() > 1;
  }

  private static int of(Expr e) {
    int bytes =
        switch (e) {
          case Expr.Const _ -> VARIABLE;
          case Expr.Var _ -> VARIABLE;
          case Expr.Load _ -> ACCESS;
          case Expr.Select _ -> BRANCHES;
          case Expr.Binary b when b.op().compares() -> BRANCHES;
          default -> OPERATOR;
        };
    if (e.type().lanes() > 1 || e instanceof Expr.Lane || e instanceof Expr.Any) {
      bytes += VECTOR;
    }
    for (Expr operand : Parts.of(e)) {
      bytes += of(operand);
    }
    return bytes;
  }
}
