package dev.rialto.array.algorithm;

import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.SelfReads;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.TeamRuntime;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.data.Shape;
import org.jspecify.annotations.Nullable;

/**
 * Sets elements to functions of indices that read the halos of other arrays: those away from the
 * edges of the rank's block while the halos travel, the others afterwards.
 */
public final class Stencil {
  private final Operand out;
  private final Object function;
  private final long[] first;
  private final long[] end;
  private final long[] innerFirst;
  private final long[] innerEnd;

  private Stencil(Operand out, Object function, Operand[] halos) {
    this.out = out;
    this.function = function;
    int axes = out.shape().rank();
    this.first = new long[axes];
    this.end = new long[axes];
    int rank = out.team().communicator().rank();
    if (out.distribution() instanceof Grid grid && grid.localCount(rank) > 0) {
      for (int axis = 0; axis < axes; axis++) {
        int place = grid.place(rank, axis);
        first[axis] = grid.axis(axis).first(place);
        end[axis] = first[axis] + grid.axis(axis).count(place);
      }
    }
    this.innerFirst = first.clone();
    this.innerEnd = end.clone();
    for (Operand each : halos) {
      Halo.@Nullable Stencil layers = each.part().stencil;
      for (int axis = 0; layers != null && axis < axes; axis++) {
        innerFirst[axis] = Math.max(innerFirst[axis], first[axis] + layers.low(axis));
        innerEnd[axis] = Math.min(innerEnd[axis], end[axis] - layers.high(axis));
      }
    }
  }

  /** Sets an array's elements, and the halos of those that its function reads. Collective. */
  public static void set(
      TeamRuntime team, Operand out, int axes, Object function, Operand[] halos) {
    ArrayOperation<Operand> whole = Elementwise.generate(out, axes, function);
    if (halos.length == 0) {
      var _ = team.run(whole);
      return;
    }
    requireBlocks(out, halos);
    team.enter(whole);
    try {
      set(team, out, function, whole, halos);
    } finally {
      team.exit();
    }
  }

  private static void set(
      TeamRuntime team,
      Operand out,
      Object function,
      ArrayOperation<Operand> whole,
      Operand[] halos) {
    if (out.isOnDevice()) {
      for (Operand each : halos) {
        start(each);
        await(each);
      }
      var _ = team.run(whole);
      return;
    }
    Stencil stencil = new Stencil(out, function, halos);
    int started = 0;
    try {
      for (Operand each : halos) {
        start(each);
        started++;
      }
      var _ = team.run(stencil.part("set inside", true));
    } catch (RuntimeException | Error e) {
      awaitAfter(e, halos, started);
      throw e;
    }
    for (Operand each : halos) {
      await(each);
    }
    var _ = team.run(stencil.part("set at the edges", false));
  }

  private static void start(Operand array) {
    array.halo("starting the halo of").start(array);
  }

  private static void await(Operand array) {
    array.part().halo.await(array);
  }

  /** Ends what other ranks wait for; what goes wrong with that is no cause of its own. */
  private static void awaitAfter(Throwable failure, Operand[] halos, int started) {
    for (int i = 0; i < started; i++) {
      try {
        await(halos[i]);
      } catch (RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
  }

  private static void requireBlocks(Operand out, Operand[] halos) {
    for (Operand each : halos) {
      if (each == out) {
        throw new IllegalArgumentException(
            out + " would be written while its halo is read; write to another array");
      }
      if (each.shape().rank() != out.shape().rank()) {
        throw new IllegalArgumentException(
            "the halo of %s for %s; give arrays of as many axes".formatted(each, out));
      }
    }
    if (!(out.distribution() instanceof Grid grid) || !isInBlocks(grid)) {
      throw new IllegalArgumentException(out + " with halos of others; divide it in blocks");
    }
  }

  private static boolean isInBlocks(Grid grid) {
    for (int axis = 0; axis < grid.shape().rank(); axis++) {
      if (!grid.axis(axis).isBlock()) {
        return false;
      }
    }
    return true;
  }

  private ArrayOperation<Operand> part(String name, boolean inside) {
    Elements elements = Elements.of(out.type());
    Loops loops = Loops.of(function, null, elements);
    int last = first.length - 1;
    long rows = 1;
    for (int axis = 0; axis < last; axis++) {
      rows *= end[axis] - first[axis];
    }
    long count = end[last] > first[last] ? rows : 0;
    return ArrayOperation.local(
            name,
            run -> {
              View view = out.view();
              try (SelfReads reads = SelfReads.watch(out, function)) {
                run.rows(count, row -> row(loops, elements, view, reads, row, inside));
              }
              return out;
            })
        .about(out);
  }

  private void row(
      Loops loops, Elements elements, View view, SelfReads reads, long row, boolean inside) {
    int last = first.length - 1;
    long[] index = new long[first.length];
    boolean inner = true;
    long rest = row;
    for (int axis = last - 1; axis >= 0; axis--) {
      long extent = end[axis] - first[axis];
      index[axis] = first[axis] + rest % extent;
      rest /= extent;
      inner &= index[axis] >= innerFirst[axis] && index[axis] < innerEnd[axis];
    }
    long from = inner ? Math.min(innerFirst[last], end[last]) : end[last];
    long to = inner ? Math.max(innerEnd[last], from) : end[last];
    if (inside) {
      stretch(loops, elements, view, reads, index, from, to);
    } else {
      stretch(loops, elements, view, reads, index, first[last], from);
      stretch(loops, elements, view, reads, index, to, end[last]);
    }
  }

  /** Sets elements that follow one another along the last axis, which need not do so in memory. */
  private void stretch(
      Loops loops,
      Elements elements,
      View view,
      SelfReads reads,
      long[] index,
      long from,
      long to) {
    Shape shape = out.shape();
    int last = first.length - 1;
    int[] order = ((Grid) out.distribution()).order();
    long most = order[last] == last && !out.layout().isStepped() ? to - from : 1;
    for (long at = from; at < to; at += most) {
      index[last] = at;
      long place = view.memory().address() + out.type().bytes(out.part().find(out, index));
      long number = out.element(index);
      reads.run(
          number,
          place,
          most,
          (of, address, count) -> {
            if (first.length == 1) {
              loops.generate(function, of, elements, address, count);
            } else {
              loops.generate(function, shape, of, elements, address, count);
            }
          });
    }
  }
}
