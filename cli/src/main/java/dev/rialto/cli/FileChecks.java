package dev.rialto.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The files that commands are given: a name that cannot work shows before anything is computed. */
final class FileChecks {
  private FileChecks() {}

  /**
   * Refuses a file that cannot be written.
   *
   * @param name the option or parameter that names it
   * @param file the file; null if none was named
   */
  static void writable(String name, @Nullable Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    boolean writable =
        Files.exists(file)
            ? Files.isRegularFile(file) && Files.isWritable(file)
            : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
    if (!writable) {
      throw CommandFailure.usage(
          name + " " + file + " cannot be written.",
          "Name a file in a folder that exists and can be written.");
    }
  }

  /** Refuses a file that cannot be read; as {@link #writable}. */
  static void readable(String name, @Nullable Path file) {
    if (file != null && (!Files.isRegularFile(file) || !Files.isReadable(file))) {
      throw CommandFailure.usage(
          name + " " + file + " cannot be read.", "Name a file that exists and can be read.");
    }
  }
}
