package dev.rialto.dist;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The classes that commands start with, in the form in which the JVM of an image maps them.
 *
 * <p>It takes the place of the archive that the JDK has of its own classes, so nothing has to name
 * it. The same classes give the same bytes: paths in it are relative to the image, the heap has one
 * size and one collector, and of what trials list only names, lambdas and forms of method handles
 * are used. The rest, which constants were resolved, differs from run to run.
 *
 * <p>Lambdas of picocli's types are left out: making them links its classes, whose format is so old
 * that the JVM archives them only as long as they are not linked.
 */
final class ClassArchive {
  /** Commands that use one thread, so that each trial loads the same classes. */
  private static final List<String> TRIALS = List.of("--help", "info");

  /** Each trial numbers its classes. */
  private static final Pattern NUMBER = Pattern.compile(" id: \\d+$");

  private ClassArchive() {}

  static void make(Path image) throws IOException {
    Set<String> classes = new TreeSet<>();
    classes.addAll(stable(image.resolve("lib/java/lib/classlist")));
    Path folder = Files.createTempDirectory("class-archive");
    Files.createDirectory(folder.resolve("rialto"));
    Path list = folder.resolve("list");
    try {
      for (String command : TRIALS) {
        java(
            image,
            folder,
            "-Xshare:off",
            "-XX:DumpLoadedClassList=" + list,
            "dev.rialto.cli.Main",
            command);
        classes.addAll(stable(list));
      }
      Files.write(list, classes);
      // A JVM with a large heap has wider references, and another archive. Threads that collect
      // garbage move objects in any order: there is room to do without, but for once at the end.
      for (String references : List.of("-XX:+UseCompressedOops", "-XX:-UseCompressedOops")) {
        java(
            image,
            folder,
            "-Xshare:dump",
            references,
            "-XX:+UseG1GC",
            "-XX:ParallelGCThreads=1",
            "-Xms1g",
            "-Xmx1g",
            "-Xmn700m",
            "-XX:SharedClassListFile=" + list);
      }
    } finally {
      Folders.delete(folder);
    }
  }

  /** Returns the lines of a list that are the same in each trial. */
  private static List<String> stable(Path list) throws IOException {
    try (Stream<String> lines = Files.lines(list)) {
      return lines
          .filter(line -> !line.startsWith("#"))
          .filter(line -> !line.startsWith("@") || isUsedLambda(line))
          .map(line -> NUMBER.matcher(line).replaceFirst(""))
          .toList();
    }
  }

  private static boolean isUsedLambda(String line) {
    return line.startsWith("@lambda-") && !line.contains("picocli");
  }

  /**
   * Runs the image's Java as its launcher does, with an environment and a cache of its own: what is
   * set or was learned on this machine must not matter.
   */
  private static void java(Path image, Path caches, String... words) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                image.resolve("lib/java/bin/java").toAbsolutePath().toString(),
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                image.relativize(commandJar(image)).toString()));
    command.addAll(List.of(words));
    Path said = caches.resolve("said");
    try {
      ProcessBuilder process =
          new ProcessBuilder(command)
              .directory(image.toFile())
              .redirectErrorStream(true)
              .redirectOutput(said.toFile());
      process.environment().keySet().retainAll(Set.of("SystemRoot"));
      process
          .environment()
          .putAll(Map.of("LC_ALL", "C.UTF-8", "XDG_CACHE_HOME", caches.toString()));
      int code = process.start().waitFor();
      if (code != 0) {
        throw new IllegalStateException(
            "%s ended with %d: %s".formatted(command, code, Files.readString(said)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the class archive was made", e);
    }
  }

  private static Path commandJar(Path image) throws IOException {
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(image.resolve("lib/rialto"), "rialto-cli-*.jar")) {
      return jars.iterator().next();
    }
  }
}
