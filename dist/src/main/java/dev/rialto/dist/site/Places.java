package dev.rialto.dist.site;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The places on the site of the tree's files. */
final class Places {
  static final String API = "api";
  static final String RESULTS = "bench/results";
  private static final String DOCS = "docs";
  private static final String INDEX = "index.html";

  private final Path root;

  Places(Path root) {
    this.root = root;
  }

  String of(Path file) {
    String name = root.relativize(file).toString();
    if (name.startsWith(DOCS + "/")) {
      name = name.substring(DOCS.length() + 1);
    } else if (name.startsWith(RESULTS + "/")) {
      name = "measurements/" + name.substring(RESULTS.length() + 1);
    }
    if (name.equals("README.md")) {
      return file.startsWith(root.resolve(DOCS)) ? INDEX : "overview.html";
    }
    if (name.endsWith("/README.md")) {
      return name.substring(0, name.length() - "README.md".length()) + INDEX;
    }
    int dot = name.lastIndexOf('.');
    boolean known = name.endsWith(".md") || name.endsWith(".json");
    return (known ? name.substring(0, dot) : name) + ".html";
  }

  /**
   * Returns the file that a relative link leads to; a folder stands for its README.
   *
   * @return the file; null if it is not in the tree
   */
  @Nullable Path target(Path from, String link) {
    Path file = from.resolveSibling(link).normalize();
    if (Files.isDirectory(file)) {
      file = file.resolve("README.md");
    }
    return Files.isRegularFile(file) && file.startsWith(root) ? file : null;
  }

  /** Returns the relative address of a page from another. */
  static String relative(String from, String to) {
    return "../".repeat((int) from.chars().filter(c -> c == '/').count()) + to;
  }
}
