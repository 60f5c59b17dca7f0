package dev.rialto.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.runtime.limits.MachineLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineLimitsTest {
  @TempDir Path folder;

  @BeforeEach
  void useFolder() {
    System.setProperty("rialto.cache", folder.toString());
  }

  @AfterEach
  void forgetFolder() {
    System.clearProperty("rialto.cache");
    System.clearProperty("rialto.limits");
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void limitsAreMeasuredOnceAndThenReadBack() throws IOException {
    MachineLimits measured = MachineLimits.of(1);
    assertTrue(measured.bandwidth() > 0 && measured.bandwidth() < 1e15);
    assertTrue(measured.flopsF32() > 0 && measured.flopsF64() > 0);
    assertEquals(1, files().size());
    assertEquals(measured, MachineLimits.of(1));

    Files.writeString(
        files().getFirst(),
        "{\"threads\":1,\"bandwidth\":2.5e9,\"flopsF32\":4.5e9,\"flopsF64\":3.5e9}");
    assertEquals(new MachineLimits(1, 2.5e9, 4.5e9, 3.5e9), MachineLimits.of(1));
    System.setProperty("rialto.limits", "measure");
    assertNotEquals(4.5e9, MachineLimits.of(1).flopsF32());
  }

  @Test
  void whatIsNotACacheEntryIsReplaced() throws IOException {
    MachineLimits.of(1);
    Path entry = files().getFirst();
    for (String text : List.of("{", "{\"bandwidth\":\"fast\"}")) {
      Files.writeString(entry, text);
      assertTrue(MachineLimits.of(1).bandwidth() > 0);
      assertTrue(Files.readString(entry).contains("\"threads\":1"));
    }
  }

  @Test
  void noThreadsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> MachineLimits.of(0));
  }
}
