package dev.rialto.fft.engine;

/**
 * Powers of exp(∓2πi/order), each the product of an entry of one of two short tables each: so the
 * tables have the square root of the powers, and every power is within two roundings.
 */
public final class RootsOfUnity {
  private final long order;
  private final int bits;
  private final double[] low;
  private final double[] high;

  public RootsOfUnity(long order, boolean inverse) {
    this.order = order;
    this.bits = (Long.SIZE - Long.numberOfLeadingZeros(order)) / 2;
    this.low = powers(1, 1L << bits, inverse);
    this.high = powers(1L << bits, (order >> bits) + 1, inverse);
  }

  private double[] powers(long step, long count, boolean inverse) {
    double[] powers = new double[Math.toIntExact(2 * count)];
    for (int i = 0; i < count; i++) {
      double angle = 2 * Math.PI * ((double) (i * step) / order);
      powers[2 * i] = Math.cos(angle);
      powers[2 * i + 1] = inverse ? Math.sin(angle) : -Math.sin(angle);
    }
    return powers;
  }

  public long order() {
    return order;
  }

  /** Returns the real part of a power from 0 to the order. */
  public double real(long power) {
    int l = low(power);
    int h = high(power);
    return low[l] * high[h] - low[l + 1] * high[h + 1];
  }

  /** Returns the imaginary part of a power from 0 to the order. */
  public double imaginary(long power) {
    int l = low(power);
    int h = high(power);
    return low[l] * high[h + 1] + low[l + 1] * high[h];
  }

  private int low(long power) {
    return 2 * (int) (power & ((1L << bits) - 1));
  }

  private int high(long power) {
    return 2 * (int) (power >> bits);
  }
}
