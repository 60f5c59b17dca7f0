package dev.rialto.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Packs a folder as a jar whose bytes depend on nothing but the files'. */
final class Jar {
  /** The time of the artifacts that Maven makes; without a zone, as archives keep it. */
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  private Jar() {}

  static void write(Path folder, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream out = new ZipOutputStream(file)) {
      for (Path each : Folders.files(folder)) {
        ZipEntry entry = new ZipEntry(folder.relativize(each).toString().replace('\\', '/'));
        entry.setTimeLocal(TIME);
        out.putNextEntry(entry);
        Files.copy(each, out);
        out.closeEntry();
      }
    }
  }
}
