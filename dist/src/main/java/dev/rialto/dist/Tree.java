package dev.rialto.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A source tree of Rialto that is built.
 *
 * @param root its root
 */
public record Tree(Path root) {
  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");

  /** The mark in poms of modules that are tools of the build and not published. */
  private static final String UNPUBLISHED = "<maven.deploy.skip>true</maven.deploy.skip>";

  /** Modules that are run and not used. */
  private static final List<String> COMMANDS = List.of("bench", "cli", "examples/socket-backend");

  /** Makes the path absolute. */
  public Tree {
    root = root.toAbsolutePath().normalize();
  }

  /** Returns the folders of the modules that are published. */
  public List<Path> modules() throws IOException {
    List<Path> published = new ArrayList<>();
    for (MatchResult module :
        MODULE.matcher(Files.readString(root.resolve("pom.xml"))).results().toList()) {
      Path folder = root.resolve(module.group(1));
      if (!Files.readString(folder.resolve("pom.xml")).contains(UNPUBLISHED)) {
        published.add(folder);
      }
    }
    return published;
  }

  /** Returns the sources of the modules whose API people use. */
  public List<Path> documented() throws IOException {
    return modules().stream()
        .filter(module -> !COMMANDS.contains(root.relativize(module).toString()))
        .map(module -> module.resolve("src/main/java"))
        .filter(source -> Files.exists(source.resolve("module-info.java")))
        .toList();
  }
}
