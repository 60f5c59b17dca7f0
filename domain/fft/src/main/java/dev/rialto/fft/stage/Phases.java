package dev.rialto.fft.stage;

import dev.rialto.fft.engine.Numbers;
import dev.rialto.fft.engine.RootsOfUnity;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;

/**
 * Multiplies the elements of a line by a {@link Phase} each, and makes the line longer by zeros or
 * shorter by what is at its end, or real by leaving the imaginary parts out.
 */
public final class Phases implements Stage {
  private final Step.Phases step;
  private final RootsOfUnity roots;
  private final long first;
  private final long count;
  private final long results;
  private final long power;
  private final long increment;

  public Phases(Step.Phases step, int rank) {
    this.step = step;
    Phase phase = step.phase();
    this.roots = new RootsOfUnity(phase.order(), step.inverse());
    this.first = step.longer().axis(0).first(rank);
    this.count = step.from().localCount(rank);
    this.results = step.to().localCount(rank);
    BigInteger j = BigInteger.valueOf(first);
    BigInteger order = BigInteger.valueOf(phase.order());
    this.power =
        j.multiply(BigInteger.valueOf(phase.square()))
            .add(BigInteger.valueOf(phase.linear()))
            .multiply(j)
            .add(BigInteger.valueOf(phase.shift()))
            .mod(order)
            .longValueExact();
    this.increment =
        j.shiftLeft(1)
            .add(BigInteger.ONE)
            .multiply(BigInteger.valueOf(phase.square()))
            .add(BigInteger.valueOf(phase.linear()))
            .mod(order)
            .longValueExact();
  }

  @Override
  public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    Phase phase = step.phase();
    DType from = step.fromType();
    DType to = step.toType();
    long order = roots.order();
    long curve = 2 * phase.square() % order;
    long at = power;
    long by = increment;
    long kept = Math.min(count, results);
    for (long i = 0; i < kept; i++) {
      double weight = phase.weight(first + i, step.shorter().shape().extent(0));
      double re = Numbers.real(from, in, i);
      double im = Numbers.imaginary(from, in, i);
      double c = weight * roots.real(at);
      double s = weight * roots.imaginary(at);
      Numbers.set(to, out, i, re * c - im * s, re * s + im * c);
      at += by;
      at -= at >= order ? order : 0;
      by += curve;
      by -= by >= order ? order : 0;
    }
    for (long i = kept; i < results; i++) {
      Numbers.set(to, out, i, 0, 0);
    }
  }

  @Override
  public long inBytes() {
    return step.fromType().bytes(count);
  }

  @Override
  public long outBytes() {
    return step.toType().bytes(results);
  }

  @Override
  public String toString() {
    return "%d elements of a line of %d times phases, as a line of %d"
        .formatted(count, step.from().shape().extent(0), step.to().shape().extent(0));
  }
}
