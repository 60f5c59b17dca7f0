package dev.rialto.array.algorithm;

import dev.rialto.array.Decomposition;
import dev.rialto.array.device.DeviceRearrange;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.ElementCopy;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import java.util.Arrays;

/** Algorithms that give elements other places, or a new array some of them. */
public final class Rearrange {
  private static final long[] NOTHING = {};

  private Rearrange() {}

  /**
   * Returns a new array of one axis with the elements at whose places those of another array, which
   * may be the same, meet a condition, in their order.
   */
  public static ArrayOperation<Operand> copyIf(Operand array, Operand by, Object condition) {
    if (Operands.anyOnDevice(array, by)) {
      Operands.requireOneDevice("copyIf", array, by);
    }
    Operands.requireSameShape(array, by);
    return ArrayOperation.collective(
            "copyIf",
            run -> {
              if (array.isOnDevice()) {
                return DeviceRearrange.copyIf(run, array, by, condition);
              }
              View view = HostTemporaries.inOrder(run, array);
              View tested = by == array ? view : HostTemporaries.inOrderAs(run, by, view);
              Elements elements = tested.elements();
              Loops loops = Loops.of(condition, null, elements);
              long[] kept = new long[run.listed(view.count(), "to test")];
              int count = 0;
              for (long at = 0; at < view.count(); ) {
                long end = at + tested.layout().run(at);
                while (at < end) {
                  at += loops.find(condition, true, elements, tested.address(at), end - at);
                  if (at < end) {
                    kept[count++] = at++;
                  }
                }
              }
              int own = count;
              return made(
                  run,
                  array,
                  own,
                  made -> {
                    View to = made.view();
                    for (int i = 0; i < own; i++) {
                      long[] words = view.elements().read(view.address(kept[i]));
                      to.elements().write(to.address(i), words);
                    }
                  });
            })
        .about(array, by);
  }

  /** Writes a rank's elements of a new array. */
  @FunctionalInterface
  public interface Writer {
    void write(Operand made);
  }

  /** Makes an array of one axis of which each rank holds so many elements. */
  public static Operand made(OperationRunner run, Operand like, long count, Writer writer) {
    long[][] counts = run.gather(count);
    long[] lengths = Arrays.stream(counts).mapToLong(words -> words[0]).toArray();
    Operand made =
        like.team()
            .describe(
                like.space()
                    .team()
                    .space(Arrays.stream(lengths).sum())
                    .divided(Decomposition.irregular(lengths))
                    .on(like.client()),
                like.type())
            .reserve();
    try {
      run.communicate(_ -> made.share());
    } catch (RuntimeException | Error e) {
      made.discard();
      throw e;
    }
    writer.write(made);
    long[][] _ = run.gatherLast();
    return made;
  }

  /** Sets {@code array[i]} to what {@code array[(i + shift) mod count]} was. */
  public static ArrayOperation<Operand> rotate(Operand array, long shift) {
    array.requireStored("rotating");
    return ArrayOperation.collective(
            "rotate",
            run -> {
              long count = array.shape().count();
              long[] sources = new long[run.listed(array.layout().count(), "to rotate")];
              Arrays.setAll(sources, i -> Math.floorMod(array.elementAt(i) + shift % count, count));
              if (array.isOnDevice()) {
                DeviceRearrange.fetch(run, array, sources);
                long[][] _ = run.gatherLast();
                return array;
              }
              View rotated = HostTemporaries.temporary(run, array.type(), array.distribution());
              Sort.fetch(run, array, sources, rotated);
              ElementCopy.unpack(array, rotated.memory(), array.view().memory());
              long[][] _ = run.gatherLast();
              return array;
            })
        .about(array, shift);
  }

  /** Sets {@code out[i] = f(in[i], in[i-1])}, and the first element to the first. */
  public static ArrayOperation<Operand> adjacent(Operand in, Operand out, Object f) {
    Operands.requireSameShape(in, out);
    out.requireStored("setting");
    if (Operands.anyOnDevice(in, out)) {
      Operands.requireOneDevice("adjacentDifference", in, out);
      return ArrayOperation.<Operand>collective(
              "adjacentDifference",
              run -> {
                DeviceRearrange.adjacent(run, in, out, f);
                long[][] _ = run.gatherLast();
                return out;
              })
          .about(in, out);
    }
    Elements from = Elements.of(in.type());
    Elements to = Elements.of(out.type());
    Loops loops = Loops.of(f, null, from, from, to);
    return ArrayOperation.collective(
            "adjacentDifference",
            run -> {
              View view = HostTemporaries.stored(run, HostTemporaries.inOrder(run, in));
              View result = HostTemporaries.temporary(run, out.type(), view.distribution());
              long last = view.count() - 1;
              long[][] ends = run.gather(last < 0 ? NOTHING : from.read(view.address(last)));
              for (long at = 0; at <= last; ) {
                long count = Math.min(OperationRunner.CHUNK, view.layout().run(at));
                first(loops, f, view, result, at, ends, run);
                loops.zip(
                    f,
                    from,
                    view.address(at) + from.type.size(),
                    from,
                    view.address(at),
                    to,
                    result.address(at) + to.type.size(),
                    count - 1);
                at += count;
              }
              run.move(result, out.view());
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out);
  }

  /** Sets the first element of a stretch, whose predecessor may be another rank's. */
  private static void first(
      Loops loops, Object f, View in, View out, long at, long[][] ends, OperationRunner run) {
    Elements from = in.elements();
    long before = run.scratch().numbers(Scratch.VALUES, 2).address();
    long[] words = NOTHING;
    if (at > 0) {
      words = from.read(in.address(at - 1));
    } else {
      for (int rank = run.rank() - 1; rank >= 0 && words.length == 0; rank--) {
        words = ends[rank];
      }
    }
    if (words.length == 0) {
      out.elements().write(out.address(at), from.read(in.address(at)));
      return;
    }
    from.write(before, words);
    loops.zip(f, from, in.address(at), from, before, out.elements(), out.address(at), 1);
  }
}
