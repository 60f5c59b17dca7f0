package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.kernel.KernelCompiler.Form;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The declaration that the head of a kernel becomes. */
class KernelFormTest {
  private static Source scale(String head) {
    return new Source(
        "scale",
        List.of(
            new Parameter("x", DType.F64, Access.READ),
            new Parameter("y", DType.F64, Access.WRITE)),
        "cuda",
        "extern \"C\" __global__ void __launch_bounds__(256) scale(" + head + ") { y[0] = x[0]; }");
  }

  private static final Source SCALE =
      scale("const double *__restrict__ x, double* y, long long from, long long to");

  @Test
  void aCountShortensTheRange() {
    assertThat(KernelForm.text(SCALE, new Form(false, true)))
        .contains(
            "scale(const double *__restrict__ x, double* y, const long long *rialto_own_count,"
                + " long long from, long long to)")
        .contains("if (*rialto_own_count < to) to = *rialto_own_count;");
  }

  @Test
  void checkedBuffersKnowTheirSizeAndNumber() {
    assertThat(KernelForm.text(SCALE, new Form(true, false)))
        .contains(
            "scale(const double *rialto_own_x, double *rialto_own_y, long long from, long long to,"
                + " long long rialto_own_bytes_x, long long rialto_own_bytes_y,"
                + " long long *rialto_own_note)")
        .contains("rialto_own_buffer<const double> x(rialto_own_x, rialto_own_bytes_x, 0, from +")
        .contains("rialto_own_buffer<double> y(rialto_own_y, rialto_own_bytes_y, 1, from +")
        .contains("{ y[0] = x[0]; }".substring(2));
  }

  @Test
  void bothGoTogether() {
    assertThat(KernelForm.text(SCALE, new Form(true, true)))
        .contains("double *rialto_own_y, const long long *rialto_own_count, long long from");
  }

  @Test
  void headsThatAreNoneAreRefused() {
    assertThatThrownBy(
            () -> KernelForm.text(scale("double *x, double *y, int n"), new Form(true, false)))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("3 parameters and not 4");
    Source other = new Source("other", List.of(), "cuda", SCALE.text());
    assertThatThrownBy(() -> KernelForm.text(other, new Form(true, false)))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("no __global__ function");
  }
}
