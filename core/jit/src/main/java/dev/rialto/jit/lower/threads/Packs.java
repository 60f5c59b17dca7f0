package dev.rialto.jit.lower.threads;

import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.Linear;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Load;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Several neighbouring elements for a GPU's thread, with loads and stores of 16 bytes: memory is
 * then busy with fewer instructions, which is 3 to 7 % of a triad's speed.
 *
 * <p>It can where a thread's elements lie side by side: each buffer that is written, and at least
 * one, is touched at the loop's own index or twice that.
 *
 * @param before what stands before the loop
 * @param loop the loop over all elements
 * @param lanes elements of a thread
 * @param buffers the buffers that are touched so, each with its pack in registers
 * @param loaded those that are read
 * @param stored those that are written
 */
public record Packs(
    List<Stmt> before,
    Stmt.For loop,
    int lanes,
    Map<Buffer, Buffer> buffers,
    Set<Buffer> loaded,
    Set<Buffer> stored) {
  /** The number of an element in its pack. */
  static final Var LANE = new Var("lane", Type.I64);

  private static final int BYTES = 16;
  private static final int MOST_LANES = 8;

  /** Finds what the buffers of a loop are touched at. */
  private static final class Accesses {
    private final Var item;
    private final Map<Var, Expr> known = new HashMap<>();
    private final Map<Buffer, Integer> widths = new LinkedHashMap<>();
    private final Set<Buffer> others = new LinkedHashSet<>();
    private final Set<Buffer> loaded = new LinkedHashSet<>();
    private final Set<Buffer> stored = new LinkedHashSet<>();

    Accesses(Var item) {
      this.item = item;
    }

    void touch(Buffer buffer, Expr offset, Set<Buffer> how) {
      how.add(buffer);
      int width = width(offset);
      if (width == 0 || widths.getOrDefault(buffer, width) != width) {
        others.add(buffer);
      }
      widths.put(buffer, width);
    }

    /** Returns 1 or 2 if so many elements side by side belong to an index, or 0. */
    private int width(Expr offset) {
      Linear linear = Linear.of(offset, known);
      long factor = linear.terms().getOrDefault(item, 0L);
      boolean near = linear.constant() >= 0 && linear.constant() < factor;
      return linear.terms().size() == 1 && factor <= 2 && near ? (int) factor : 0;
    }
  }

  /** Returns how a procedure is done so, or null if it is not. */
  public static @Nullable Packs of(Procedure p) {
    List<Stmt> steps = new ArrayList<>(Ir.steps(p.body()));
    if (steps.isEmpty()
        || !(steps.removeLast() instanceof Stmt.For loop)
        || !loop.from().equals(p.begin())
        || !loop.to().equals(p.end())
        || loop.step() != 1
        || !steps.stream().allMatch(step -> step instanceof Stmt.Let)
        || !Ir.steps(loop.body()).stream().allMatch(Packs::isStraight)) {
      return null;
    }
    Accesses accesses = new Accesses(loop.index());
    for (Stmt step : Ir.steps(loop.body())) {
      if (step instanceof Stmt.Let(Var variable, Expr value)) {
        accesses.known.put(variable, value);
      }
    }
    Ir.expressions(
        loop.body(),
        e ->
            Ir.walk(
                e,
                part -> {
                  if (part instanceof Load load) {
                    accesses.touch(load.buffer(), load.offset(), accesses.loaded);
                  }
                }));
    for (Stmt step : Ir.steps(loop.body())) {
      if (step instanceof Stmt.Store store) {
        accesses.touch(store.buffer(), store.offset(), accesses.stored);
      }
    }
    return accesses.stored.isEmpty() || accesses.stored.stream().anyMatch(accesses.others::contains)
        ? null
        : of(steps, loop, accesses);
  }

  private static boolean isStraight(Stmt step) {
    return step instanceof Stmt.Let
        || step instanceof Stmt.Store
        || step instanceof Stmt.Assign
        || step instanceof Stmt.Comment;
  }

  private static Packs of(List<Stmt> before, Stmt.For loop, Accesses accesses) {
    accesses.widths.keySet().removeAll(accesses.others);
    int widest = 1;
    for (var each : accesses.widths.entrySet()) {
      widest = Math.max(widest, each.getKey().storage().bytes() * each.getValue());
    }
    int lanes = Math.clamp(BYTES / widest, 1, MOST_LANES);
    Map<Buffer, Buffer> packs = new LinkedHashMap<>();
    accesses.widths.forEach(
        (buffer, width) ->
            packs.put(
                buffer,
                new Buffer(buffer.name() + "_pack", buffer.storage(), (long) lanes * width, true)));
    accesses.loaded.retainAll(packs.keySet());
    return new Packs(before, loop, lanes, packs, accesses.loaded, accesses.stored);
  }

  /** Returns what is done for one element, with packs for memory. */
  public Stmt body() {
    Map<Var, Expr> known = new HashMap<>();
    for (Stmt step : Ir.steps(loop.body())) {
      if (step instanceof Stmt.Let(Var variable, Expr value)) {
        known.put(variable, value);
      }
    }
    List<Stmt> steps = new ArrayList<>();
    for (Stmt step : Ir.steps(loop.body())) {
      Stmt moved = Ir.mapExpressions(step, e -> Ir.rewrite(e, part -> inPack(part, known)));
      steps.add(
          moved instanceof Stmt.Store(Buffer buffer, Expr _, Expr value)
              ? new Stmt.Store(
                  pack(buffer), place(buffer, ((Stmt.Store) step).offset(), known), value)
              : moved);
    }
    return new Stmt.Block(steps);
  }

  private Expr inPack(Expr e, Map<Var, Expr> known) {
    return e instanceof Load(Buffer buffer, Expr offset, int _) && buffers.containsKey(buffer)
        ? new Load(pack(buffer), place(buffer, offset, known), 1)
        : e;
  }

  private Buffer pack(Buffer buffer) {
    return java.util.Objects.requireNonNull(buffers.get(buffer));
  }

  /** Returns how many elements of a buffer belong to one index. */
  public long width(Buffer buffer) {
    return pack(buffer).elements() / lanes;
  }

  private Expr place(Buffer buffer, Expr offset, Map<Var, Expr> known) {
    long constant = Linear.of(offset, known).constant();
    Expr first = Ir.index(BinaryOp.MUL, LANE, Expr.of(width(buffer)));
    return Ir.index(BinaryOp.ADD, first, Expr.of(constant));
  }
}
