package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.tck.reference.Place;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** Random lines to transform as a spec says, and what must come of them. */
final class FftLines implements AutoCloseable {
  private static final long GUARD = 64;

  private final Place place;
  private final FftSpec spec;
  private final byte[] input;
  private final byte[] untouched;
  private final Place.Block in;
  private final Place.Block out;

  FftLines(Place place, FftSpec spec, Random random) {
    this.place = place;
    this.spec = spec;
    input = new byte[Math.toIntExact(inBytes() + GUARD)];
    ByteBuffer values = ByteBuffer.wrap(input).order(ByteOrder.nativeOrder());
    while (values.remaining() >= Double.BYTES) {
      // Gaps too: a value read from there by mistake is then noticed.
      if (spec.precision() == DType.F64) {
        values.putDouble(random.nextDouble(-1, 1));
      } else {
        values.putFloat(random.nextFloat(-1, 1));
      }
    }
    untouched = new byte[Math.toIntExact(outBytes() + GUARD)];
    random.nextBytes(untouched);
    in = place.block(input);
    out = place.block(untouched);
  }

  long inBytes() {
    return spec.inBytes();
  }

  long outBytes() {
    return spec.outBytes();
  }

  MemorySegment in() {
    return in.segment();
  }

  MemorySegment out() {
    return out.segment();
  }

  byte[] output() {
    return out.read();
  }

  void execute(FftPlan plan) {
    try (Place.Block workspace = place.empty(plan.workspaceBytes())) {
      plan.execute(in(), out(), workspace.segment());
    }
  }

  /** Executes with a workspace that holds what nothing can be computed from. */
  void executeTwice(FftPlan plan) {
    byte[] poison = new byte[Math.toIntExact(plan.workspaceBytes())];
    Arrays.fill(poison, (byte) 0xFF);
    try (Place.Block workspace = place.block(poison)) {
      plan.execute(in(), out(), workspace.segment());
      plan.execute(in(), out(), workspace.segment());
    }
  }

  void executeInPlace(FftPlan plan) {
    try (Place.Block workspace = place.empty(plan.workspaceBytes())) {
      plan.execute(in(), in(), workspace.segment());
    }
  }

  void assertInputUnchanged() {
    assertArrayEquals(input, in.read(), "the input after the transform");
  }

  void assertTransformed() {
    assertTransformed(out.read(), untouched);
  }

  void assertTransformedInPlace() {
    assertTransformed(in.read(), input);
  }

  private void assertTransformed(byte[] result, byte[] before) {
    byte[] rest = result.clone();
    for (int plane = 0; plane < spec.planes(); plane++) {
      for (int line = 0; line < spec.lines(); line++) {
        long from = plane * spec.inPlane() + line * spec.inDistance();
        double[] x = line(input, from, spec.inPoints(), spec.inStride(), true);
        double[] expected = FftReference.transform(spec.kind(), Math.toIntExact(spec.length()), x);
        for (int i = 0; i < expected.length; i++) {
          expected[i] *= spec.scale();
        }
        long to = plane * spec.outPlane() + line * spec.outDistance();
        double[] actual = line(result, to, spec.outPoints(), spec.outStride(), false);
        assertClose(expected, actual, line);
        for (int point = 0; point < spec.outPoints(); point++) {
          long at = spec.outType().bytes(to + point * spec.outStride());
          System.arraycopy(before, (int) at, rest, (int) at, spec.outType().size());
        }
      }
    }
    assertArrayEquals(before, rest, "memory between and behind the output lines");
  }

  private double[] line(byte[] memory, long first, long points, long stride, boolean isInput) {
    boolean complex = isInput ? spec.kind().complexInput() : spec.kind().complexOutput();
    int parts = complex ? 2 : 1;
    int size = spec.precision().size();
    ByteBuffer values = ByteBuffer.wrap(memory).order(ByteOrder.nativeOrder());
    double[] numbers = new double[Math.toIntExact(points) * parts];
    for (int i = 0; i < numbers.length; i++) {
      long element = first + i / parts * stride;
      int at = Math.toIntExact((element * parts + i % parts) * size);
      numbers[i] = spec.precision() == DType.F64 ? values.getDouble(at) : values.getFloat(at);
    }
    return numbers;
  }

  /** Compares by the norm of the difference: a fast transform errs by a few ulp per stage. */
  private void assertClose(double[] expected, double[] actual, int line) {
    double difference = 0;
    double norm = 0;
    for (int i = 0; i < expected.length; i++) {
      difference += (expected[i] - actual[i]) * (expected[i] - actual[i]);
      norm += expected[i] * expected[i];
    }
    double error = Math.sqrt(difference / norm);
    double unit = spec.precision() == DType.F64 ? 0x1p-53 : 0x1p-24;
    double limit = 8 * unit * (1 + Math.log((double) spec.length()) / Math.log(2));
    assertEquals(expected.length, actual.length);
    assertTrue(
        error <= limit, () -> "line " + line + ": relative error " + error + " exceeds " + limit);
  }

  @Override
  public void close() {
    in.close();
    out.close();
  }
}
