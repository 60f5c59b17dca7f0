package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties.Feature;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Body;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The devices that tests run on by name, and small kernels in the language of each. */
final class Kernels {
  private Kernels() {}

  /**
   * Returns {@code fake}, {@code hidden}, whose memory the host does not reach, or the first device
   * of a backend; a test is skipped, and says why, if that has none here.
   */
  static Device device(String name) {
    return switch (name) {
      case "fake" -> new FakeDevice(1, false, 0);
      case "hidden" -> new FakeDevice(1, true, 0);
      default -> TestDevices.get(name);
    };
  }

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
  static Kernel increment(ComputeClient client) {
    return compile(
        client,
        "increment",
        List.of(updates("x")),
        "x[i] += 1;",
        (begin, end, buffers) -> {
          MemorySegment x = buffers.get(0);
          for (long i = begin; i < end; i++) {
            x.setAtIndex(JAVA_DOUBLE, i, x.getAtIndex(JAVA_DOUBLE, i) + 1);
          }
        });
  }

  /** Sets z to x + 2 y. */
  static Kernel combine(ComputeClient client) {
    return compile(
        client,
        "combine",
        List.of(reads("x"), reads("y"), writes("z")),
        "z[i] = x[i] + 2 * y[i];",
        (begin, end, buffers) -> {
          for (long i = begin; i < end; i++) {
            double x = buffers.get(0).getAtIndex(JAVA_DOUBLE, i);
            double y = buffers.get(1).getAtIndex(JAVA_DOUBLE, i);
            buffers.get(2).setAtIndex(JAVA_DOUBLE, i, x + 2 * y);
          }
        });
  }

  private static Kernel compile(
      ComputeClient client, String name, List<Parameter> parameters, String statement, Body body) {
    if (takesJava(client)) {
      return client.compile(new JavaBody(name, parameters, body));
    }
    boolean opencl = client.device().name().startsWith("opencl:");
    String space = opencl ? "__global " : "";
    String pointers =
        parameters.stream()
            .map(
                each ->
                    space
                        + (each.access() == Access.READ ? "const " : "")
                        + "double *"
                        + each.name())
            .collect(Collectors.joining(", "));
    String text =
        opencl
            ? """
            __kernel void %s(%s, long begin, long end) {
              long i = begin + get_global_id(0);
              if (i < end) %s
            }
            """
            : """
            extern "C" __global__ void %s(%s, long long begin, long long end) {
              long long i = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
              if (i < end) %s
            }
            """;
    String language = opencl ? "opencl-c" : "cuda";
    return client.compile(
        new Source(name, parameters, language, text.formatted(name, pointers, statement)));
  }

  /** Compiles a kernel that is Java; the test is skipped where a device takes none. */
  static Kernel java(ComputeClient client, String name, List<Parameter> parameters, Body body) {
    assumeJava(client);
    return client.compile(new JavaBody(name, parameters, body));
  }

  static void assumeJava(ComputeClient client) {
    assumeTrue(takesJava(client), client.device().name() + " takes no kernels in Java");
  }

  private static boolean takesJava(ComputeClient client) {
    return client.device().properties().features().contains(Feature.JAVA_KERNELS);
  }

  /** Adds code of the host that uses buffers. */
  static void run(
      ComputeClient client, String name, Runnable code, Access access, Buffer... buffers) {
    List<Footprint.Use> uses =
        Stream.of(buffers).map(buffer -> new Footprint.Use(buffer, access)).toList();
    client.stream()
        .submit(
            Operation.at(Operation.Kind.HOST, name, 0),
            new Footprint(uses),
            stream -> stream.run(code));
  }

  /** Holds the stream, and what depends on its use of buffers, back at a gate. */
  static void hold(ComputeClient client, CountDownLatch gate, Access access, Buffer... buffers) {
    run(client, "gate", () -> await(gate), access, buffers);
  }

  static void hold(ComputeClient client, CountDownLatch gate) {
    hold(client, gate, Access.READ);
  }

  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(200, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the gate stayed closed");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static Buffer create(ComputeClient client, double... values) {
    return client.create(MemorySegment.ofArray(values));
  }

  static double[] doubles(ComputeClient client, Buffer buffer) {
    return client.read(buffer).toArray(JAVA_DOUBLE);
  }
}
