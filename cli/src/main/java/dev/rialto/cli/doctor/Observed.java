package dev.rialto.cli.doctor;

import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.files.CacheFolder;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The parts of a machine that checks read: files below a root, environment variables, output of
 * programs, libraries. Tests give another root and tables of outputs and libraries.
 *
 * @param root the folder that stands for {@code /}
 * @param environment the variables
 * @param programs runs a command and returns what it said, or nothing if it cannot be run
 * @param installed tells whether a file of a library is found, without loading it
 * @param cache where tuning and compiled code are kept; empty if nowhere
 */
public record Observed(
    Path root,
    Map<String, String> environment,
    Programs programs,
    Predicate<InstalledLibrary> installed,
    Optional<Path> cache) {
  private static final int SECONDS = 5;

  /** Runs commands. */
  @FunctionalInterface
  public interface Programs {
    /** Returns what a command said, or nothing if it is not there, fails or takes too long. */
    Optional<String> output(List<String> command);
  }

  public static Observed machine() {
    return new Observed(
        Path.of("/"),
        System.getenv(),
        Observed::run,
        LibrarySearch.here()::finds,
        CacheFolder.standard().path());
  }

  /** Returns where on the PATH a program is; its name if it is not there. */
  String path(String program) {
    for (String folder : environment.getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      Path file = Path.of(folder, program);
      if (!folder.isEmpty() && Files.isExecutable(file)) {
        return file.toString();
      }
    }
    return program;
  }

  /** Returns a file's text without surrounding space, or nothing if it cannot be read. */
  Optional<String> text(String file) {
    try {
      return Optional.of(Files.readString(root.resolve(file.substring(1))).strip());
    } catch (IOException e) {
      return Optional.empty(); // systems differ in what they have; a check says what it misses
    }
  }

  /** Returns how many entries of a folder match a pattern. */
  int count(String folder, String pattern) {
    int count = 0;
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(root.resolve(folder.substring(1)), pattern)) {
      for (Path _ : entries) {
        count++;
      }
    } catch (IOException e) {
      return 0;
    }
    return count;
  }

  private static Optional<String> run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      // Longer answers than a pipe holds are not waited for: the versions asked for are lines.
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return Optional.empty();
      }
      return Optional.of(
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
