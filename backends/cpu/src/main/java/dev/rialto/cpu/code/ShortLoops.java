package dev.rialto.cpu.code;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes loops of a few turns that are known turn by turn.
 *
 * <p>The JVM does that itself with the smallest only, and makes three loops of the others, to look
 * at bounds of arrays fewer times. Items that write 16 numbers each took 1.4 times as long by
 * these.
 */
final class ShortLoops {
  private static final int MOST_TURNS = 16;

  /** Of all that a loop around them has then, so that it stays in one method. */
  private static final int MOST_BYTES = 4500;

  private ShortLoops() {}

  static Stmt apply(Stmt s) {
    return switch (s) {
      case Stmt.Block x -> new Stmt.Block(x.steps().stream().map(ShortLoops::apply).toList());
      case Stmt.For x -> {
        Stmt body = apply(x.body());
        Stmt inner = bytes(body) > MOST_BYTES && isStraight(body) ? x.body() : body;
        yield written(new Stmt.For(x.index(), x.from(), x.to(), x.step(), inner));
      }
      case Stmt.If x -> new Stmt.If(x.condition(), apply(x.body()), apply(x.otherwise()));
      case Stmt.Labeled x -> new Stmt.Labeled(x.label(), apply(x.body()));
      case Stmt.Loop x -> new Stmt.Loop(x.label(), apply(x.body()));
      default -> s;
    };
  }

  private static Stmt written(Stmt.For loop) {
    if (!(loop.from() instanceof Expr.Const from)
        || !(loop.to() instanceof Expr.Const to)
        || !isStraight(loop.body())
        || gathers(loop.body())) {
      return loop;
    }
    long turns = (to.bits() - from.bits() + loop.step() - 1) / loop.step();
    long calls = turns * calls(loop.body());
    if (turns > MOST_TURNS
        || turns * bytes(loop.body()) > MOST_BYTES
        || calls < 1
        || calls > Methods.MOST_CALLS) {
      return loop;
    }
    List<Stmt> all = new ArrayList<>();
    for (long at = from.bits(); at < to.bits(); at += loop.step()) {
      Stmt.Let index = new Stmt.Let(loop.index(), Expr.of(at));
      // Names what has variables of its own; nothing leaves by it.
      all.add(new Stmt.Labeled("turn", new Stmt.Block(List.of(index, loop.body()))));
    }
    return new Stmt.Block(all);
  }

  /** Whether a value decides which element is touched: those waits are for memory anyway. */
  private static boolean gathers(Stmt body) {
    Set<Expr.Var> given = new HashSet<>();
    Set<Expr> places = new HashSet<>();
    Parts.walk(
        body,
        s -> {
          switch (s) {
            case Stmt.Let let -> given.add(let.variable());
            case Stmt.Assign assign -> given.add(assign.variable());
            case Stmt.Store store -> places.add(store.offset());
            default -> {}
          }
          for (Expr e : Parts.expressions(s)) {
            Parts.walk(
                e,
                x -> {
                  if (x instanceof Expr.Load load) {
                    places.add(load.offset());
                  }
                });
          }
        });
    boolean[] found = new boolean[1];
    places.forEach(
        place ->
            Parts.walk(
                place,
                x ->
                    found[0] |=
                        x instanceof Expr.Load || (x instanceof Expr.Var v && given.contains(v))));
    return found[0];
  }

  private static int bytes(Stmt s) {
    int[] bytes = new int[1];
    Parts.walk(s, step -> bytes[0] += CodeSize.own(step));
    return bytes[0];
  }

  private static int calls(Stmt s) {
    int[] calls = new int[1];
    Parts.walk(s, step -> calls[0] += CodeSize.calls(step));
    return calls[0];
  }

  private static boolean isStraight(Stmt s) {
    return switch (s) {
      case Stmt.Block x -> x.steps().stream().allMatch(ShortLoops::isStraight);
      case Stmt.If x -> isStraight(x.body()) && isStraight(x.otherwise());
      case Stmt.Labeled x -> isStraight(x.body());
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Atomic _, Stmt.Leave _, Stmt.Comment _ ->
          true;
      default -> false;
    };
  }
}
