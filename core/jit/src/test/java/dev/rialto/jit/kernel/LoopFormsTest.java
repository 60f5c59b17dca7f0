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
