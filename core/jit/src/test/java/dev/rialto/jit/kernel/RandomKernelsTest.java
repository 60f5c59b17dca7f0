package dev.rialto.jit.kernel;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random methods, compiled from source, on every target against the method as the JVM runs it. */
@Tag("gpu")
class RandomKernelsTest {
  private static final int ITEMS = 37;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void everyTargetGivesTheBitsOfTheJvm(long seed) {
    check(seed);
  }

  static void check(long seed) {
    String source = RandomMethod.source(seed);
    try {
      Class<?> type = CompiledSource.load("Generated", source, seed % 2 == 0 ? "-g" : "-g:none");
      KernelBody body = (KernelBody) type.getMethod("body").invoke(null);
      int n = ITEMS * RandomMethod.OWN;
      Random random = new Random(seed);
      float[] floats = new float[n];
      byte[] bytes = new byte[n];
      random.nextBytes(bytes);
      for (int i = 0; i < n; i++) {
        floats[i] = (float) random.nextGaussian() * 100;
      }
      double[] doubles = random.doubles(n, -1e6, 1e6).toArray();
      long[] longs = random.longs(n).toArray();
      int[] ints = random.ints(n).toArray();
      KernelTargets.compare(body, 16, ITEMS, doubles, floats, longs, ints, bytes, 5);
    } catch (ReflectiveOperationException | RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ":\n" + source, e);
    }
  }

  /** Tries seeds from the command line: the first, and how many. */
  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    for (long seed = first; seed < first + Long.parseLong(args[1]); seed++) {
      try {
        check(seed);
      } catch (AssertionError e) {
        System.out.println(
            "FAILED seed " + seed + ": " + String.valueOf(e.getCause()).lines().limit(3).toList());
      }
    }
  }
}
