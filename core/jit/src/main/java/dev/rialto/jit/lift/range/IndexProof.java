package dev.rialto.jit.lift.range;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lift.Axis;
import dev.rialto.jit.lift.GuardedSites;
import dev.rialto.jit.lift.IndexGuards;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.loops.IntegerRange;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sites of a launch whose index may be wrong. What a launch passes, its items, the
 * lengths of its arrays and its numbers, bounds the integers at each step; an index whose bounds
 * are the array's needs no guard.
 */
public final class IndexProof extends RangePass {
  private final Set<Integer> open = new TreeSet<>();

  private IndexProof(Map<Var, IntegerRange> given) {
    super(given);
  }

  /**
   * Looks at a launch.
   *
   * @param kernel with all sites guarded, {@linkplain GuardedSites#toProve to be proved}
   * @param numbers what the launch passes; null for a number that may be any
   * @param atMost whether it has so many items or fewer
   * @return the sites whose index may be wrong
   */
  public static Set<Integer> open(Lifted kernel, @Nullable Long[] numbers, boolean atMost) {
    Map<Var, IntegerRange> given = new HashMap<>();
    for (Stmt step : Ir.steps(kernel.procedure().body())) {
      if (step instanceof Stmt.Let(Var v, Expr e)) {
        IntegerRange range = passed(e, v.type(), numbers);
        if (range != null) {
          given.put(v, range);
        }
      }
    }
    places(kernel, given, atMost);
    IndexProof proof = new IndexProof(given);
    var _ = proof.all(kernel.procedure().body());
    if (!proof.isComplete()) {
      for (int i = 0; i < kernel.sites().size(); i++) {
        proof.open.add(i);
      }
    }
    return proof.open;
  }

  /** The number that a variable is given. */
  private static @Nullable IntegerRange passed(Expr e, Type type, @Nullable Long[] numbers) {
    Expr word = e instanceof Expr.Convert(Type _, Expr inner) ? inner : e;
    if (type.isFloat()
        || !(word instanceof Expr.Load(Buffer b, Expr at, int _))
        || !b.byValue()
        || !(at instanceof Const place)) {
      return null;
    }
    Long value = numbers[(int) place.bits()];
    if (value == null) {
      return null;
    }
    return IntegerRange.of(type.kind() == Type.Kind.I32 ? value.intValue() : value);
  }

  /** The places of items and blocks. */
  private static void places(Lifted kernel, Map<Var, IntegerRange> given, boolean atMost) {
    long all = 1;
    long allBlocks = 1;
    long size = 1;
    for (Axis axis : kernel.axes()) {
      long items = requireNonNull(given.get(axis.items())).max();
      long blocks = (items + axis.size() - 1) / axis.size();
      all *= items;
      allBlocks *= blocks;
      size *= axis.size();
      if (atMost) {
        given.put(axis.items(), new IntegerRange(0, items));
      }
      given.put(axis.block(), below(blocks));
      given.put(axis.first(), below(items));
      given.put(axis.count(), new IntegerRange(Math.min(1, items), axis.size()));
      given.put(axis.local(), below(axis.size()));
      given.put(axis.place(), below(items));
    }
    given.put(Axis.EVERY.place(), below(all));
    given.put(Axis.EVERY.block(), below(allBlocks));
    given.put(Axis.EVERY.local(), below(size));
    given.put(Axis.EVERY.count(), new IntegerRange(Math.min(1, all), size));
    given.put(kernel.procedure().begin(), IntegerRange.of(0));
    given.put(kernel.procedure().end(), IntegerRange.of(allBlocks));
  }

  private static IntegerRange below(long end) {
    return new IntegerRange(0, Math.max(0, end - 1));
  }

  @Override
  void branches(Stmt.If step, KnownValues here) {
    int site = IndexGuards.site(step);
    if (site >= 0 && !here.holds(step.condition(), true)) {
      open.add(site);
    }
  }
}
