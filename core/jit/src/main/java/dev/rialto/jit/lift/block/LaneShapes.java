package dev.rialto.jit.lift.block;

import dev.rialto.jit.loops.Exposed;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values of an expression for items side by side: the same, numbers that grow by a constant
 * from lane to lane, or any.
 */
final class LaneShapes {
  static final long ANY = Long.MIN_VALUE;

  private final Map<Var, Long> shapes = new HashMap<>();
  private final Set<Var> changing = new HashSet<>();

  /** Finds the shapes of the variables of a loop over items. */
  LaneShapes(Stmt.For loop) {
    List<Stmt> body = new ArrayList<>();
    flatten(loop.body(), body);
    Set<Var> early = new HashSet<>();
    List<Stmt> behind = body.stream().filter(s -> !(s instanceof Stmt.Let)).toList();
    Exposed.read(behind, new HashSet<>(), early);
    changing.addAll(Ir.made(loop.body()));
    changing.addAll(Ir.assigned(body));
    shapes.put(loop.index(), 1L);
    Map<Var, Long> before;
    do {
      before = Map.copyOf(shapes);
      for (Stmt s : body) {
        // A first value that is never read decides nothing.
        if (!(s instanceof Stmt.Let(Var v, Expr.Const _)) || early.contains(v)) {
          visit(s, false);
        }
      }
    } while (!before.equals(shapes));
  }

  /** Adds the steps of a body that stand in no other step but blocks. */
  static void flatten(Stmt s, List<Stmt> steps) {
    if (s instanceof Stmt.Block block) {
      block.steps().forEach(step -> flatten(step, steps));
    } else {
      steps.add(s);
    }
  }

  /** Whether a variable gets its values in the loop. */
  boolean isOfLoop(Var v) {
    return changing.contains(v);
  }

  private void visit(Stmt s, boolean apart) {
    switch (s) {
      case Stmt.Block x -> x.steps().forEach(step -> visit(step, apart));
      case Stmt.Let(Var v, Expr e) -> note(v, apart ? ANY : of(e));
      case Stmt.Assign(Var v, Expr e) -> note(v, apart ? ANY : of(e));
      case Stmt.Atomic x -> note(x.old(), ANY);
      case Stmt.If x -> {
        boolean inside = apart || of(x.condition()) != 0;
        visit(x.body(), inside);
        visit(x.otherwise(), inside);
      }
      case Stmt.For x -> {
        note(x.index(), of(x.from()) == 0 && of(x.to()) == 0 ? 0 : ANY);
        visit(x.body(), apart);
      }
      case Stmt.Labeled x -> visit(x.body(), apart);
      case Stmt.Loop x -> visit(x.body(), apart);
      default -> {}
    }
  }

  private void note(Var v, long shape) {
    shapes.merge(v, shape, (a, b) -> a.equals(b) ? a : (Long) ANY);
  }

  /** The difference from lane to lane, or {@link #ANY}. */
  long of(Expr e) {
    return switch (e) {
      case Expr.Const _ -> 0;
      case Var v -> shapes.getOrDefault(v, 0L);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when isInteger(e.type()) ->
          combine(op, x, y, of(x), of(y));
      // An int that is a long's low bits grows as that does, but a longer number may jump.
      case Expr.Convert(Type type, Expr x) when type.kind() == Kind.I32 && isInteger(x.type()) ->
          of(x);
      case Expr.Load load -> of(load.offset()) == 0 ? 0 : ANY;
      default -> Ir.operands(e).stream().allMatch(x -> of(x) == 0) ? 0 : ANY;
    };
  }

  private static boolean isInteger(Type type) {
    return type.lanes() == 1 && (type.kind() == Kind.I32 || type.kind() == Kind.I64);
  }

  private static long combine(BinaryOp op, Expr left, Expr right, long x, long y) {
    if (x == ANY || y == ANY) {
      return ANY;
    }
    if (x == 0 && y == 0) {
      return 0;
    }
    Long times = right instanceof Expr.Const c ? (Long) c.bits() : null;
    long shape =
        switch (op) {
          case ADD -> x + y;
          case SUB -> x - y;
          case MUL -> times(x, times, left, y);
          case SHL -> times != null && times >= 0 && times < Integer.SIZE ? x << times : ANY;
          default -> ANY;
        };
    return Math.abs(shape) <= Integer.MAX_VALUE ? shape : ANY;
  }

  private static long times(long x, @Nullable Long times, Expr left, long y) {
    if (times != null) {
      return Math.abs(times) <= Integer.MAX_VALUE ? x * times : ANY;
    }
    return left instanceof Expr.Const c && Math.abs(c.bits()) <= Integer.MAX_VALUE
        ? y * c.bits()
        : ANY;
  }
}
