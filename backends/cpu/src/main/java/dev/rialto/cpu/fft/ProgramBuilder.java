package dev.rialto.cpu.fft;

import dev.rialto.cpu.fft.BlockProgram.Step;
import dev.rialto.cpu.fft.Codelets.Pass;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftSpec.Kind;
import dev.rialto.system.CacheSizes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Writes the program for a kind and a length.
 *
 * <p>A complex transform is one Stockham pass per radix: it needs no reordering, and its inner loop
 * runs over whole rows. A length with a prime factor above 61 is a convolution of a longer length
 * (Bluestein). Real transforms of an even length are complex ones of half of it. All others are one
 * of those between two steps whose rows are sums of two rows.
 *
 * <p>The inverse is the forward transform with real and imaginary parts exchanged, as they are read
 * and as they are written.
 */
final class ProgramBuilder {
  /** The bytes that stay in the first-level cache beside what passes through it. */
  private static final long L1_BYTES = CacheSizes.firstLevel();

  private final Codelets codelets;
  private final long realRow;
  private final long complexRow;
  private final List<Step> steps = new ArrayList<>();
  private final long inStride;
  private final long outStride;
  private final double scale;
  private long blockRows;
  private long scratchBytes;

  /**
   * Makes a builder.
   *
   * @param inStride bytes between points of the columns that the program is to read; 0 for a block
   * @param outStride the same for those it is to write
   */
  ProgramBuilder(Codelets codelets, long inStride, long outStride, double scale) {
    this.codelets = codelets;
    this.realRow = codelets.numbers().rowBytes();
    this.complexRow = 2 * realRow;
    this.inStride = inStride;
    this.outStride = outStride;
    this.scale = scale;
  }

  /** Returns whether the program for these can read and write columns by itself. */
  static boolean takesColumns(Kind kind, long length) {
    return (kind == Kind.FORWARD || kind == Kind.INVERSE)
        && Radices.divide(length)
        && Radices.of(length).stream().allMatch(Radices::isUnrolled);
  }

  BlockProgram build(Kind kind, long n) {
    switch (kind) {
      case FORWARD -> complex(n, false, true);
      case INVERSE -> complex(n, true, true);
      case REAL_TO_COMPLEX -> realToComplex(n, scale);
      case COMPLEX_TO_REAL -> complexToReal(n, true);
      case DCT1 -> {
        long m = 2 * (n - 1);
        combine(m, 1, j -> RowSum.of(Math.min(j, m - j), 1));
        realToComplex(m, 1);
        combine(n, scale, k -> RowSum.of(2 * k, 1));
      }
      case DST1 -> {
        long m = 2 * (n + 1);
        combine(
            m,
            1,
            j -> RowSum.of(RowSum.oddExtension(j, n), j % (n + 1) == 0 ? 0 : j <= n ? 1 : -1));
        realToComplex(m, 1);
        combine(n, scale, k -> RowSum.of(2 * (k + 1) + 1, -1));
      }
      case DCT2 -> {
        combine(n, 1, j -> RowSum.of(RowSum.interleaved(j, n), 1));
        realToComplex(n, 1);
        combine(n, scale, k -> RowSum.cosines(k, n));
      }
      case DST2 -> {
        combine(
            n,
            1,
            j -> RowSum.of(RowSum.interleaved(j, n), RowSum.interleaved(j, n) % 2 == 0 ? 1 : -1));
        realToComplex(n, 1);
        combine(n, scale, k -> RowSum.cosines(n - 1 - k, n));
      }
      case DCT3 -> {
        combine(2 * (n / 2 + 1), 1, row -> RowSum.spectrum(row, n, false));
        complexToReal(n, false);
        combine(n, scale, k -> RowSum.of(RowSum.interleavedPlace(k, n), 1));
      }
      case DST3 -> {
        combine(2 * (n / 2 + 1), 1, row -> RowSum.spectrum(row, n, true));
        complexToReal(n, false);
        combine(n, scale, k -> RowSum.of(RowSum.interleavedPlace(k, n), k % 2 == 0 ? 1 : -1));
      }
      case DCT4 -> fourth(n, false);
      case DST4 -> fourth(n, true);
      case HARTLEY -> {
        realToComplex(n, 1);
        combine(
            n,
            scale,
            k -> {
              long row = 2 * Math.min(k, n - k);
              return new RowSum(row, 1, row + 1, 2 * k <= n ? -1 : 1);
            });
      }
    }
    return new BlockProgram(steps, blockRows, scratchBytes, inStride > 0, outStride > 0);
  }

  // --- Complex transforms -----------------------------------------------------------------------
  private void complex(long n, boolean inverse, boolean last) {
    if (Radices.divide(n)) {
      passes(n, inverse, inverse, last ? scale : 1, steps.isEmpty(), last);
    } else {
      bluestein(n, inverse, last ? scale : 1);
    }
  }

  private void passes(
      long n, boolean swapIn, boolean swapOut, double factor, boolean first, boolean last) {
    need(2 * n);
    List<Integer> radices = Radices.of(n);
    List<PassLoop> loops = new ArrayList<>();
    long m = 1;
    for (int i = 0; i < radices.size(); i++) {
      int radix = radices.get(i);
      boolean begins = i == 0;
      boolean ends = i == radices.size() - 1;
      boolean scaled = ends && factor != 1;
      boolean reads = begins && first && inStride > 0;
      boolean writes = ends && last && outStride > 0;
      if (!Radices.isUnrolled(radix)) {
        need(2 * (n + radix));
      }
      Codelet pass =
          codelets.pass(
              new Pass(
                  radix, !begins, reads, writes, begins && swapIn, ends && swapOut, scaled, ends));
      loops.add(
          new PassLoop(
              pass,
              radix,
              m,
              n / (m * radix),
              reads ? inStride : complexRow,
              writes ? outStride : complexRow,
              passTable(radix, m, !begins, scaled, factor)));
      m *= radix;
    }
    boolean large = 2 * n * complexRow > L1_BYTES;
    for (int i = 0; i < loops.size(); i++) {
      boolean pair =
          large && i + 1 < loops.size() && loops.get(i).isShort() && loops.get(i + 1).isShort();
      steps.add(pair ? pair(loops.get(i), loops.get(++i)) : loops.get(i));
    }
  }

  private Step pair(PassLoop one, PassLoop two) {
    long bytes = (long) one.radix() * two.radix() * complexRow;
    long width = Math.clamp(L1_BYTES / bytes, 1, two.s());
    scratchBytes = Math.max(scratchBytes, bytes * width);
    return one.with(two, width, complexRow);
  }

  private ConstantTable passTable(
      int radix, long m, boolean twiddled, boolean scaled, double factor) {
    boolean unrolled = Radices.isUnrolled(radix);
    long constants = unrolled ? (scaled ? 1 : 0) : OddPass.tableLength(radix, scaled);
    ConstantTable table = table(constants + (twiddled ? 3 * m * (radix - 1) : 0));
    if (!unrolled) {
      table = OddPass.table(table, radix, scaled, factor);
    } else if (scaled) {
      table.number(factor);
    }
    for (long p = 0; twiddled && p < m; p++) {
      for (int i = 1; i < radix; i++) {
        // Loops read mirrored rows in turn.
        long k = unrolled ? i : i % 2 == 1 ? (i + 1) / 2 : radix - i / 2;
        table.turn(p * k, radix * m, 1);
      }
    }
    return table;
  }

  /**
   * Adds the transform as a convolution: with c[j] = exp(-πi j²/n), X[k] = c[k] Σ x[j] c[j] /
   * c[k-j].
   */
  private void bluestein(long n, boolean inverse, double factor) {
    long m = Radices.atLeast(2 * n - 1);
    need(2 * m);
    int sign = inverse ? -1 : 1;
    ConstantTable before = table(3 * n);
    ConstantTable after = table(3 * n);
    for (long j = 0; j < n; j++) {
      before.turn(sign * j * j, 2 * n, 1);
      after.turn(sign * j * j, 2 * n, factor);
    }
    ConstantTable spectrum = chirpSpectrum(n, m, inverse);
    Codelet multiply = codelets.multiply();
    long tail = (m - n) * complexRow;
    steps.add(
        (src, dst, _) -> {
          multiply.run(src, dst, n, 0, 0, 0, before);
          Memory.zero(dst + n * complexRow, tail);
        });
    passes(m, false, false, 1, false, false);
    steps.add((src, dst, _) -> multiply.run(src, dst, m, 0, 0, 0, spectrum));
    passes(m, true, true, 1, false, false);
    steps.add((src, dst, _) -> multiply.run(src, dst, n, 0, 0, 0, after));
  }

  /** Returns a table of the transform of 1/c, wrapped around m, over m; made in double. */
  private ConstantTable chirpSpectrum(long n, long m, boolean inverse) {
    Numbers doubles = new Numbers(DType.F64, 0);
    long bytes = 16 * m;
    ConstantTable table = table(3 * m);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment a = arena.allocate(bytes, 64);
      MemorySegment b = arena.allocate(bytes, 64);
      int sign = inverse ? -1 : 1;
      for (long j = 0; j < n; j++) {
        double re = RationalAngle.cos(j * j, 2 * n) / m;
        double im = sign * RationalAngle.sin(j * j, 2 * n) / m;
        for (long at : new long[] {j, Math.floorMod(-j, m)}) {
          Memory.set(DType.F64, a.address() + 16 * at, re);
          Memory.set(DType.F64, a.address() + 16 * at + 8, im);
        }
      }
      BlockProgram transform =
          new ProgramBuilder(Codelets.of(doubles), 0, 0, 1).build(Kind.FORWARD, m);
      MemorySegment scratch = arena.allocate(Math.max(transform.scratchBytes(), 1), 64);
      long result = transform.run(a.address(), 0, a.address(), b.address(), scratch.address());
      for (long k = 0; k < m; k++) {
        table.factor(
            Memory.get(DType.F64, result + 16 * k), Memory.get(DType.F64, result + 16 * k + 8));
      }
    }
    return table;
  }

  // --- Real transforms --------------------------------------------------------------------------
  /** Adds the transform of n real rows to n/2+1 complex ones. */
  private void realToComplex(long n, double factor) {
    if (n % 2 != 0) {
      combine(2 * n, factor, row -> RowSum.of(row / 2, row % 2 == 0 ? 1 : 0));
      complex(n, false, false);
      return;
    }
    long half = n / 2;
    need(2 * (half + 1));
    complex(half, false, false);
    // g = -i w^k / 2.
    ConstantTable table = table(1 + 3 * (half / 2 + 1)).number(factor / 2);
    for (long k = 0; k <= half / 2; k++) {
      table.turn(4 * k + n, 4 * n, factor / 2);
    }
    Codelet fold = codelets.fold();
    steps.add(
        (src, dst, _) -> {
          Memory.copy(src, src + half * complexRow, complexRow);
          fold.run(src, dst, half / 2 + 1, half, 0, 0, table);
        });
  }

  /** Adds the transform of n/2+1 complex rows to n real ones. */
  private void complexToReal(long n, boolean last) {
    double factor = last ? scale : 1;
    if (n % 2 != 0) {
      combine(
          2 * n,
          1,
          row -> {
            long j = row / 2;
            long from = 2 * Math.min(j, n - j);
            return row % 2 == 0
                ? RowSum.of(from, 1)
                : RowSum.of(from + 1, j == 0 ? 0 : 2 * j < n ? 1 : -1);
          });
      complex(n, true, false);
      combine(n, factor, j -> RowSum.of(2 * j, 1));
      return;
    }
    long half = n / 2;
    need(2 * (half + 1));
    // g = i w^-k.
    ConstantTable table = table(1 + 3 * (half / 2 + 1)).number(factor);
    for (long k = 0; k <= half / 2; k++) {
      table.turn(-4 * k - n, 4 * n, factor);
    }
    Codelet fold = codelets.fold();
    steps.add(
        (src, dst, _) -> {
          // The imaginary parts of the first and the last row do not count.
          Memory.zero(src + realRow, realRow);
          Memory.zero(src + half * complexRow + realRow, realRow);
          fold.run(src, dst, half / 2 + 1, half, 0, 0, table);
        });
    complex(half, true, false);
  }

  /** Adds a step each of whose real rows is a sum of two. */
  private void combine(long rows, double factor, LongFunction<RowSum> sums) {
    need(rows);
    ConstantTable table = new ConstantTable(codelets.numbers().type(), 2 * rows, 2 * rows);
    for (long row = 0; row < rows; row++) {
      RowSum sum = sums.apply(row);
      table.offset(sum.a() * realRow).offset(sum.b() * realRow);
      table.number(sum.ca() * factor).number(sum.cb() * factor);
    }
    Codelet combine = codelets.combine();
    steps.add((src, dst, _) -> combine.run(src, dst, rows, 0, 0, 0, table));
  }

  /** Adds a DCT4, or the DST4 that is one of the reversed points with alternating signs. */
  private void fourth(long n, boolean sine) {
    LongFunction<Long> point = j -> sine ? n - 1 - j : j;
    if (n % 2 == 0) {
      // z[j] = (x[2j] + i x[n-1-2j]) t[j] with t[j] = exp(-πi(4j+1)/4n).
      combine(
          n,
          1,
          row -> {
            long j = row / 2;
            double cos = RationalAngle.cos(4 * j + 1, 8 * n);
            double sin = RationalAngle.sin(4 * j + 1, 8 * n);
            long re = point.apply(2 * j);
            long im = point.apply(n - 1 - 2 * j);
            return row % 2 == 0 ? new RowSum(re, cos, im, sin) : new RowSum(re, -sin, im, cos);
          });
      complex(n / 2, false, false);
      combine(
          n,
          scale,
          k -> {
            long row = k % 2 == 0 ? k / 2 : (n - 1 - k) / 2;
            double sign = sine && k % 2 != 0 ? -2 : 2;
            double cos = sign * RationalAngle.cos(row, 2 * n);
            double sin = sign * RationalAngle.sin(row, 2 * n);
            return k % 2 == 0
                ? new RowSum(2 * row, cos, 2 * row + 1, sin)
                : new RowSum(2 * row, sin, 2 * row + 1, -cos);
          });
      return;
    }
    // Σ x[j] exp(-πij/2n) w^(jk) has X[2k], and so also X[2n-1-2k] = -X[2k].
    combine(
        2 * n,
        1,
        row -> {
          long j = row / 2;
          return RowSum.of(
              point.apply(j),
              row % 2 == 0 ? RationalAngle.cos(j, 4 * n) : -RationalAngle.sin(j, 4 * n));
        });
    complex(n, false, false);
    combine(
        n,
        scale,
        k -> {
          long row = k % 2 == 0 ? k / 2 : (2 * n - 1 - k) / 2;
          double sign = (k % 2 == 0 ? 2 : -2) * (sine && k % 2 != 0 ? -1 : 1);
          return new RowSum(
              2 * row,
              sign * RationalAngle.cos(4 * row + 1, 8 * n),
              2 * row + 1,
              sign * RationalAngle.sin(4 * row + 1, 8 * n));
        });
  }

  private ConstantTable table(long count) {
    return new ConstantTable(codelets.numbers().type(), count, 0);
  }

  private void need(long rows) {
    blockRows = Math.max(blockRows, rows);
  }
}
