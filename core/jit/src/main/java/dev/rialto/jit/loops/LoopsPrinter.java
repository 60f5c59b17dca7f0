package dev.rialto.jit.loops;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import java.util.List;
import java.util.Locale;

/** Prints loops for people. */
public final class LoopsPrinter {
  private final StringBuilder out = new StringBuilder();

  private LoopsPrinter() {}

  public static String print(List<Procedure> procedures) {
    LoopsPrinter printer = new LoopsPrinter();
    for (Procedure procedure : procedures) {
      printer.line(
          0,
          "%s over %s, parts of %s or more"
              .formatted(procedure.name(), procedure.items(), procedure.grain().atLeast()));
      for (Buffer buffer : procedure.parameters()) {
        printer.line(
            2, "buffer %s %s[%s]".formatted(buffer.name(), word(buffer), buffer.elements()));
      }
      printer.print(procedure.body(), 2);
    }
    return printer.out.toString();
  }

  private static String word(Buffer buffer) {
    return word(buffer.storage());
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private void print(Stmt s, int depth) {
    switch (s) {
      case Stmt.Block block -> block.steps().forEach(step -> print(step, depth));
      case Stmt.Let(Expr.Var v, Expr e) ->
          line(depth, "%s %s = %s".formatted(v.type(), v.name(), text(e)));
      case Stmt.Assign(Expr.Var v, Expr e) -> line(depth, "%s = %s".formatted(v.name(), text(e)));
      case Stmt.Store(Buffer b, Expr at, Expr e) ->
          line(
              depth,
              "%s[%s%s] = %s".formatted(b.name(), text(at), lanes(e.type().lanes()), text(e)));
      case Stmt.For f -> {
        String by = f.step() == 1 ? "" : " by " + f.step();
        line(
            depth,
            "for %s from %s to %s%s".formatted(f.index().name(), text(f.from()), text(f.to()), by));
        print(f.body(), depth + 1);
      }
      case Stmt.If branch -> {
        line(depth, "if " + text(branch.condition()));
        print(branch.body(), depth + 1);
        if (!Ir.steps(branch.otherwise()).isEmpty()) {
          line(depth, "else");
          print(branch.otherwise(), depth + 1);
        }
      }
      case Stmt.Labeled(String label, Stmt body) -> {
        line(depth, "step " + label);
        print(body, depth + 1);
      }
      case Stmt.Loop(String label, Stmt body) -> {
        line(depth, "loop " + label);
        print(body, depth + 1);
      }
      case Stmt.Leave(String label) -> line(depth, "leave " + label);
      case Stmt.Repeat(String label) -> line(depth, "repeat " + label);
      case Stmt.Atomic(
              Expr.Var old,
              Stmt.AtomicOp op,
              Buffer b,
              Expr at,
              Expr e,
              Expr expected) -> {
        String only = op == Stmt.AtomicOp.COMPARE_AND_SET ? " if " + text(expected) : "";
        line(
            depth,
            "%s = atomic %s %s[%s], %s%s"
                .formatted(old.name(), word(op), b.name(), text(at), text(e), only));
      }
      case Stmt.Items(Expr.Var local, Expr count, int most, Stmt body) -> {
        line(depth, "items %s to %s, at most %s".formatted(local.name(), text(count), most));
        print(body, depth + 1);
      }
      case Stmt.Barrier _ -> line(depth, "barrier");
      case Stmt.TileStep x -> line(depth, x.toString());
      case Stmt.Exchange(Expr.Var result, Stmt.ExchangeOp op, Expr e, Expr lane) ->
          line(depth, "%s = %s(%s, %s)".formatted(result.name(), word(op), text(e), text(lane)));
      case Stmt.Array(Buffer b) ->
          line(depth, "local %s %s[%s]".formatted(b.name(), word(b), b.elements()));
      case Stmt.Comment(String text) -> line(depth, "# " + text);
    }
  }

  private static String lanes(int lanes) {
    return lanes == 1 ? "" : " : " + lanes;
  }

  static String text(Expr e) {
    return switch (e) {
      case Expr.Const c -> c.type().isFloat() ? Double.toString(c.real()) : Long.toString(c.bits());
      case Expr.Var v -> v.name();
      case Expr.Load(Buffer b, Expr at, int n) -> b.name() + "[" + text(at) + lanes(n) + "]";
      case Expr.Unary(Expr.UnaryOp op, Expr x) ->
          op.name().toLowerCase(Locale.ROOT) + "(" + text(x) + ")";
      case Expr.Binary(Expr.BinaryOp op, Expr x, Expr y) ->
          op.isFunction()
              ? op.symbol() + "(" + text(x) + ", " + text(y) + ")"
              : "(" + text(x) + " " + op.symbol() + " " + text(y) + ")";
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          "fma(" + text(a) + ", " + text(b) + ", " + text(c) + ")";
      case Expr.Select(Expr c, Expr x, Expr y) ->
          "(" + text(c) + " ? " + text(x) + " : " + text(y) + ")";
      case Expr.Convert(var type, Expr x) -> type + "(" + text(x) + ")";
      case Expr.Saturate(var type, Expr x) -> "saturated." + type + "(" + text(x) + ")";
      case Expr.Bits(var type, Expr x) -> "bits." + type + "(" + text(x) + ")";
      case Expr.Splat(int n, Expr x) -> "splat" + n + "(" + text(x) + ")";
      case Expr.Ramp(Expr x, int n) -> "ramp" + n + "(" + text(x) + ")";
      case Expr.Lane(Expr x, int lane) -> text(x) + "." + lane;
      case Expr.Any(Expr x) -> "any(" + text(x) + ")";
    };
  }
}
