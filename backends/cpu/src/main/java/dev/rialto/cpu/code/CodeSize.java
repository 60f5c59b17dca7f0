package dev.rialto.cpu.code;

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
