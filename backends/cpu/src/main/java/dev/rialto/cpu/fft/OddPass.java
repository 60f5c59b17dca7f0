package dev.rialto.cpu.fft;

import dev.rialto.cpu.fft.Butterfly.Complex;
import dev.rialto.cpu.fft.Codelets.Pass;

/**
 * A pass of a large odd radix as loops: sums and differences of mirrored rows go to memory behind
 * the target, and each pair of results is a loop over them.
 *
 * <p>Written out, eleven points are already more than the first compiler takes, and the interpreter
 * would run them for seconds. The table has cos and sin of 2πjk/r for j and k from 1 to r/2, the
 * scale if there is one, and the twiddle factors of k and r-k in turn.
 */
final class OddPass {
  private final CodeletEmitter to;
  private final Codelets codelets;
  private final Pass pass;
  private final Butterfly butterfly;
  private final int radix;
  private final int half;
  private final long row;

  OddPass(CodeletEmitter to, Codelets codelets, Pass pass) {
    this.to = to;
    this.codelets = codelets;
    this.pass = pass;
    this.butterfly = new Butterfly(to);
    this.radix = pass.radix();
    this.half = radix / 2;
    this.row = 2L * codelets.numbers().rowBytes();
  }

  /** Writes what {@link #emit}'s code reads. */
  static ConstantTable table(ConstantTable table, int radix, boolean scaled, double scale) {
    for (int j = 1; j <= radix / 2; j++) {
      for (int k = 1; k <= radix / 2; k++) {
        table
            .number(RationalAngle.cos((long) j * k, radix))
            .number(RationalAngle.sin((long) j * k, radix));
      }
    }
    return scaled ? table.number(scale) : table;
  }

  /** Returns how many numbers that is. */
  static long tableLength(int radix, boolean scaled) {
    return 2L * (radix / 2) * (radix / 2) + (scaled ? 1 : 0);
  }

  void emit() {
    int scale = pass.scaled() ? to.number(to.index(), 2 * half * half) : -1;
    int table = to.indexAt((int) tableLength(radix, pass.scaled()));
    int srcStep = to.argument(Codelets.SRC_STEP);
    int dstStep = to.argument(Codelets.DST_STEP);
    int srcBase = to.copy(to.argument(Codelets.SRC));
    int dstBase = to.copy(to.argument(Codelets.DST));
    int scratch = to.times(dstStep, radix);
    to.increase(scratch, dstBase);
    to.repeat(
        to.argument(Codelets.M),
        () -> {
          int src = to.copy(srcBase);
          int dst = to.copy(dstBase);
          to.repeat(
              to.argument(Codelets.S),
              () -> {
                one(src, srcStep, dst, dstStep, scratch, table, scale);
                to.increase(src, to.argument(Codelets.SRC_ROW));
                to.increase(dst, to.argument(Codelets.DST_ROW));
              });
          to.increase(srcBase, to.argument(Codelets.SRC_BLOCK));
          to.increase(dstBase, to.argument(Codelets.DST_BLOCK));
          if (pass.twiddled()) {
            to.advanceIndex(table, 3 * (radix - 1));
          }
        });
  }

  private void one(int src, int srcStep, int dst, int dstStep, int scratch, int table, int scale) {
    Complex first = read(src);
    int re = to.variable(first.re());
    int im = to.variable(first.im());
    int up = to.copy(src);
    int down = to.times(srcStep, radix);
    to.increase(down, src);
    int minusSrcStep = to.times(srcStep, -1);
    int at = to.copy(scratch);
    int factors = to.copyIndex(table);
    to.repeat(
        to.longOf(half),
        () -> {
          to.increase(up, srcStep);
          to.increase(down, minusSrcStep);
          Complex a = twiddled(read(up), factors);
          Complex b = twiddled(read(down), factors);
          Complex sum = butterfly.add(a, b);
          codelets.write(to, sum, at, false);
          to.advance(at, row);
          codelets.write(to, butterfly.sub(a, b), at, false);
          to.advance(at, row);
          to.assign(re, to.add(re, sum.re()));
          to.assign(im, to.add(im, sum.im()));
        });
    write(new Complex(re, im), dst, scale);
    int low = to.copy(dst);
    int high = to.times(dstStep, radix);
    to.increase(high, dst);
    int minusDstStep = to.times(dstStep, -1);
    int matrix = to.index();
    to.repeat(
        to.longOf(half),
        () -> {
          to.increase(low, dstStep);
          to.increase(high, minusDstStep);
          Complex u = new Complex(to.variable(first.re()), to.variable(first.im()));
          Complex v = new Complex(to.variable(zero()), to.variable(zero()));
          int from = to.copy(scratch);
          to.repeat(
              to.longOf(half),
              () -> {
                accumulate(u, to.number(matrix, 0), codelets.read(to, from, false));
                to.advance(from, row);
                accumulate(v, to.number(matrix, 1), codelets.read(to, from, false));
                to.advance(from, row);
                to.advanceIndex(matrix, 2);
              });
          write(new Complex(to.add(u.re(), v.im()), to.sub(u.im(), v.re())), low, scale);
          write(new Complex(to.sub(u.re(), v.im()), to.add(u.im(), v.re())), high, scale);
        });
  }

  private int zero() {
    return to.constant(0);
  }

  private void accumulate(Complex sum, int factor, Complex row) {
    to.assign(sum.re(), to.fma(factor, row.re(), sum.re()));
    to.assign(sum.im(), to.fma(factor, row.im(), sum.im()));
  }

  private Complex twiddled(Complex x, int factors) {
    if (!pass.twiddled()) {
      return x;
    }
    Complex w = new Complex(to.number(factors, 0), to.number(factors, 1));
    Complex product = butterfly.mul(x, w, to.number(factors, 2));
    to.advanceIndex(factors, 3);
    return product;
  }

  private Complex read(int from) {
    Complex x = codelets.read(to, from, false);
    return pass.swapIn() ? x.swapped() : x;
  }

  private void write(Complex y, int into, int scale) {
    Complex scaled = pass.scaled() ? new Complex(to.mul(y.re(), scale), to.mul(y.im(), scale)) : y;
    codelets.write(to, pass.swapOut() ? scaled.swapped() : scaled, into, false);
  }
}
