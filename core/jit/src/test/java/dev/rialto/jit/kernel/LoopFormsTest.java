package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Loops and offsets that become other ones on cores: rows of blocks in one loop, counters as
 * indices, sums of ints as sums of longs, and items side by side. On every target, against the
 * method as the JVM runs it.
 */
@Tag("gpu")
class LoopFormsTest {
  private static int[] ints(int n) {
    return new SplittableRandom(n).ints(n).toArray();
  }

  private static float[] floats(int n) {
    float[] numbers = new float[n];
    SplittableRandom random = new SplittableRandom(n);
    for (int i = 0; i < n; i++) {
      numbers[i] = (float) random.nextDouble(-1, 1);
    }
    return numbers;
  }

  @Test
  void rowsOfBlocksHaveEveryItemOnce() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 y, I32 x) -> {
          long at = (it.global(0) * it.globalSize(1) + it.global(1)) * it.globalSize(2);
          at += it.global(2);
          y.set(at, y.get(at) + x.get(at) * it.local(1));
        };
    for (int[] n : new int[][] {{3, 5, 200}, {1, 1, 32}, {2, 7, 31}, {4, 4, 97}}) {
      int all = n[0] * n[1] * n[2];
      Shape items = Shape.of(n[0], n[1], n[2]);
      KernelTargets.compare(body, Shape.of(2, 3, 32), items, ints(all), ints(all + 1));
    }
  }

  @Test
  void lineOfBlocksHasEveryItemOnce() {
    KernelBody.Of1<I32> body = (Item it, I32 y) -> y.set(it.global(), y.get(it.global()) + 1);
    for (int n : new int[] {0, 1, 31, 64, 1000, 4097}) {
      KernelTargets.compare(body, 32, n, ints(n + 1));
    }
  }

  @Test
  void endsOfRowsAreDoneInShorterVectors() {
    KernelBody.Of2<F32, F32> sums =
        (Item it, F32 y, F32 x) -> {
          long at = it.global(0) * it.globalSize(1) + it.global(1);
          y.set(at, 3 * x.get(at) + x.get(at + 1) - y.get(at));
        };
    KernelBody.Of2<F64, I32> mixed =
        (Item it, F64 y, I32 x) -> {
          long at = it.global();
          y.set(at, y.get(at) * (x.get(at) + 1));
        };
    for (int width : new int[] {1, 3, 4, 7, 12, 15, 17, 30, 31, 47, 62}) {
      int all = 3 * width;
      Shape items = Shape.of(3, width);
      KernelTargets.compare(sums, Shape.of(1, 64), items, floats(all), floats(all + 1));
      double[] numbers = new SplittableRandom(width).doubles(width).toArray();
      KernelTargets.compare(mixed, 64, width, numbers, ints(width));
    }
  }

  /** Rows of a block are done several at a time where each has a loop. */
  @Test
  void innerLoopsOfSeveralRowsAreDoneTogether() {
    KernelBody.Of3<F32, F32, F32> tiles =
        (Item it, F32 c, F32 a, F32 b) -> {
          float[] left = it.sharedFloats(8 * 16);
          float[] right = it.sharedFloats(16 * 16);
          int i = it.local(0);
          int j = it.local(1);
          long n = it.globalSize(1);
          float sum = it.global(0);
          for (int tile = 0; tile < 32; tile += 16) {
            left[i * 16 + j] = a.get(it.global(0) * 32 + tile + j);
            right[i * 16 + j] = b.get((tile + i) * n + it.global(1));
            right[(i + 8) * 16 + j] = b.get((tile + i + 8) * n + it.global(1));
            it.barrier();
            for (int k = 0; k < 16; k++) {
              if (tile == 16 && k == 9) {
                break;
              }
              sum += left[i * 16 + k] * right[k * 16 + j];
            }
            it.barrier();
          }
          c.set(it.global(0) * n + it.global(1), sum);
        };
    int rows = 16;
    int columns = 48;
    KernelTargets.compare(
        tiles,
        Shape.of(8, 16),
        Shape.of(rows, columns),
        floats(rows * columns),
        floats(rows * 32 + 1),
        floats(columns * 32 + 2));
    KernelBody.Of2<I32, I32> inPlace =
        (Item it, I32 y, I32 x) -> {
          long at = (it.global(0) * it.globalSize(1) + it.global(1)) * 8 + it.global(2);
          int sum = y.get(at);
          for (int k = 0; k < 8; k++) {
            sum = sum * 31 + x.get(it.global(1) * 8 + k) - x.get(at);
          }
          y.set(at, sum);
        };
    for (int middle : new int[] {1, 5, 6, 12}) {
      int all = 3 * middle * 8;
      KernelTargets.compare(
          inPlace, Shape.of(2, 6, 8), Shape.of(3, middle, 8), ints(all), ints(all + 8));
    }
  }

  @Test
  void rowsAreAsLongAsDataSays() {
    KernelBody.Of4<F64, I32, I32, F64> body =
        (Item it, F64 y, I32 starts, I32 columns, F64 x) -> {
          double sum = 0;
          int end = starts.get(it.global() + 1);
          for (int k = starts.get(it.global()); k < end; k++) {
            sum += x.get(k) * x.get(columns.get(k));
          }
          y.set(it.global(), sum);
        };
    int rows = 100;
    SplittableRandom random = new SplittableRandom(7);
    int[] starts = new int[rows + 1];
    for (int i = 0; i < rows; i++) {
      starts[i + 1] = starts[i] + (i % 10 == 0 ? 0 : random.nextInt(20));
    }
    int all = starts[rows];
    int[] columns = random.ints(all, 0, all).toArray();
    double[] x = random.doubles(all).toArray();
    KernelTargets.compare(body, 32, rows, new double[rows], starts, columns, x);
  }

  @Test
  void offsetsWrapAroundAsIntsDo() {
    KernelBody.Of1<I32> body =
        (Item it, I32 y) -> {
          int high = (int) it.global() * 0x1000_0000;
          int low = (high + Integer.MAX_VALUE) & 63;
          y.set(low - it.global(), (high << 3) + 7);
          int back = (high - 0x7000_0000 + 0x7000_0000) >>> 26;
          y.set(64 + back, high);
        };
    KernelTargets.compare(body, 4, 4, new int[256]);
  }

  @Test
  void countersThatWrapAroundGoOn() {
    KernelBody.Of3<I32, Integer, Integer> body =
        (Item it, I32 y, Integer from, Integer most) -> {
          int turns = 0;
          for (int i = from; i < most - 1; i += 3) {
            turns++;
            if (turns == 5) {
              break;
            }
          }
          int others = 0;
          for (int i = from; i <= most; i++) {
            others++;
            if (i < 0) {
              break;
            }
          }
          y.set(it.global() * 2, turns);
          y.set(it.global() * 2 + 1, others);
        };
    KernelTargets.compare(body, 4, 4, new int[8], Integer.MAX_VALUE - 4, Integer.MAX_VALUE);
  }

  @Test
  void countersKeepTheirValueBehindTheLoop() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 y, I32 x) -> {
          int i = 3;
          for (; i < 20; i += 4) {
            if (x.get(i) == it.global()) {
              break;
            }
          }
          int k = (int) it.global();
          while (k <= 9) {
            k++;
          }
          int j = it.local();
          for (; j < x.length(); j += 5) {
            if (j % 3 == 2) {
              continue;
            }
            y.set(it.global(), y.get(it.global()) + x.get(j));
          }
          y.set(it.global(), y.get(it.global()) + i * 1_000_000 + k * 1_000 + j);
        };
    int[] x = new int[23];
    for (int i = 0; i < x.length; i++) {
      x[i] = i / 4;
    }
    KernelTargets.compare(body, 8, 21, new int[21], x);
  }

  @Test
  void itemsSideBySideHaveTheirOwnValues() {
    KernelBody.Of3<F32, F32, Float> body =
        (Item it, F32 y, F32 x, Float a) -> {
          long i = it.global();
          float sum = 0;
          for (int k = 0; k < 5; k++) {
            sum += x.get(i + k) * x.get(k) - a;
          }
          float root = (float) Math.sqrt(Math.abs(sum));
          y.set(i, Math.fma(sum, a, sum < 0 ? -root : 1 / root));
        };
    for (int n : new int[] {1, 7, 16, 33, 100, 255}) {
      KernelTargets.compare(body, 64, n, new float[n], floats(n + 4), 0.25f);
    }
  }

  @Test
  void itemsSideBySideFuseWhenTold() {
    KernelBody.Of2<F32, F32> body =
        (Item it, F32 y, F32 x) -> {
          long i = it.global();
          y.set(i, Math.fma(x.get(i), x.get(i + 1), -x.get(i) * x.get(i + 1)));
        };
    KernelTargets.compare(body, 32, 100, new float[100], floats(101));
  }

  @Test
  void itemsSideBySideTakeDifferentSides() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 y, I32 x) -> {
          long i = it.global();
          int a = x.get(i);
          int b = 3;
          if (a < 0) {
            b = a * 5;
            if ((a & 8) != 0) {
              a = -a;
            } else {
              b += it.local();
            }
          } else if (i > 40) {
            a += (int) i;
          }
          y.set(i, a ^ b);
        };
    KernelTargets.compare(body, 32, 100, new int[100], ints(100));
  }

  @Test
  void itemsSideBySideOfAllTypes() {
    KernelBody.Of5<I64, F64, I32, I8, F32> body =
        (Item it, I64 a, F64 b, I32 c, I8 d, F32 e) -> {
          long i = it.global();
          long wide = a.get(i) * 3 + c.get(i);
          int narrow = (int) wide ^ (c.get(i) >>> 3) ^ (d.get(i) << 5);
          double real = b.get(i) * e.get(i) + narrow;
          a.set(i, wide + (narrow > 0 ? 1 : 2));
          b.set(i, real);
          c.set(i, narrow);
          d.set(i, (byte) narrow);
          e.set(i, (float) real);
        };
    int n = 77;
    SplittableRandom random = new SplittableRandom(7);
    long[] a = random.longs(n).toArray();
    double[] b = random.doubles(n, -1, 1).toArray();
    byte[] d = new byte[n];
    random.nextBytes(d);
    KernelTargets.compare(body, 32, n, a, b, ints(n), d, floats(n));
  }

  @Test
  void tilesOfAProductAreSharedByItemsSideBySide() {
    KernelBody.Of3<F32, F32, F32> body =
        (Item it, F32 c, F32 a, F32 b) -> {
          float[] left = it.sharedFloats(16 * 16);
          float[] right = it.sharedFloats(16 * 16);
          int i = it.local(0);
          int j = it.local(1);
          int n = (int) it.globalSize(1);
          float sum = 0;
          for (int tile = 0; tile < n; tile += 16) {
            left[i * 16 + j] = a.get(it.global(0) * n + tile + j);
            right[i * 16 + j] = b.get((long) (tile + i) * n + it.global(1));
            it.barrier();
            for (int k = 0; k < 16; k++) {
              sum += left[i * 16 + k] * right[k * 16 + j];
            }
            it.barrier();
          }
          c.set(it.global(0) * n + it.global(1), sum);
        };
    int n = 48;
    KernelTargets.compare(
        body, Shape.of(16, 16), Shape.of(n, n), new float[n * n], floats(n * n), floats(n * n + 1));
  }

  @Test
  void stridesOfABlockGoThroughAllElements() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 bins, I32 keys) -> {
          int[] counts = it.sharedInts(64);
          counts[it.local()] = 0;
          it.barrier();
          for (int k = it.local(); k < 1000; k += 64) {
            it.atomicAdd(counts, keys.get(it.block() * 1000 + k) & 63, k);
          }
          it.barrier();
          for (long k = it.global(); k < keys.length(); k += it.globalSize()) {
            it.atomicAdd(counts, keys.get(k) >>> 26, 1);
          }
          it.barrier();
          it.atomicAdd(bins, it.local(), counts[it.local()]);
        };
    KernelTargets.compare(body, 64, 256, new int[64], ints(4001));
  }
}
