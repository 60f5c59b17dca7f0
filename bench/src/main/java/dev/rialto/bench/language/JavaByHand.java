package dev.rialto.bench.language;

import static dev.rialto.bench.language.LanguageKernels.BLOCK;
import static dev.rialto.bench.language.LanguageKernels.DIGITS;
import static dev.rialto.bench.language.LanguageKernels.PER_ITEM;
import static dev.rialto.bench.language.LanguageKernels.TILE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The loops of the C peer as one would write them in Java, on all cores: what the JVM makes of the
 * same steps. There are those of the cases in which it takes longest beside C.
 */
final class JavaByHand implements LanguageContender {
  private static final int KEYS = BLOCK * PER_ITEM;

  /** The loops of the cases, of their arguments. */
  private static final Map<String, Function<List<Object>, Runnable>> CASES =
      Map.of(
          "stencil7",
          a -> stencil7((float[]) a.get(0), (float[]) a.get(1)),
          "scan",
          a -> scan((int[]) a.get(0), (int[]) a.get(1)),
          "csr",
          a ->
              csr(
                  (double[]) a.get(0),
                  (int[]) a.get(1),
                  (int[]) a.get(2),
                  (double[]) a.get(3),
                  (double[]) a.get(4)),
          "product",
          a -> product((float[]) a.get(0), (float[]) a.get(1), (float[]) a.get(2)),
          "radix",
          a -> radix((int[]) a.get(0), (int[]) a.get(1), (int[]) a.get(2)));

  private final LanguageCase each;
  private final List<Object> arrays = new ArrayList<>();
  private final Runnable loops;

  private JavaByHand(LanguageCase each, Function<List<Object>, Runnable> loops) {
    this.each = each;
    each.arguments().forEach(argument -> arrays.add(copy(argument)));
    this.loops = loops.apply(arrays);
  }

  /** A case by hand, if it is one of these. */
  static Optional<LanguageContender> of(LanguageCase each) {
    return Optional.ofNullable(CASES.get(each.name())).map(loops -> new JavaByHand(each, loops));
  }

  private static Object copy(Object argument) {
    return switch (argument) {
      case double[] a -> a.clone();
      case float[] a -> a.clone();
      case int[] a -> a.clone();
      default -> argument;
    };
  }

  private static void parallel(int end, IntConsumer body) {
    IntStream.range(0, end).parallel().forEach(body);
  }

  private static Runnable stencil7(float[] b, float[] a) {
    int n = (int) Math.round(Math.cbrt(a.length));
    return () ->
        parallel(
            n - 2,
            before -> {
              for (int j = 1; j < n - 1; j++) {
                int row = ((before + 1) * n + j) * n;
                for (int at = row + 1; at < row + n - 1; at++) {
                  float inPlane = a[at - 1] + a[at + 1] + a[at - n] + a[at + n];
                  float around = inPlane + a[at - n * n] + a[at + n * n];
                  b[at] = 0.4f * a[at] + 0.1f * around;
                }
              }
            });
  }

  private static Runnable scan(int[] out, int[] x) {
    return () ->
        parallel(
            x.length / KEYS,
            block -> {
              int[] sums = new int[BLOCK];
              int[] own = new int[BLOCK];
              int first = block * KEYS;
              for (int i = 0; i < BLOCK; i++) {
                int sum = 0;
                for (int k = 0; k < PER_ITEM; k++) {
                  sum += x[first + i * PER_ITEM + k];
                }
                sums[i] = sum;
                own[i] = sum;
              }
              for (int distance = 1; distance < BLOCK; distance *= 2) {
                for (int i = BLOCK - 1; i >= distance; i--) {
                  sums[i] += sums[i - distance];
                }
              }
              for (int i = 0; i < BLOCK; i++) {
                int running = sums[i] - own[i];
                for (int k = 0; k < PER_ITEM; k++) {
                  running += x[first + i * PER_ITEM + k];
                  out[first + i * PER_ITEM + k] = running;
                }
              }
            });
  }

  private static Runnable csr(
      double[] y, int[] starts, int[] columns, double[] values, double[] x) {
    int rows = 256;
    return () ->
        parallel(
            y.length / rows,
            part -> {
              for (int row = part * rows; row < (part + 1) * rows; row++) {
                double sum = 0;
                for (int k = starts[row]; k < starts[row + 1]; k++) {
                  sum += values[k] * x[columns[k]];
                }
                y[row] = sum;
              }
            });
  }

  private static Runnable product(float[] c, float[] a, float[] b) {
    int n = (int) Math.round(Math.sqrt(c.length));
    int across = n / TILE;
    return () ->
        parallel(
            across * across,
            each -> {
              int row = each / across * TILE;
              int column = each % across * TILE;
              float[] left = new float[TILE * TILE];
              float[] right = new float[TILE * TILE];
              float[] sums = new float[TILE * TILE];
              for (int tile = 0; tile < n; tile += TILE) {
                for (int i = 0; i < TILE; i++) {
                  for (int j = 0; j < TILE; j++) {
                    left[i * TILE + j] = a[(row + i) * n + tile + j];
                    right[i * TILE + j] = b[(tile + i) * n + column + j];
                  }
                }
                for (int i = 0; i < TILE; i++) {
                  for (int k = 0; k < TILE; k++) {
                    float factor = left[i * TILE + k];
                    for (int j = 0; j < TILE; j++) {
                      sums[i * TILE + j] += factor * right[k * TILE + j];
                    }
                  }
                }
              }
              for (int i = 0; i < TILE; i++) {
                System.arraycopy(sums, i * TILE, c, (row + i) * n + column, TILE);
              }
            });
  }

  private static Runnable radix(int[] out, int[] keys, int[] starts) {
    int blocks = keys.length / KEYS;
    return () ->
        parallel(
            blocks,
            block -> {
              int[] counts = new int[DIGITS * BLOCK];
              int first = block * KEYS;
              for (int i = 0; i < BLOCK; i++) {
                for (int k = 0; k < PER_ITEM; k++) {
                  counts[digit(keys[first + i * PER_ITEM + k]) * BLOCK + i]++;
                }
              }
              for (int d = 0; d < DIGITS; d++) {
                int place = starts[d * blocks + block];
                for (int i = 0; i < BLOCK; i++) {
                  int count = counts[d * BLOCK + i];
                  counts[d * BLOCK + i] = place;
                  place += count;
                }
              }
              for (int i = 0; i < BLOCK; i++) {
                for (int k = 0; k < PER_ITEM; k++) {
                  int key = keys[first + i * PER_ITEM + k];
                  out[counts[digit(key) * BLOCK + i]++] = key;
                }
              }
            });
  }

  private static int digit(int key) {
    return key >>> LanguageCase.SHIFT & (DIGITS - 1);
  }

  @Override
  public double millis() {
    long start = System.nanoTime();
    loops.run();
    return (System.nanoTime() - start) / 1e6;
  }

  @Override
  public List<MemorySegment> results() {
    loops.run();
    return arrays.subList(0, each.results()).stream().map(LanguageCase::memory).toList();
  }

  @Override
  public void close() {}
}
