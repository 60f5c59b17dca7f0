package dev.rialto.bench.comm;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/** The STREAM triad, a = b + s c, over arrays far larger than the caches. */
final class Triad implements AutoCloseable {
  private static final VectorSpecies<Double> LANES = DoubleVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final double SCALE = 3;

  private final long count;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment a;
  private final MemorySegment b;
  private final MemorySegment c;

  /** Made once: a new method reference for each loop would be counted as the loop's. */
  private final RangeBody body = this::part;

  Triad(long count, Executor executor) {
    this.count = count;
    a = arena.allocate(8 * count, 64);
    b = arena.allocate(8 * count, 64);
    c = arena.allocate(8 * count, 64);
    executor.parallelFor(
        0,
        count,
        (from, to) -> {
          for (long i = from; i < to; i++) {
            b.setAtIndex(ValueLayout.JAVA_DOUBLE, i, (double) i);
            c.setAtIndex(ValueLayout.JAVA_DOUBLE, i, 1);
            a.setAtIndex(ValueLayout.JAVA_DOUBLE, i, 0);
          }
        });
  }

  void run(Executor executor) {
    executor.parallelFor(0, count, body);
  }

  private void part(long from, long to) {
    long i = from;
    for (; i <= to - LANES.length(); i += LANES.length()) {
      DoubleVector vb = DoubleVector.fromMemorySegment(LANES, b, 8 * i, ORDER);
      DoubleVector vc = DoubleVector.fromMemorySegment(LANES, c, 8 * i, ORDER);
      vc.fma(DoubleVector.broadcast(LANES, SCALE), vb).intoMemorySegment(a, 8 * i, ORDER);
    }
    for (; i < to; i++) {
      a.setAtIndex(
          ValueLayout.JAVA_DOUBLE,
          i,
          b.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
              + SCALE * c.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
    }
  }

  /** Checks some results, so that no loop is timed that did not run. */
  void check() {
    for (long i = 0; i < count; i += Math.max(1, count / 1000)) {
      double value = a.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      if (value != i + SCALE) {
        throw new IllegalStateException("triad gave " + value + " at " + i);
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
