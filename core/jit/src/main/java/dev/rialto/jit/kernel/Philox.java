package dev.rialto.jit.kernel;

/**
 * Random numbers by counter: four words that depend on nothing but a key and a counter, by ten
 * rounds of the generator Philox 4x32. Items of a kernel and elements of an array need no state for
 * theirs, and get the same on every device.
 *
 * @param first the first word
 * @param second the second word
 * @param third the third word
 * @param fourth the fourth word
 */
public record Philox(int first, int second, int third, int fourth) {
  private static final long LOW = 0xFFFFFFFFL;
  private static final long FACTOR_1 = 0xD2511F53L;
  private static final long FACTOR_2 = 0xCD9E8D57L;
  private static final int STEP_1 = 0x9E3779B9;
  private static final int STEP_2 = 0xBB67AE85;
  private static final int ROUNDS = 10;

  /**
   * Returns the words of a place in a sequence.
   *
   * @param seed the sequence, which is the key
   * @param low the lower half of the counter
   * @param high the upper half of the counter
   */
  public static Philox of(long seed, long low, long high) {
    int a = (int) low;
    int b = (int) (low >>> 32);
    int c = (int) high;
    int d = (int) (high >>> 32);
    int keyA = (int) seed;
    int keyB = (int) (seed >>> 32);
    for (int round = 0; round < ROUNDS; round++) {
      long x = (a & LOW) * FACTOR_1;
      long y = (c & LOW) * FACTOR_2;
      a = (int) (y >>> 32) ^ b ^ keyA;
      b = (int) y;
      c = (int) (x >>> 32) ^ d ^ keyB;
      d = (int) x;
      keyA += STEP_1;
      keyB += STEP_2;
    }
    return new Philox(a, b, c, d);
  }

  /** Returns a number in [0, 1), one of 2<sup>24</sup> that are equally likely. */
  public static float uniformFloat(long seed, long counter) {
    return (of(seed, counter, 0).first >>> 8) * 0x1p-24f;
  }

  /** Returns a number in [0, 1), one of 2<sup>53</sup> that are equally likely. */
  public static double uniformDouble(long seed, long counter) {
    Philox words = of(seed, counter, 0);
    return ((words.first >>> 5) * 0x1p26 + (words.second >>> 6)) * 0x1p-53;
  }
}
