package dev.rialto.jit.run;

import dev.rialto.jit.lower.Lowered;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Writes the stages of each program into a folder, a file each, the first time it is compiled. */
final class StageDump {
  private final Path folder;
  private final Set<String> written = ConcurrentHashMap.newKeySet();

  StageDump(Path folder) {
    this.folder = folder;
  }

  void write(Lowered lowered, Unit unit) {
    if (!written.add(lowered.name())) {
      return;
    }
    try {
      Files.createDirectories(folder);
      int number = 0;
      for (Lowered.Stage stage : lowered.stages()) {
        String file = lowered.name() + "-" + number++ + "-" + stage.name() + ".txt";
        WholeFile.write(folder.resolve(file), stage.text());
      }
      if (!unit.source().isEmpty()) {
        WholeFile.write(folder.resolve(lowered.name() + ".c"), unit.source());
      }
    } catch (IOException e) {
      throw new CompilationException(
          "cannot write the stages of " + lowered.name() + " to " + folder + ": " + e,
          "",
          "give a folder that can be written with -Drialto.jit.dump=DIR",
          e);
    }
  }
}
