package dev.rialto.dist.site;

import dev.rialto.text.Version;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;

/** The Javadoc of several modules together, made by the tool of this JDK. */
public final class ApiReference {
  private static final Pattern MODULE = Pattern.compile("(?m)^module ([\\w.]+)");

  private ApiReference() {}

  /**
   * Makes the reference.
   *
   * @param sources the source folders of modules; what they use is on this process's class path
   */
  public static void make(List<Path> sources, Path folder) throws IOException {
    List<String> names = new ArrayList<>();
    List<String> options =
        new ArrayList<>(
            List.of(
                "-d",
                folder.toString(),
                "-quiet",
                "-Xdoclint:none",
                "-notimestamp",
                "--no-fonts",
                "-encoding",
                "UTF-8",
                "-windowtitle",
                "Rialto " + Version.current(),
                "-doctitle",
                "Rialto " + Version.current(),
                "--add-modules",
                "jdk.incubator.vector",
                "--module-path",
                System.getProperty("java.class.path")));
    for (Path source : sources) {
      Matcher declaration = MODULE.matcher(Files.readString(source.resolve("module-info.java")));
      if (!declaration.find()) {
        throw new IllegalStateException(source + " has no module");
      }
      names.add(declaration.group(1));
      options.addAll(List.of("--module-source-path", names.getLast() + "=" + source));
    }
    options.addAll(List.of("--module", String.join(",", names)));
    // Snippets are parts of tests.
    options.addAll(
        List.of(
            "--snippet-path",
            sources.stream()
                .map(source -> source.resolve("../../test/java").normalize().toString())
                .collect(Collectors.joining(File.pathSeparator))));
    StringWriter said = new StringWriter();
    PrintWriter log = new PrintWriter(said);
    int code =
        ToolProvider.findFirst("javadoc")
            .orElseThrow()
            .run(log, log, options.toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("javadoc failed: " + said);
    }
  }
}
