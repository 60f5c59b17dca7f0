package dev.rialto.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CacheSizesTest {
  @TempDir private Path caches;

  @Test
  void theFirstLevelIsThatOfData() throws IOException {
    cache("index0", "1", "Instruction", "64K");
    cache("index1", "1", "Data", "48K");
    cache("index2", "2", "Unified", "2M");
    assertThat(CacheSizes.firstLevel(caches)).hasValue(48 << 10);
  }

  @Test
  void aSystemThatDoesNotTellHasUsualOnes() {
    assertThat(CacheSizes.firstLevel(caches)).isEmpty();
    assertThat(CacheSizes.firstLevel(caches.resolve("absent"))).isEmpty();
    assertThat(CacheSizes.firstLevel()).isBetween(8L << 10, 1L << 20);
  }

  @ParameterizedTest
  @CsvSource({"32K, 32768", "1M, 1048576", "131072, 131072"})
  void sizesAreReadWithTheirUnits(String text, long bytes) {
    assertThat(CacheSizes.size(text)).hasValue(bytes);
  }

  @ParameterizedTest
  @CsvSource({"''", "unknown", "-1"})
  void whatIsNoSizeIsNone(String text) {
    assertThat(CacheSizes.size(text)).isEmpty();
  }

  private void cache(String name, String level, String type, String size) throws IOException {
    Path folder = Files.createDirectory(caches.resolve(name));
    Files.writeString(folder.resolve("level"), level + "\n");
    Files.writeString(folder.resolve("type"), type + "\n");
    Files.writeString(folder.resolve("size"), size + "\n");
  }
}
