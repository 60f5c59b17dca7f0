package dev.rialto.cli.option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The files that commands are given: a name that cannot work shows before anything is computed. */
public final class FileChecks {
  private FileChecks() {}

  /**
   * Refuses a file that cannot be written.
   *
   * @param name the option or parameter that names it
   * @param file the file; null if none was named
   */
  public static void writable(String name, @Nullable Path file) {
    if (file == null) {
      return;
    }
    // A file is written beside the one it replaces, so the folder counts in either case.
    Path folder = file.toAbsolutePath().getParent();
    boolean writable =
        folder != null
            && Files.isDirectory(folder)
            && Files.isWritable(folder)
            && (!Files.exists(file) || (Files.isRegularFile(file) && Files.isWritable(file)));
    if (!writable) {
      throw CommandFailure.usage(
          name + " " + file + " cannot be written.",
          "Name a file in a folder that exists and can be written.");
    }
  }

  /**
   * Refuses two names of one file, by whichever paths, links and spellings they lead there.
   *
   * @param output the option that names a file that is written
   * @param name the option or parameter that names another
   */
  public static void apart(
      String output, @Nullable Path written, String name, @Nullable Path other) {
    if (written != null && other != null && same(written, other)) {
      throw CommandFailure.usage(
          output + " " + written + " is the same file as " + name + " " + other + ".",
          "Name another file; nothing was written.");
    }
  }

  private static boolean same(Path a, Path b) {
    try {
      if (Files.exists(a) && Files.exists(b)) {
        return Files.isSameFile(a, b);
      }
      return place(a).equals(place(b));
    } catch (IOException e) {
      // Whether a file that cannot be looked at can be used is for others to say.
      return a.toAbsolutePath().normalize().equals(b.toAbsolutePath().normalize());
    }
  }

  /** Returns where a file is or will be, with the links of its folder followed. */
  private static Path place(Path file) throws IOException {
    Path path = file.toAbsolutePath().normalize();
    Path folder = path.getParent();
    return folder == null || path.getFileName() == null
        ? path
        : folder.toRealPath().resolve(path.getFileName());
  }

  /** Returns what a user calls an option or parameter. */
  public static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** Returns the files that an option or parameter names, if it names any. */
  public static List<Path> files(ArgSpec argument) {
    Object value = argument.getValue();
    return switch (value) {
      case Path file -> List.of(file);
      case Collection<?> several ->
          several.stream().filter(Path.class::isInstance).map(Path.class::cast).toList();
      case String text when argument.isPositional() && Files.isRegularFile(Path.of(text)) ->
          List.of(Path.of(text));
      case null, default -> List.of();
    };
  }

  /** Refuses a file that cannot be read; as {@link #writable}. */
  public static void readable(String name, @Nullable Path file) {
    if (file != null && (!Files.isRegularFile(file) || !Files.isReadable(file))) {
      throw CommandFailure.usage(
          name + " " + file + " cannot be read.", "Name a file that exists and can be read.");
    }
  }
}
