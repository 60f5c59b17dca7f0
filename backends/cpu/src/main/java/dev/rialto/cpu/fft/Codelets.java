package dev.rialto.cpu.fft;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import dev.rialto.cpu.fft.Butterfly.Complex;
import dev.rialto.system.HiddenClasses;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Generates the loops that transforms consist of, each when it is first asked for.
 *
 * <p>All work on rows: a row has a number of each of as many lines as a vector has lanes, so that
 * lanes never have to be combined, whatever the length of a line. A complex row is two rows, real
 * parts first. Generating bytecode gives one source for both precisions, all widths and plain
 * numbers, and straight-line butterflies without a call that the compiler might not inline.
 *
 * <p>Lanes hold lines in {@linkplain #line zipped order}: complex numbers of neighbouring lines are
 * then taken apart, and put together, by exchanging neighbouring lanes only.
 */
final class Codelets {
  private static final Map<Numbers, Codelets> ALL = new ConcurrentHashMap<>();
  private static final ClassDesc CODELET = ClassDesc.of(Codelet.class.getName());

  // Arguments of a codelet.
  static final int SRC = 0;
  static final int DST = 1;
  static final int M = 2;
  static final int S = 3;
  static final int SRC_ROW = 4;
  static final int DST_ROW = 5;

  /** Bytes from one input of a butterfly to the next, and from one result to the next. */
  static final int SRC_STEP = 6;

  static final int DST_STEP = 7;

  /** Bytes from one p to the next. */
  static final int SRC_BLOCK = 8;

  static final int DST_BLOCK = 9;

  /** The first number of the table after the constants, and the distance to that of the next p. */
  static final int AT = 10;

  static final int AT_BLOCK = 11;

  /**
   * A pass of a transform.
   *
   * @param radix the points of its butterflies
   * @param twiddled whether inputs are multiplied by twiddle factors
   * @param columnsIn whether it reads complex numbers of neighbouring lines instead of rows
   * @param columnsOut whether it writes such
   * @param swapIn whether real and imaginary parts change places as they are read
   * @param swapOut whether they do as they are written
   * @param scaled whether the results are multiplied by the first number of the table
   * @param single whether there is but one q, as in the last pass: no loop, then
   */
  record Pass(
      int radix,
      boolean twiddled,
      boolean columnsIn,
      boolean columnsOut,
      boolean swapIn,
      boolean swapOut,
      boolean scaled,
      boolean single) {}

  private final Numbers numbers;
  private final Map<Object, Codelet> made = new ConcurrentHashMap<>();
  private final List<?> classData;

  private Codelets(Numbers numbers) {
    this.numbers = numbers;
    this.classData = numbers.isVector() ? LaneExchange.constants(numbers) : Collections.emptyList();
  }

  static Codelets of(Numbers numbers) {
    return ALL.computeIfAbsent(numbers, Codelets::new);
  }

  Numbers numbers() {
    return numbers;
  }

  /** Returns which of its group's lines a lane holds. */
  static int line(int lane, int lanes) {
    return lanes == 1 ? 0 : lane % 2 == 0 ? lane / 2 : (lanes + lane) / 2;
  }

  /**
   * Returns one pass of a Stockham transform: for p below m and q below s, the rows (r p + k) s + q
   * times w^(pk), w = exp(-2πi/(rm)), are transformed over k to the rows (p + m j) s + q. The table
   * has re w, im w, -im w for each p and k from 1. Inputs over k and results over j are a step
   * apart that is given, so that a part of the p or of the q can be transformed to or from
   * elsewhere.
   */
  Codelet pass(Pass pass) {
    return make(
        pass,
        to -> {
          if (Radices.isUnrolled(pass.radix())) {
            pass(to, pass);
          } else {
            new OddPass(to, this, pass).emit();
          }
        });
  }

  private void pass(CodeletEmitter to, Pass pass) {
    Butterfly butterfly = new Butterfly(to);
    int radix = pass.radix();
    int table = to.index();
    int scale = -1;
    if (pass.scaled()) {
      scale = to.number(table, 0);
      to.advanceIndex(table, 1);
    }
    int scaling = scale;
    to.increaseIndex(table, to.argument(AT));
    int srcStep = to.argument(SRC_STEP);
    int dstStep = to.argument(DST_STEP);
    int srcBase = to.copy(to.argument(SRC));
    int dstBase = to.copy(to.argument(DST));
    to.repeat(
        to.argument(M),
        () -> {
          int src = to.copy(srcBase);
          int dst = to.copy(dstBase);
          Runnable one =
              () -> {
                Complex[] x = new Complex[radix];
                int from = to.copy(src);
                for (int k = 0; k < radix; k++) {
                  Complex read = read(to, from, pass.columnsIn());
                  x[k] = pass.swapIn() ? read.swapped() : read;
                  if (pass.twiddled() && k > 0) {
                    // Read where they are needed: a vector of each would not fit the registers.
                    int at = 3 * (k - 1);
                    Complex w = new Complex(to.number(table, at), to.number(table, at + 1));
                    x[k] = butterfly.mul(x[k], w, to.number(table, at + 2));
                  }
                  to.increase(from, srcStep);
                }
                Complex[] y = butterfly.transform(x);
                int into = to.copy(dst);
                for (int j = 0; j < radix; j++) {
                  Complex result = pass.swapOut() ? y[j].swapped() : y[j];
                  if (pass.scaled()) {
                    result =
                        new Complex(to.mul(result.re(), scaling), to.mul(result.im(), scaling));
                  }
                  write(to, result, into, pass.columnsOut());
                  to.increase(into, dstStep);
                }
              };
          if (pass.single()) {
            one.run();
          } else {
            to.repeat(
                to.argument(S),
                () -> {
                  one.run();
                  to.increase(src, to.argument(SRC_ROW));
                  to.increase(dst, to.argument(DST_ROW));
                });
          }
          if (pass.twiddled()) {
            to.increaseIndex(table, to.argument(AT_BLOCK));
          }
          to.increase(srcBase, to.argument(SRC_BLOCK));
          to.increase(dstBase, to.argument(DST_BLOCK));
        });
  }

  Complex read(CodeletEmitter to, int from, boolean columns) {
    int first = to.load(from, 0);
    int second = to.load(from, numbers.rowBytes());
    return columns && numbers.isVector()
        ? LaneExchange.zip(to, first, second)
        : new Complex(first, second);
  }

  void write(CodeletEmitter to, Complex row, int into, boolean columns) {
    Complex written =
        columns && numbers.isVector() ? LaneExchange.zip(to, row.re(), row.im()) : row;
    to.store(written.re(), into, 0);
    to.store(written.im(), into, numbers.rowBytes());
  }

  /** Returns a copy of m complex rows, from or to columns. */
  Codelet copyColumns(boolean in) {
    return make(
        in ? "columns to rows" : "rows to columns",
        to -> {
          int src = to.copy(to.argument(SRC));
          int dst = to.copy(to.argument(DST));
          to.repeat(
              to.argument(M),
              () -> {
                write(to, read(to, src, in), dst, !in);
                to.increase(src, to.argument(SRC_ROW));
                to.increase(dst, to.argument(DST_ROW));
              });
        });
  }

  /** Returns a copy of m real rows; columns have their lines in order, rows zipped. */
  Codelet copyRealColumns(boolean in) {
    return make(
        in ? "real columns to rows" : "rows to real columns",
        to -> {
          int src = to.copy(to.argument(SRC));
          int dst = to.copy(to.argument(DST));
          to.repeat(
              to.argument(M),
              () -> {
                int row = to.load(src, 0);
                to.store(numbers.isVector() ? LaneExchange.order(to, row, in) : row, dst, 0);
                to.increase(src, to.argument(SRC_ROW));
                to.increase(dst, to.argument(DST_ROW));
              });
        });
  }

  /** Returns a transposition of m square tiles between lines, which are contiguous, and rows. */
  Codelet transpose(boolean in) {
    return make(in ? "lines to rows" : "rows to lines", to -> transpose(to, in));
  }

  private void transpose(CodeletEmitter to, boolean in) {
    int lanes = numbers.lanes();
    int src = to.copy(to.argument(SRC));
    int dst = to.copy(to.argument(DST));
    to.repeat(
        to.argument(M),
        () -> {
          int[] rows = new int[lanes];
          int from = to.copy(src);
          for (int i = 0; i < lanes; i++) {
            // Lines come in their order, and lanes are zipped.
            rows[in ? lane(i, lanes) : i] = to.load(from, 0);
            to.increase(from, to.argument(SRC_ROW));
          }
          LaneExchange.transpose(to, rows);
          int into = to.copy(dst);
          for (int i = 0; i < lanes; i++) {
            to.store(rows[in ? i : lane(i, lanes)], into, 0);
            to.increase(into, to.argument(DST_ROW));
          }
          long row = numbers.rowBytes();
          to.advance(src, in ? row : lanes * row);
          to.advance(dst, in ? lanes * row : row);
        });
  }

  /** The inverse of {@link #line}. */
  private static int lane(int line, int lanes) {
    return lanes == 1 ? 0 : line < lanes / 2 ? 2 * line : 2 * line - lanes + 1;
  }

  /**
   * Returns m real rows, each a sum of two source rows times two factors. The table has for each
   * the two rows' offsets in bytes and the two factors.
   */
  Codelet combine() {
    return make(
        "combine",
        to -> {
          int dst = to.copy(to.argument(DST));
          int table = to.index();
          to.repeat(
              to.argument(M),
              () -> {
                int a = to.offsetFrom(to.argument(SRC), table, 0);
                int b = to.offsetFrom(to.argument(SRC), table, 1);
                int product = to.mul(to.load(a, 0), to.number(table, 0));
                to.store(to.fma(to.load(b, 0), to.number(table, 1), product), dst, 0);
                to.advance(dst, numbers.rowBytes());
                to.advanceIndex(table, 2);
              });
        });
  }

  /** Returns m complex rows times a factor each: re w, im w, -im w in the table. */
  Codelet multiply() {
    return make(
        "multiply",
        to -> {
          Butterfly butterfly = new Butterfly(to);
          int src = to.copy(to.argument(SRC));
          int dst = to.copy(to.argument(DST));
          int table = to.index();
          to.repeat(
              to.argument(M),
              () -> {
                Complex w = new Complex(to.number(table, 0), to.number(table, 1));
                int negative = to.number(table, 2);
                write(to, butterfly.mul(read(to, src, false), w, negative), dst, false);
                to.advance(src, 2L * numbers.rowBytes());
                to.advance(dst, 2L * numbers.rowBytes());
                to.advanceIndex(table, 3);
              });
        });
  }

  /**
   * Returns what lies between the transform of n reals and that of n/2 complex numbers made of
   * them, in either direction: with A = x[k] + conj x[s-k] and B = x[k] - conj x[s-k], y[k] = cA +
   * gB and y[s-k] = conj(cA - gB), for k below m. The table has c, then re g, im g, -im g for each
   * k.
   */
  Codelet fold() {
    return make("fold", this::fold);
  }

  private void fold(CodeletEmitter to) {
    long row = 2L * numbers.rowBytes();
    Butterfly butterfly = new Butterfly(to);
    int table = to.index();
    int c = to.number(table, 0);
    to.advanceIndex(table, 1);
    int end = to.times(to.argument(S), row);
    int src = to.copy(to.argument(SRC));
    int srcMirror = to.copy(src);
    to.increase(srcMirror, end);
    int dst = to.copy(to.argument(DST));
    int dstMirror = to.copy(dst);
    to.increase(dstMirror, end);
    to.repeat(
        to.argument(M),
        () -> {
          Complex x = read(to, src, false);
          Complex z = read(to, srcMirror, false);
          Complex a =
              new Complex(to.mul(c, to.add(x.re(), z.re())), to.mul(c, to.sub(x.im(), z.im())));
          Complex b = new Complex(to.sub(x.re(), z.re()), to.add(x.im(), z.im()));
          Complex g = new Complex(to.number(table, 0), to.number(table, 1));
          Complex t = butterfly.mul(b, g, to.number(table, 2));
          write(to, butterfly.add(a, t), dst, false);
          write(to, new Complex(to.sub(a.re(), t.re()), to.sub(t.im(), a.im())), dstMirror, false);
          to.advance(src, row);
          to.advance(srcMirror, -row);
          to.advance(dst, row);
          to.advance(dstMirror, -row);
          to.advanceIndex(table, 3);
        });
  }

  private Codelet make(Object key, Consumer<CodeletEmitter> body) {
    return made.computeIfAbsent(key, _ -> generate(body));
  }

  private Codelet generate(Consumer<CodeletEmitter> body) {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of(Codelets.class.getPackageName() + ".GeneratedCodelet"),
                type ->
                    type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                        .withInterfaceSymbols(CODELET)
                        .withMethodBody(
                            INIT_NAME,
                            MTD_void,
                            ClassFile.ACC_PUBLIC,
                            code ->
                                code.aload(0)
                                    .invokespecial(CD_Object, INIT_NAME, MTD_void)
                                    .return_())
                        .withMethodBody(
                            "run",
                            MethodTypeDesc.of(
                                CD_void,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                CD_long,
                                ClassDesc.of(ConstantTable.class.getName())),
                            ClassFile.ACC_PUBLIC,
                            code -> {
                              body.accept(new CodeletEmitter(code, numbers));
                              code.return_();
                            }));
    return HiddenClasses.make(MethodHandles.lookup(), bytes, classData, Codelet.class);
  }
}
