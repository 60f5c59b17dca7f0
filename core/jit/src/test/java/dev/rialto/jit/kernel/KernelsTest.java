package dev.rialto.jit.kernel;

import static dev.rialto.jit.kernel.KernelTargets.compare;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whole kernels, on every target and device, against the method as the JVM runs it. */
@Tag("gpu")
class KernelsTest {
  private static double[] random(int n) {
    return new Random(7).doubles(n, -2, 2).toArray();
  }

  @Test
  void saxpyNeedsNoGuardForItemsThatThereAreNot() {
    KernelBody.Of3<F64, F64, Double> body =
        (Item it, F64 y, F64 x, Double a) -> {
          long i = it.global();
          y.set(i, a * x.get(i) + y.get(i));
        };
    compare(body, 64, 1000, random(1000), random(1000), 1.7);
  }

  @Test
  void theHistogramOfBlocksIsTheHistogram() {
    KernelBody.Of2<I32, F32> body =
        (Item it, I32 bins, F32 x) -> {
          int[] local = it.sharedInts(64);
          for (int b = it.local(); b < 64; b += it.blockSize()) {
            local[b] = 0;
          }
          it.barrier();
          for (long i = it.global(); i < x.length(); i += it.globalSize()) {
            it.atomicAdd(local, (int) (x.get(i) * 64), 1);
          }
          it.barrier();
          for (int b = it.local(); b < 64; b += it.blockSize()) {
            it.atomicAdd(bins, b, local[b]);
          }
        };
    float[] x = new float[5000];
    Random random = new Random(3);
    for (int i = 0; i < x.length; i++) {
      x[i] = random.nextFloat();
    }
    compare(body, 32, 320, new int[64], x);
  }

  @Test
  void aTreeOfSumsWaitsAtABarrierInALoop() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 sums, F64 x) -> {
          double[] part = it.sharedDoubles(64);
          int me = it.local();
          part[me] = x.get(it.global());
          it.barrier();
          for (int half = it.blockSize() / 2; half > 0; half /= 2) {
            if (me < half) {
              part[me] += part[me + half];
            }
            it.barrier();
          }
          if (me == 0) {
            sums.set(it.block(), part[0]);
          }
        };
    compare(body, 64, 640, new double[10], random(640));
  }

  @Test
  void itemsThatReturnAreNotAwaited() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 out, I32 x) -> {
          int[] seen = it.sharedInts(32);
          seen[it.local()] = x.get(it.global());
          it.barrier();
          if (x.get(it.global()) < 0) {
            return;
          }
          int sum = 0;
          for (int i = 0; i < it.blockSize(); i++) {
            sum += seen[i];
          }
          it.barrier();
          out.set(it.global(), sum);
        };
    int[] x = new Random(5).ints(100, -10, 10).toArray();
    compare(body, 32, 100, new int[100], x);
  }

  @Test
  void gatherAndLoopsWhoseEndDependsOnData() {
    KernelBody.Of5<F64, I32, I32, F64, F64> product =
        (Item it, F64 y, I32 starts, I32 columns, F64 values, F64 x) -> {
          int row = (int) it.global();
          double sum = 0;
          for (int k = starts.get(row); k < starts.get(row + 1); k++) {
            sum += values.get(k) * x.get(columns.get(k));
          }
          y.set(row, sum);
        };
    Random random = new Random(11);
    int rows = 200;
    int[] starts = new int[rows + 1];
    for (int i = 0; i < rows; i++) {
      starts[i + 1] = starts[i] + random.nextInt(9);
    }
    int[] columns = random.ints(starts[rows], 0, rows).toArray();
    compare(
        product, 64, rows, new double[rows], starts, columns, random(columns.length), random(rows));
  }

  @Test
  void mandelbrotLeavesItsLoopEarly() {
    KernelBody.Of2<I32, Integer> body =
        (Item it, I32 out, Integer width) -> {
          long i = it.global();
          double cr = -2 + 3.0 * (i % width) / width;
          double ci = -1.5 + 3.0 * (i / width) / width;
          double r = 0;
          double m = 0;
          int n = 0;
          while (n < 100) {
            double r2 = r * r;
            double m2 = m * m;
            if (r2 + m2 > 4) {
              break;
            }
            m = 2 * r * m + ci;
            r = r2 - m2 + cr;
            n++;
          }
          out.set(i, n);
        };
    compare(body, 128, 32 * 32, new int[32 * 32], 32);
  }
}
