package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Small kernels that tests launch. */
final class Kernels {
  private Kernels() {}

  static Parameter reads(String name) {
    return new Parameter(name, DType.F64, Access.READ);
  }

  static Parameter writes(String name) {
    return new Parameter(name, DType.F64, Access.WRITE);
  }

  static Parameter updates(String name) {
    return new Parameter(name, DType.F64, Access.READ_WRITE);
  }

  /** Adds 1 to each element of x. */
  static LoweredKernel increment() {
    return new JavaBody(
        "increment",
        List.of(updates("x")),
        (begin, end, buffers) -> {
          MemorySegment x = buffers.get(0);
          for (long i = begin; i < end; i++) {
            x.setAtIndex(JAVA_DOUBLE, i, x.getAtIndex(JAVA_DOUBLE, i) + 1);
          }
        });
  }

  /** Sets z to x + 2 y. */
  static LoweredKernel combine() {
    return new JavaBody(
        "combine",
        List.of(reads("x"), reads("y"), writes("z")),
        (begin, end, buffers) -> {
          for (long i = begin; i < end; i++) {
            double x = buffers.get(0).getAtIndex(JAVA_DOUBLE, i);
            double y = buffers.get(1).getAtIndex(JAVA_DOUBLE, i);
            buffers.get(2).setAtIndex(JAVA_DOUBLE, i, x + 2 * y);
          }
        });
  }

  /** Does nothing. */
  static LoweredKernel nothing() {
    return new JavaBody("nothing", List.of(), (_, _, _) -> {});
  }

  /** Waits for a gate, and updates x or nothing at all. */
  static LoweredKernel gate(CountDownLatch gate, Parameter... parameters) {
    return new JavaBody("gate", List.of(parameters), (_, _, _) -> await(gate));
  }

  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the gate stayed closed");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Throws what it is given. */
  static LoweredKernel failing(RuntimeException failure) {
    return new JavaBody(
        "failing",
        List.of(updates("x")),
        (_, _, _) -> {
          throw failure;
        });
  }

  static Buffer create(ComputeClient client, double... values) {
    return client.create(MemorySegment.ofArray(values));
  }

  static double[] doubles(ComputeClient client, Buffer buffer) {
    return client.read(buffer).toArray(JAVA_DOUBLE);
  }
}
