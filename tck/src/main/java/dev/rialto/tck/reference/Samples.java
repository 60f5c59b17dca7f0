package dev.rialto.tck.reference;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.tck.SampleKernels;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.opentest4j.AssertionFailedError;

/** The kernels that compilers are checked with, by language. */
public final class Samples {
  public static final List<Parameter> PARAMETERS =
      List.of(
          new Parameter("in", DType.F64, Access.READ),
          new Parameter("out", DType.F64, Access.READ_WRITE));

  /** Kernels as text: C, and CUDA C++ and OpenCL C whose items divide the indices among them. */
  private static final List<SampleKernels> TEXTS =
      List.of(
          new Text(
              "c",
              """
              void affine(const double *in, double *out, long long begin, long long end) {
                for (long long i = begin; i < end; i++) out[i] += 3 * in[i] + i;
              }
              """),
          new Text(
              "cuda",
              """
              extern "C" __global__ void affine(
                  const double *in, double *out, long long begin, long long end) {
                long long threads = (long long)gridDim.x * blockDim.x;
                long long first = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
                for (long long i = first; i < end; i += threads) out[i] += 3 * in[i] + i;
              }
              """),
          new Text(
              "opencl-c",
              """
              __kernel void affine(
                  __global const double *in, __global double *out, long begin, long end) {
                for (long i = begin + get_global_id(0); i < end; i += get_global_size(0))
                  out[i] += 3 * in[i] + i;
              }
              """));

  private record Text(String language, String text) implements SampleKernels {
    @Override
    public LoweredKernel affine() {
      return new LoweredKernel.Source("affine", PARAMETERS, language, text);
    }

    @Override
    public LoweredKernel broken() {
      return new LoweredKernel.Source("broken", PARAMETERS, language, "void broken( {");
    }
  }

  private Samples() {}

  public static LoweredKernel affineInJava() {
    return new LoweredKernel.JavaBody(
        "affine",
        PARAMETERS,
        (begin, end, buffers) -> {
          for (long i = begin; i < end; i++) {
            double in = buffers.get(0).getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            double out = buffers.get(1).getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            buffers.get(1).setAtIndex(ValueLayout.JAVA_DOUBLE, i, out + 3 * in + i);
          }
        });
  }

  public static LoweredKernel affine(String language) {
    return language.equals(LoweredKernel.JAVA) ? affineInJava() : of(language).affine();
  }

  public static SampleKernels of(String language) {
    Stream<SampleKernels> services =
        StreamSupport.stream(ServiceLoader.load(SampleKernels.class).spliterator(), false);
    return Stream.concat(services, TEXTS.stream())
        .filter(samples -> samples.language().equals(language))
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionFailedError(
                    ("the compiler takes '%s', for which the kit has no kernels; provide "
                            + "them as a service of %s")
                        .formatted(language, SampleKernels.class.getName())));
  }
}
