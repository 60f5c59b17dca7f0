package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import org.junit.jupiter.api.Test;

class CPrinterTest {
  private static String cuda(String text) {
    return CPrinter.cuda(Pipeline.run(Program.parse("k", text), Options.strict(0)).procedures());
  }

  @Test
  void aCudaKernelDividesTheIndexSpaceAmongItsThreads() {
    String text = cuda("input x f32[100]\ny[i] = 2 * x[i]");
    assertThat(text)
        .contains("extern \"C\" __global__ void k_0(")
        .contains("float *__restrict__ y_, int64_t begin, int64_t end)")
        .contains(" = begin + thread; ")
        .contains(" += threads) {");
  }

  @Test
  void aCudaKernelWithoutSuchALoopRunsOnOneThread() {
    assertThat(cuda("input x f32[100]\ns[] += x[i]")).contains("if (thread != 0) return;");
  }

  @Test
  void cHasVectorsAndNodesMayBeCalledAnything() {
    String text =
        CPrinter.c(
            Pipeline.run(
                    Program.parse("k", "input int f32[100]\nfor[i] = relu(int[i])"),
                    Options.strict(256))
                .procedures());
    assertThat(text)
        .contains("void k_0(void **buffers, int64_t begin, int64_t end) {")
        .contains("typedef float f32x8 __attribute__((vector_size(32)));")
        .contains("float *restrict int_ = buffers[0];");
  }
}
