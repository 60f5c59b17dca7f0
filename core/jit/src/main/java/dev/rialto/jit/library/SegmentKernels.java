package dev.rialto.jit.library;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

/**
 * Reductions of the segments of an array. Launches are over segments.
 *
 * <p>Every 32nd element of a segment is combined with the next one, and then pairs of these 32
 * results that are 16 apart, then 8, and so on: the order is the same whether an item or a subgroup
 * does it, and so are the bits.
 */
final class SegmentKernels {
  private static final int LANES = Item.SUBGROUP;
  private static final int BLOCK = 256;

  private SegmentKernels() {}

  static Tunable of(JavaKernels settings, DType type, Reduction op) {
    JavaKernels on = settings.withElements(type).withBlock(BLOCK);
    boolean real = type.kind() == DType.Kind.FLOAT;
    return Tunable.of(
        op + " of segments of " + type,
        new Candidate("an item each", on, real ? alone(op) : alone(op, type.size()), n -> n),
        new Candidate(
            "a subgroup each",
            on,
            real ? together(op) : together(op, type.size()),
            n -> Shape.of(n.extent(0) * LANES)));
  }

  /** Returns where a segment begins, inside the array: starts are numbers of the caller's. */
  private static long place(I64 starts, long segment, long count) {
    return Math.min(Math.max(starts.get(segment), 0), count);
  }

  private static KernelBody alone(Reduction op) {
    KernelBody.Of3<Reals, Reals, I64> body =
        (Item it, Reals to, Reals x, I64 starts) -> {
          long first = place(starts, it.global(), x.length());
          long end = place(starts, it.global() + 1, x.length());
          double[] parts = new double[LANES];
          for (int lane = 0; lane < LANES; lane++) {
            parts[lane] = op.neutral();
          }
          for (long i = first; i < end; i++) {
            int lane = (int) ((i - first) % LANES);
            parts[lane] = op.combine(parts[lane], x.get(i));
          }
          for (int far = LANES / 2; far > 0; far /= 2) {
            for (int lane = 0; lane < far; lane++) {
              parts[lane] = op.combine(parts[lane], parts[lane + far]);
            }
          }
          to.set(it.global(), parts[0]);
        };
    return body;
  }

  private static KernelBody alone(Reduction op, int bytes) {
    KernelBody.Of3<Integers, Integers, I64> body =
        (Item it, Integers to, Integers x, I64 starts) -> {
          long end = place(starts, it.global() + 1, x.length());
          long all = op.neutral(bytes);
          for (long i = place(starts, it.global(), x.length()); i < end; i++) {
            all = op.combine(all, x.get(i));
          }
          to.set(it.global(), all);
        };
    return body;
  }

  private static KernelBody together(Reduction op) {
    KernelBody.Of3<Reals, Reals, I64> body =
        (Item it, Reals to, Reals x, I64 starts) -> {
          long segment = it.global() / LANES;
          long end = place(starts, segment + 1, x.length());
          double part = op.neutral();
          long first = place(starts, segment, x.length());
          for (long i = first + it.lane(); i < end; i += LANES) {
            part = op.combine(part, x.get(i));
          }
          for (int far = LANES / 2; far > 0; far /= 2) {
            part = op.combine(part, it.shuffle(part, (it.lane() + far) % LANES));
          }
          if (it.lane() == 0) {
            to.set(segment, part);
          }
        };
    return body;
  }

  private static KernelBody together(Reduction op, int bytes) {
    KernelBody.Of3<Integers, Integers, I64> body =
        (Item it, Integers to, Integers x, I64 starts) -> {
          long segment = it.global() / LANES;
          long end = place(starts, segment + 1, x.length());
          long part = op.neutral(bytes);
          long first = place(starts, segment, x.length());
          for (long i = first + it.lane(); i < end; i += LANES) {
            part = op.combine(part, x.get(i));
          }
          for (int far = LANES / 2; far > 0; far /= 2) {
            part = op.combine(part, it.shuffle(part, (it.lane() + far) % LANES));
          }
          if (it.lane() == 0) {
            to.set(segment, part);
          }
        };
    return body;
  }
}
