package dev.rialto.jit.lower.arithmetic;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs loops without the exact reduction of large angles where there are none. A branch in a loop
 * keeps compilers from vectorising it, so a loop is cut into pieces: each is first searched for
 * large angles, and only pieces that have some keep the branch. Both forms give the same bits.
 *
 * <p>The search computes angles a second time, so loops that read what they write, or sum up, stay.
 */
public final class LargeAngles {
  /** Turns of a loop in a piece, which stays in the nearest cache. */
  private static final int TURNS = 512;

  private LargeAngles() {}

  /** Cuts the loops in a statement. */
  public static Stmt apply(Stmt s) {
    return switch (s) {
      case Stmt.Block block ->
          new Stmt.Block(block.steps().stream().map(LargeAngles::apply).toList());
      case Stmt.For loop when canBeCut(loop) -> cut(loop);
      case Stmt.For(Var index, Expr from, Expr to, long step, Stmt body) ->
          new Stmt.For(index, from, to, step, apply(body));
      default -> s;
    };
  }

  private static boolean canBeCut(Stmt.For loop) {
    Set<Buffer> loaded = new HashSet<>();
    boolean rare = false;
    for (Stmt step : Ir.steps(loop.body())) {
      if (step instanceof Stmt.If branch && branch.condition() instanceof Expr.Any) {
        rare = true;
        continue;
      }
      if (!(step instanceof Stmt.Let || step instanceof Stmt.Store)) {
        return false;
      }
      loaded.addAll(Ir.loaded(step));
    }
    // A buffer that is merged may be the memory that is written.
    return rare
        && Collections.disjoint(loaded, Ir.stored(loop.body()))
        && loaded.stream().noneMatch(b -> b.name().endsWith("_merge"));
  }

  private static Stmt cut(Stmt.For loop) {
    String stem = loop.index().name();
    Var first = new Var(stem + "_first", Type.I64);
    Var end = new Var(stem + "_end", Type.I64);
    Map<Expr, Var> found = new LinkedHashMap<>();
    for (Stmt step : Ir.steps(loop.body())) {
      if (step instanceof Stmt.If(Expr.Any(Expr large), _, _)) {
        Type type = large.type().withKind(Type.Kind.I64);
        found.computeIfAbsent(large, _ -> new Var(stem + "_large" + found.size(), type));
      }
    }
    long piece = TURNS * loop.step();
    Expr next = Ir.index(BinaryOp.ADD, first, Expr.of(piece));
    List<Stmt> steps = new ArrayList<>();
    steps.add(new Stmt.Let(end, Ir.min(next, loop.to())));
    found.values().forEach(v -> steps.add(new Stmt.Let(v, lanes(v, 0))));
    steps.add(without(loop, first, end, found));
    steps.add(
        new Stmt.If(
            found.values().stream()
                .<Expr>map(v -> new Expr.Any(new Expr.Binary(BinaryOp.NE, v, lanes(v, 0))))
                .reduce((x, y) -> new Expr.Binary(BinaryOp.OR, x, y))
                .orElseThrow(),
            new Stmt.For(loop.index(), first, end, loop.step(), loop.body()),
            without(loop, first, end, Map.of())));
    return new Stmt.For(first, loop.from(), loop.to(), piece, new Stmt.Block(steps));
  }

  /** Returns a number for each lane of a variable. */
  private static Expr lanes(Var like, long number) {
    Expr one = Expr.of(number);
    return like.type().lanes() == 1 ? one : new Expr.Splat(like.type().lanes(), one);
  }

  /**
   * The loop without its branches; or the search, which remembers where a condition held, lane by
   * lane: asking all lanes in each turn would cost more than the rest of it.
   */
  private static Stmt without(Stmt.For loop, Var first, Var end, Map<Expr, Var> found) {
    String suffix = found.isEmpty() ? "_small" : "_seen";
    Map<Expr, Expr> names = new HashMap<>();
    Var index = new Var(loop.index().name() + suffix, Type.I64);
    names.put(loop.index(), index);
    Set<Expr> conditions = new HashSet<>();
    List<Stmt> steps = new ArrayList<>();
    for (Stmt step : Ir.steps(loop.body())) {
      if (step instanceof Stmt.Let(Var v, Expr e)) {
        Expr value = Ir.replace(e, names);
        Var own = new Var(v.name() + suffix, v.type());
        names.put(v, own);
        steps.add(new Stmt.Let(own, value));
      } else if (step instanceof Stmt.Store && found.isEmpty()) {
        steps.add(Ir.mapExpressions(step, e -> Ir.replace(e, names)));
      } else if (step instanceof Stmt.If(Expr.Any(Expr large), _, _)
          && found.containsKey(large)
          && conditions.add(large)) {
        Var seen = found.get(large);
        Expr held = new Expr.Select(Ir.replace(large, names), lanes(seen, 1), lanes(seen, 0));
        steps.add(new Stmt.Assign(seen, new Expr.Binary(BinaryOp.OR, seen, held)));
      }
    }
    return new Stmt.For(index, first, end, loop.step(), new Stmt.Block(steps));
  }
}
