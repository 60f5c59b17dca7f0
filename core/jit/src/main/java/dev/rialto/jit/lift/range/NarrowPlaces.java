package dev.rialto.jit.lift.range;

import dev.rialto.jit.lift.Axis;
import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.block.BlockLoops;
import dev.rialto.jit.loops.IntegerRange;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Computes places in 32 bits, for launches of no more than {@link #MOST} items and elements: GPUs
 * have instructions of 32 bits only, and take several for a long product.
 *
 * <p>Where the bounds of its variables tell that a long fits, it is computed as an int. An offset
 * need not tell: one that is not an element's is undefined, so that the low bits of its parts are
 * enough. What is added last and is small is added as a long, so that neighbours have one address
 * with a constant behind it.
 */
public final class NarrowPlaces extends RangePass {
  /** Half of what ints hold, so that a place and its distance from another both fit. */
  public static final long MOST = 1L << 30;

  /** Variables that loops count in: compilers know a loop by the sum of longs that moves it. */
  private final Set<Var> counters;

  private NarrowPlaces(Map<Var, IntegerRange> given, Set<Var> counters) {
    super(given);
    this.counters = counters;
  }

  /** Rewrites the steps of a kernel's procedure. */
  public static Stmt apply(Stmt body, Lifted kernel) {
    IntegerRange counts = new IntegerRange(0, MOST);
    Map<Var, IntegerRange> given = new HashMap<>();
    given.put(kernel.procedure().begin(), counts);
    given.put(kernel.procedure().end(), counts);
    for (Axis axis : kernel.axes()) {
      given.put(axis.items(), counts);
      given.put(axis.block(), counts);
      given.put(axis.first(), counts);
      given.put(axis.count(), new IntegerRange(0, axis.size()));
      given.put(axis.local(), new IntegerRange(0, axis.size() - 1));
    }
    long most = kernel.axes().stream().mapToLong(Axis::size).reduce(1, (x, y) -> x * y);
    given.put(BlockLoops.LOCAL, new IntegerRange(0, most - 1));
    given.put(BlockLoops.COUNT, new IntegerRange(0, most));
    kernel.lengths().forEach(length -> given.put(length, counts));
    return new NarrowPlaces(given, counters(body)).all(body);
  }

  private static Set<Var> counters(Stmt body) {
    Set<Var> once = new HashSet<>();
    Set<Var> found = new HashSet<>();
    Ir.walk(
        body,
        s -> {
          if (s instanceof Stmt.Assign(Var v, Expr _) && !once.add(v)) {
            found.add(v);
          }
        });
    return found;
  }

  // --- Values -----------------------------------------------------------------------------------

  @Override
  Expr value(Expr e, KnownValues here) {
    return switch (e) {
      case Expr.Load(Buffer b, Expr at, int lanes) -> new Expr.Load(b, offset(at, here), lanes);
      case Binary(BinaryOp op, Expr x, Expr y) when op.compares() && isShort(x, y, here) ->
          new Binary(op, narrow(x, here), narrow(y, here));
      case Binary b when isNarrow(b, here) -> KernelCode.index(narrow(b, here));
      case Expr.Convert(Type type, Expr x) when type.isFloat() && isShort(x, x, here) ->
          new Expr.Convert(type, narrow(x, here));
      default -> Ir.map(e, x -> value(x, here));
    };
  }

  @Override
  Expr given(Expr e, KnownValues here) {
    return KernelCode.index(low(e, here));
  }

  /** Whether two longs are ints. */
  private boolean isShort(Expr x, Expr y, KnownValues here) {
    return x.type().equals(Type.I64)
        && here.range(x).isInt()
        && here.range(y).isInt()
        && Collections.disjoint(Ir.uses(x), counters)
        && Collections.disjoint(Ir.uses(y), counters);
  }

  /** Whether a long is an operator of ints that does not wrap around. */
  private boolean isNarrow(Binary b, KnownValues here) {
    return !b.op().compares()
        && isShort(b.left(), b.right(), here)
        && IntegerRange.isExact(b.op(), here.range(b.left()), here.range(b.right()), Type.I32);
  }

  /** A long that is an int, as one. */
  private Expr narrow(Expr e, KnownValues here) {
    return switch (e) {
      case Const c -> KernelCode.constant(Type.I32, c.bits());
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I32) -> value(x, here);
      case Binary b when isNarrow(b, here) ->
          KernelCode.binary(b.op(), narrow(b.left(), here), narrow(b.right(), here));
      case Expr.Select(Expr c, Expr x, Expr y) when isShort(x, y, here) ->
          KernelCode.select(value(c, here), narrow(x, here), narrow(y, here));
      default -> KernelCode.convert(Type.I32, value(e, here));
    };
  }

  // --- Offsets ----------------------------------------------------------------------------------

  @Override
  Expr offset(Expr e, KnownValues here) {
    return offset(e, MOST, here);
  }

  /** A part of an offset, from which no more than {@code room} is added up to the offset. */
  private Expr offset(Expr e, long room, KnownValues here) {
    if (e instanceof Binary(BinaryOp op, Expr x, Expr y)
        && (op == BinaryOp.ADD || op == BinaryOp.SUB)) {
      long left = size(x, here);
      long right = size(y, here);
      if (right <= room && right <= left) {
        return KernelCode.binary(op, offset(x, room - right, here), value(y, here));
      }
      if (left <= room && op == BinaryOp.ADD) {
        return KernelCode.binary(op, value(x, here), offset(y, room - left, here));
      }
    }
    boolean isLong = e instanceof Const || (e instanceof Var v && counters.contains(v));
    return isLong ? e : KernelCode.index(low(e, here));
  }

  /** The greatest magnitude of a number. */
  private static long size(Expr e, KnownValues here) {
    IntegerRange range = here.range(e);
    return range.isInt() ? Math.max(Math.abs(range.min()), Math.abs(range.max())) : Long.MAX_VALUE;
  }

  /** The low 32 bits of a long. */
  private Expr low(Expr e, KnownValues here) {
    return switch (e) {
      case Const c -> KernelCode.constant(Type.I32, c.bits() << 32 >> 32);
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I32) -> value(x, here);
      case Binary(BinaryOp op, Expr x, Expr y)
          when op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL ->
          KernelCode.binary(op, low(x, here), low(y, here));
      default -> KernelCode.convert(Type.I32, value(e, here));
    };
  }
}
