package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.error.CompilationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("gpu")
class CudaCompilerTest {
  private static final CudaCompiler.Architecture HOPPER =
      new CudaCompiler.Architecture(9, 0, 13000);
  private static final String TEXT =
      """
      extern "C" __global__ void twice(double *x, long long begin, long long end) {
        long long i = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
        if (i < end) x[i] = 2 * x[i] + 1;
      }
      """;

  @TempDir private Path folder;

  @Test
  void arithmeticIsStrictUnlessAskedOtherwise() {
    assertThat(HOPPER.options(false)).contains("--gpu-architecture=sm_90a", "--fmad=false");
    assertThat(HOPPER.options(true)).contains("--fmad=true");
  }

  private byte[] compile(String text, boolean fast) {
    return CudaCompiler.image(HOPPER, Gpu.nvrtc(), Optional.of(folder), "twice", text, fast);
  }

  private List<Path> entries() throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void compiledCodeIsKeptBySourceAndOptions() throws IOException {
    byte[] first = compile(TEXT, false);
    assertThat(entries()).hasSize(1);
    assertThat(compile(TEXT, false)).isEqualTo(first);
    assertThat(entries()).hasSize(1);
    compile(TEXT, true);
    compile(TEXT + "// other", false);
    assertThat(entries()).hasSize(3);
  }

  @Test
  void anEntryThatIsBrokenIsCompiledAgain() throws IOException {
    byte[] first = compile(TEXT, false);
    Path entry = entries().getFirst();
    byte[] whole = Files.readAllBytes(entry);
    Files.writeString(entry, "broken");
    assertThat(compile(TEXT, false)).isEqualTo(first);
    assertThat(Files.readAllBytes(entry)).isEqualTo(whole);
  }

  @Test
  void theCompilersWordsAreTold() {
    Gpu.nvrtc();
    assertThatThrownBy(() -> compile("extern \"C\" __global__ void twice( {", false))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("twice.cu(1): error");
  }

  @Test
  void ownKernelsCompile() {
    for (String text :
        List.of(
            LayoutKernel.SOURCE,
            CudaArrays.SOURCE,
            TransposeKernel.source(16),
            RowsKernel.source(16),
            CufftPlan.SCALE)) {
      byte[] image = CudaCompiler.image(HOPPER, Gpu.nvrtc(), Optional.empty(), "own", text, false);
      assertThat(image).startsWith(new byte[] {0x7f, 'E', 'L', 'F'});
    }
  }
}
