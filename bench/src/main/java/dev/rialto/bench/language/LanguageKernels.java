package dev.rialto.bench.language;

import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.Item;

/** The kernels of {@link LanguageSuite}; the peers do the same steps in C and CUDA C. */
public final class LanguageKernels {
  /** The items of a block where the kernel counts on it. */
  public static final int BLOCK = 256;

  /** The elements of an item of a scan and of a radix sort. */
  public static final int PER_ITEM = 16;

  /** The keys that a block of a histogram counts. */
  public static final int CHUNK = 8192;

  /** The sides of a tile of a matrix product. */
  public static final int TILE = 16;

  /** The digits of a radix sort. */
  public static final int DIGITS = 16;

  private LanguageKernels() {}

  public static void saxpy(Item it, F32 y, F32 x, float a) {
    long i = it.global();
    y.set(i, a * x.get(i) + y.get(i));
  }

  public static void stencil5(Item it, F32 b, F32 a, int n) {
    long at = (it.global(0) + 1) * n + it.global(1) + 1;
    float around = a.get(at - 1) + a.get(at + 1) + a.get(at - n) + a.get(at + n);
    b.set(at, 0.5f * a.get(at) + 0.125f * around);
  }

  public static void stencil7(Item it, F32 b, F32 a, int n) {
    long at = ((it.global(0) + 1) * n + it.global(1) + 1) * n + it.global(2) + 1;
    float inPlane = a.get(at - 1) + a.get(at + 1) + a.get(at - n) + a.get(at + n);
    float around = inPlane + a.get(at - (long) n * n) + a.get(at + (long) n * n);
    b.set(at, 0.4f * a.get(at) + 0.1f * around);
  }

  public static void bodies(Item it, F32 ax, F32 ay, F32 az, F32 x, F32 y, F32 z, F32 mass) {
    long i = it.global();
    float sumX = 0;
    float sumY = 0;
    float sumZ = 0;
    for (long j = 0; j < x.length(); j++) {
      float dx = x.get(j) - x.get(i);
      float dy = y.get(j) - y.get(i);
      float dz = z.get(j) - z.get(i);
      float inverse = 1 / (float) Math.sqrt(dx * dx + dy * dy + dz * dz + 0.001f);
      float pull = mass.get(j) * inverse * inverse * inverse;
      sumX += dx * pull;
      sumY += dy * pull;
      sumZ += dz * pull;
    }
    ax.set(i, sumX);
    ay.set(i, sumY);
    az.set(i, sumZ);
  }

  public static void mandelbrot(Item it, I32 counts, int n, int most) {
    double real = it.global(1) * (2.5 / n) - 2;
    double imaginary = it.global(0) * (2.5 / n) - 1.25;
    double a = 0;
    double b = 0;
    int count = 0;
    while (count < most && a * a + b * b <= 4) {
      double next = a * a - b * b + real;
      b = 2 * a * b + imaginary;
      a = next;
      count++;
    }
    counts.set(it.global(), count);
  }

  public static void histogram(Item it, I32 bins, I32 keys) {
    int[] counts = it.sharedInts(BLOCK);
    counts[it.local()] = 0;
    it.barrier();
    long first = it.block() * CHUNK;
    for (int k = it.local(); k < CHUNK; k += BLOCK) {
      it.atomicAdd(counts, keys.get(first + k) & 255, 1);
    }
    it.barrier();
    it.atomicAdd(bins, it.local(), counts[it.local()]);
  }

  public static void scan(Item it, I32 out, I32 x) {
    int[] sums = it.sharedInts(BLOCK);
    int local = it.local();
    long first = it.global() * PER_ITEM;
    int sum = 0;
    for (int k = 0; k < PER_ITEM; k++) {
      sum += x.get(first + k);
    }
    sums[local] = sum;
    it.barrier();
    for (int distance = 1; distance < BLOCK; distance *= 2) {
      int left = local >= distance ? sums[local - distance] : 0;
      it.barrier();
      sums[local] += left;
      it.barrier();
    }
    int running = sums[local] - sum;
    for (int k = 0; k < PER_ITEM; k++) {
      running += x.get(first + k);
      out.set(first + k, running);
    }
  }

  public static void csr(Item it, F64 y, I32 starts, I32 columns, F64 values, F64 x) {
    long row = it.global();
    int end = starts.get(row + 1);
    double sum = 0;
    for (int k = starts.get(row); k < end; k++) {
      sum += values.get(k) * x.get(columns.get(k));
    }
    y.set(row, sum);
  }

  public static void product(Item it, F32 c, F32 a, F32 b, int n) {
    float[] left = it.sharedFloats(TILE * TILE);
    float[] right = it.sharedFloats(TILE * TILE);
    int i = it.local(0);
    int j = it.local(1);
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
      left[i * TILE + j] = a.get(it.global(0) * n + tile + j);
      right[i * TILE + j] = b.get((long) (tile + i) * n + it.global(1));
      it.barrier();
      for (int k = 0; k < TILE; k++) {
        sum += left[i * TILE + k] * right[k * TILE + j];
      }
      it.barrier();
    }
    c.set(it.global(0) * n + it.global(1), sum);
  }

  public static void batched(Item it, F32 c, F32 a, F32 b) {
    long matrix = it.global(0) * 64;
    int i = it.local(1);
    int j = it.local(2);
    float sum = 0;
    for (int k = 0; k < 8; k++) {
      sum += a.get(matrix + 8L * i + k) * b.get(matrix + 8L * k + j);
    }
    c.set(matrix + 8L * i + j, sum);
  }

  /**
   * Moves keys to where their digits belong; starts has the place of each digit's first by block.
   */
  public static void radix(Item it, I32 out, I32 keys, I32 starts, int shift) {
    int[] counts = it.sharedInts(DIGITS * BLOCK);
    int[] sums = it.sharedInts(BLOCK);
    int local = it.local();
    long first = it.global() * PER_ITEM;
    for (int d = 0; d < DIGITS; d++) {
      counts[d * BLOCK + local] = 0;
    }
    for (int k = 0; k < PER_ITEM; k++) {
      int digit = keys.get(first + k) >>> shift & (DIGITS - 1);
      counts[digit * BLOCK + local]++;
    }
    it.barrier();
    int sum = 0;
    for (int k = 0; k < DIGITS; k++) {
      sum += counts[local * DIGITS + k];
    }
    sums[local] = sum;
    it.barrier();
    int perDigit = BLOCK / DIGITS;
    int place = starts.get(local / perDigit * it.blocks() + it.block());
    for (int k = local / perDigit * perDigit; k < local; k++) {
      place += sums[k];
    }
    for (int k = 0; k < DIGITS; k++) {
      int count = counts[local * DIGITS + k];
      counts[local * DIGITS + k] = place;
      place += count;
    }
    it.barrier();
    for (int k = 0; k < PER_ITEM; k++) {
      int key = keys.get(first + k);
      int at = (key >>> shift & (DIGITS - 1)) * BLOCK + local;
      out.set(counts[at]++, key);
    }
  }
}
