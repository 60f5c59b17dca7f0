package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.Shape;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lines that kernels print, on every target. */
@Tag("gpu")
class PrintTest {
  static Stream<String> targets() {
    return KernelTargets.all();
  }

  private static List<String> said(Runnable body) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      body.run();
    } finally {
      System.setOut(out);
    }
    return said.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @ParameterizedTest
  @MethodSource("targets")
  void linesAreThoseOfAPlainRun(String target) {
    String word = "product";
    KernelBody.Of1<F32> body =
        (Item it, F32 x) -> {
          float value = x.get(it.global());
          if (it.global() % 3 == 1) {
            it.print("is odd");
            it.print(word, value * 0.1f);
          }
          for (int i = 0; i < it.local(0); i++) {
            it.print("turn", it.global(1) - 2L * i);
          }
        };
    float[] values = {1, -2.5f, Float.NaN, 4, 5, 6, 7, 8, 9, 10};
    Shape items = Shape.of(2, 5);
    List<String> expected =
        said(() -> PlainRun.of(body, Shape.of(2, 4), items, F32.of(values.clone())));
    assertThat(expected).contains("item 1: is odd", "item 1: product -0.25", "item 9: turn 4");
    JavaKernels kernels = KernelTargets.on(target).withBlock(2, 4);
    ComputeClient client = kernels.client();
    try (JavaKernel kernel = kernels.kernel(body);
        Buffer x = client.create(MemorySegment.ofArray(values));
        JavaKernel.Prepared launch = kernel.prepare(items, x)) {
      assertThat(said(launch::run)).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(said(launch::run)).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void tooManyLinesAreCounted(String target) {
    JavaKernels kernels = KernelTargets.on(target);
    ComputeClient client = kernels.client();
    KernelBody.Of1<I32> body = (Item it, I32 x) -> it.print("x", x.get(0));
    try (JavaKernel kernel = kernels.kernel(body);
        Buffer x = client.create(MemorySegment.ofArray(new int[] {7}))) {
      List<String> said = said(() -> kernel.launch(5_000, x));
      assertThat(said).hasSize(4097).last().isEqualTo("and 904 more lines");
      assertThat(said).first().asString().endsWith(": x 7");
    }
  }
}
