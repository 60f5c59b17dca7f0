package dev.rialto.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.bench.Suite.Progress;
import dev.rialto.bench.language.LanguageCase;
import dev.rialto.bench.language.LanguageContender;
import dev.rialto.bench.language.LanguageSuite;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.Devices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class LanguageSuiteTest {
  /** Stops after the first case. */
  private static final class StopAtSecond implements Progress {
    private int done;

    @Override
    public void step(int now, int total, String what) {
      done = now;
    }

    @Override
    public boolean stop() {
      return done > 0;
    }
  }

  @Test
  void targetsAreComparedWithThePeer() {
    BenchReport report = new LanguageSuite("cpu:0").run(true, new StopAtSecond());
    assertThat(report.interrupted()).isTrue();
    assertThat(report.rows()).extracting(BenchRow::name).contains("saxpy/jvm");
  }

  @Test
  void onePassSortsByADigit() {
    LanguageCase radix = small("radix", 1 << 13);
    try (LanguageContender java =
        LanguageContender.java(radix, JavaKernels.on(Devices.open("cpu:0")).withTarget("jvm"), 1)) {
      MemorySegment sorted = java.results().getFirst();
      int before = -1;
      for (int i = 0; i < 1 << 13; i++) {
        int digit = sorted.getAtIndex(ValueLayout.JAVA_INT, i) >>> 8 & 15;
        assertThat(digit).isGreaterThanOrEqualTo(before);
        before = digit;
      }
    }
  }

  @Test
  void theLibraryMultipliesAsTheTilesDo() {
    LanguageCase product = small("product", 64);
    JavaKernels kernels = JavaKernels.on(Devices.open("cpu:0")).withTarget("jvm");
    try (LanguageContender tiles = LanguageContender.java(product, kernels, 1);
        LanguageContender library = LanguageContender.library(product, kernels, 1)) {
      float[] expected = tiles.results().getFirst().toArray(ValueLayout.JAVA_FLOAT);
      float[] actual = library.results().getFirst().toArray(ValueLayout.JAVA_FLOAT);
      assertThat(actual).containsExactly(expected, within(1e-4f));
    }
  }

  @Test
  void histogramsCountEveryKey() {
    LanguageCase histogram = small("histogram", 1 << 14);
    try (LanguageContender java =
        LanguageContender.java(
            histogram, JavaKernels.on(Devices.open("cpu:0")).withTarget("jvm"), 1)) {
      int[] bins = java.results().getFirst().toArray(ValueLayout.JAVA_INT);
      assertThat(bins).hasSize(256);
      assertThat(Arrays.stream(bins).sum()).isEqualTo(1 << 14);
    }
  }

  private static LanguageCase small(String name, int size) {
    return LanguageCase.all().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow()
        .maker()
        .apply(size);
  }
}
