package dev.rialto.jit.lower.c;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import dev.rialto.jit.kernel.KernelTargets;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.spi.code.Dialect;
import org.junit.jupiter.api.Test;

class CPrinterTest {
  private static String cuda(String text) {
    return cuda(text, false);
  }

  private static String cuda(String text, boolean fast) {
    Lowered lowered = Pipeline.run(Program.parse("k", text), Options.threads(fast));
    return CPrinter.print(KernelTargets.dialect("cuda"), lowered.procedures());
  }

  @Test
  void aCudaKernelDividesTheIndexSpaceAmongItsThreads() {
    String text = cuda("input x f32[100]\ny[i] = 2 * x[i]");
    assertThat(text)
        .contains("extern \"C\" __global__ void k_0(")
        .contains("float *__restrict__ y_, int64_t begin, int64_t end)")
        .contains("number < packs; number += threads) {")
        .contains("pack<float, 4> x_pack_ = *(const pack<float, 4> *)(x_ + first * 1);")
        .contains("*(pack<float, 4> *)(y_ + first * 1) = y_pack_;")
        .contains(" = begin + packs * 4 + thread; ");
  }

  @Test
  void arraysOfSeveralAxesAreWalkedAsOneWithoutDividing() {
    String text = cuda("input x f64[10, 20]\ninput y f64[10, 20]\nz[i, j] = x[i, j] + y[i, j]");
    assertThat(text)
        .contains("pack<double, 2> z_pack_;")
        .contains("z_pack_[lane] = ")
        .doesNotContain(" / 20");
    assertThat(cuda("input x f64[10, 20]\nz[j, i] = x[i, j]")).contains(" / 10").contains("pack<");
  }

  @Test
  void whatOnlyItsOwnThreadNeedsNeverGoesToMemory() {
    assertThat(
            cuda(
                """
                input x f32[64]
                u[i] = relu(x[i] * 2 + 1)
                v[i] = exp(u[i]) - u[i]
                y[i] = v[i] * u[i]
                """))
        .contains("k_0(float *__restrict__ x_, float *__restrict__ y_, int64_t begin")
        .doesNotContain("u_")
        .doesNotContain("k_1");
  }

  @Test
  void complexElementsArePairsInAPack() {
    assertThat(cuda("input x c64[10]\ny[i] = x[i] * x[i]"))
        .contains("pack<float, 4> x_pack_ = *(const pack<float, 4> *)(x_ + first * 2);");
  }

  @Test
  void elementsThatNeedOthersOfTheSameNodeAreNotPacked() {
    assertThat(cuda("input x f32[100]\ny[i] = x[i] + x[99 - i]"))
        .contains("y_pack_")
        .doesNotContain("x_pack_");
    assertThat(cuda("input x f32[30]\ninput y f32[30, 40]\ns[i] += x[i] * y[i, k]"))
        .contains(" = begin + thread; ")
        .doesNotContain("y_pack_");
  }

  @Test
  void productsOfMatricesGoThroughTilesInSharedMemory() {
    String text =
        cuda("input a f32[256, 512]\ninput b f32[512, 384]\nc[i, j] += a[i, k] * b[k, j]");
    assertThat(text)
        .contains("__launch_bounds__(256) k_0(")
        .contains("__shared__ __align__(16) float left")
        .containsPattern("for \\(int32_t (k\\d+)_count = 0LL; ")
        .containsPattern("left\\d+ = \\(\\*\\(const pack<float, 4> \\*\\)\\(a_ \\+ ")
        .containsPattern(
            "\\*\\(pack<float, 4> \\*\\)\\(right\\d+_ \\+ \\(int64_t\\)t\\d+\\) = right\\d+;")
        .containsPattern(
            "(sum\\d+) = \\(\\1 \\+ \\(pack<float, 4>\\(t\\d+.v\\[0\\]\\) \\* t\\d+\\)\\);");
  }

  private static long blocks(int size) {
    Program program =
        Program.parse(
            "k",
            "input a f32[%1$d, 64]\ninput b f32[64, %1$d]\nc[i, j] += a[i, k] * b[k, j]"
                .formatted(size));
    return Pipeline.run(program, Options.threads(false)).procedures().getFirst().items();
  }

  @Test
  void largeProductsHaveLargerTiles() {
    assertThat(blocks(1024)).isEqualTo(8 * 8);
    assertThat(blocks(4096)).isEqualTo(16 * 32);
  }

  @Test
  void tilesAtTheEdgeLookBeforeTheyLoadAndStore() {
    assertThat(cuda("input a f64[70, 33]\ninput b f64[50, 33]\nc[i, j] += a[i, k] * b[j, k]"))
        .containsPattern("t\\d+ = \\(t\\d+ < 33\\);")
        .containsPattern("t\\d+ = \\(t\\d+ < 50\\);")
        .containsPattern("t\\d+ = \\(t\\d+ < 70\\);")
        .containsPattern("sum\\d+ = \\(sum\\d+ \\+ \\(t\\d+.v\\[1\\] \\* t\\d+.v\\[0\\]\\)\\);")
        .doesNotContain("*)(a_")
        .doesNotContain("*)(c_");
  }

  @Test
  void fastSumsAreBlocksOfThreadsAndOfPartsFirst() {
    String text = cuda("input x f32[1048576]\ns[] += x[i]", true);
    assertThat(text)
        .contains("s_parts_")
        .contains("__shfl_sync(0xffffffffu, ")
        .contains("__shared__ __align__(16) float partial")
        .contains("extern \"C\" __global__ void __launch_bounds__(256) k_1(");
    assertThat(cuda("input x f32[1048576]\ns[] += x[i]")).doesNotContain("__shfl_sync");
  }

  @Test
  void aCudaKernelWithoutSuchALoopRunsOnOneThread() {
    assertThat(cuda("input x f32[100]\ns[] += x[i]")).contains("if (thread != 0) return;");
  }

  @Test
  void cHasVectorsAndNodesMayBeCalledAnything() {
    String text =
        CPrinter.print(
            Dialect.GNU_C,
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
