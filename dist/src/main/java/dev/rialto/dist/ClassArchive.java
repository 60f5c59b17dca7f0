package dev.rialto.dist;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The classes that commands start with, in the form in which the JVM of an image maps them.
 *
 * <p>It takes the place of the archive that the JDK has of its own classes, so nothing has to name
 * it. The same classes give the same bytes: paths in it are relative to the image, the heap has one
 * size, and of what trials list only names, lambdas and forms of method handles are used. The rest,
 * which constants were resolved, differs from run to run.
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
    Path list = Files.createTempFile("classes", ".list");
    try {
      for (String command : TRIALS) {
        java(
            image,
            "-Xshare:off",
            "-XX:DumpLoadedClassList=" + list,
            "dev.rialto.cli.Main",
            command);
        classes.addAll(stable(list));
      }
      Files.write(list, classes);
      // A JVM with a large heap has wider references, and another archive.
      for (String references : List.of("-XX:+UseCompressedOops", "-XX:-UseCompressedOops")) {
        java(
            image,
            "-Xshare:dump",
            references,
            "-XX:+UseG1GC",
            "-Xms128m",
            "-Xmx128m",
            "-XX:SharedClassListFile=" + list);
      }
    } finally {
      Files.delete(list);
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

  /** Runs the image's Java as its launcher does. */
  private static void java(Path image, String... words) throws IOException {
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
    Path said = Files.createTempFile("java", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(image.toFile())
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      int code = process.waitFor();
      if (code != 0) {
        throw new IllegalStateException(
            "%s ended with %d: %s".formatted(command, code, Files.readString(said)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the class archive was made", e);
    } finally {
      Files.delete(said);
    }
  }

  private static Path commandJar(Path image) throws IOException {
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(image.resolve("lib/rialto"), "rialto-cli-*.jar")) {
      return jars.iterator().next();
    }
  }
}
