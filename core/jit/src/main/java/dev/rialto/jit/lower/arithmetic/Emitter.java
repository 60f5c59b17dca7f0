package dev.rialto.jit.lower.arithmetic;

import dev.rialto.jit.loops.Simplify;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Select;
import dev.rialto.spi.code.Expr.Splat;
import dev.rialto.spi.code.Expr.Unary;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes straight-line code: each operation becomes a variable, so that a value used twice is
 * computed once. A scalar that meets a vector is spread over its lanes.
 */
public final class Emitter {
  /** Makes names unique in a procedure. */
  public static final class Names {
    private int count;

    public Var fresh(String stem, Type type) {
      return new Var(stem + count++, type);
    }
  }

  private final Names names;
  private final List<Stmt> steps = new ArrayList<>();

  public Emitter(Names names) {
    this.names = names;
  }

  public Names names() {
    return names;
  }

  public void add(Stmt step) {
    steps.add(step);
  }

  public Stmt.Block block() {
    return new Stmt.Block(steps);
  }

  public Emitter nested() {
    return new Emitter(names);
  }

  public Expr let(Expr value) {
    if (value instanceof Var || value instanceof Const) {
      return value;
    }
    Var variable = names.fresh("t", value.type());
    steps.add(new Stmt.Let(variable, value));
    return variable;
  }

  public Expr binary(BinaryOp op, Expr x, Expr y) {
    int lanes = Math.max(x.type().lanes(), y.type().lanes());
    return let(Simplify.rule(new Binary(op, spread(x, lanes), spread(y, lanes)), false));
  }

  /** As above with a constant of the other operand's kind. */
  public Expr binary(BinaryOp op, Expr x, double y) {
    return binary(op, x, constant(x, y));
  }

  public Expr add(Expr x, Expr y) {
    return binary(BinaryOp.ADD, x, y);
  }

  public Expr sub(Expr x, Expr y) {
    return binary(BinaryOp.SUB, x, y);
  }

  public Expr mul(Expr x, Expr y) {
    return binary(BinaryOp.MUL, x, y);
  }

  Expr unary(UnaryOp op, Expr x) {
    return let(Simplify.rule(new Unary(op, x), false));
  }

  Expr select(Expr condition, Expr yes, Expr no) {
    int lanes = Math.max(condition.type().lanes(), Math.max(yes.type().lanes(), no.type().lanes()));
    return let(
        Simplify.rule(
            new Select(spread(condition, lanes), spread(yes, lanes), spread(no, lanes)), false));
  }

  public Expr convert(Type.Kind kind, Expr x) {
    return let(Simplify.rule(new Expr.Convert(x.type().withKind(kind), x), false));
  }

  Expr bits(Type.Kind kind, Expr x) {
    return let(Simplify.rule(new Expr.Bits(x.type().withKind(kind), x), false));
  }

  /** A scalar constant of an expression's kind. */
  public static Const constant(Expr like, double value) {
    return Expr.of(like.type().withLanes(1), value);
  }

  /** A scalar integer constant of an expression's kind. */
  public static Const integer(Expr like, long value) {
    return new Const(like.type().withLanes(1), value);
  }

  public static Expr spread(Expr x, int lanes) {
    return x.type().lanes() == lanes ? x : new Splat(lanes, x);
  }
}
