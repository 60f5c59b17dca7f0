package dev.rialto.dist;

import dev.rialto.dist.site.ApiReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A source tree of Rialto that is built.
 *
 * @param root its root
 */
public record Tree(Path root) {
  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*?)</artifactId>");
  private static final Pattern VERSION = Pattern.compile("<version>(.*?)</version>");

  /** Modules that are tools of the build and not published. */
  private static final List<String> UNPUBLISHED = List.of("dist");

  /** Modules that are run and not used. */
  private static final List<String> COMMANDS = List.of("bench", "cli", "examples/socket-backend");

  /** Makes the path absolute. */
  public Tree {
    root = root.toAbsolutePath().normalize();
  }

  /** Returns the folders of the modules that are published. */
  public List<Path> modules() throws IOException {
    return MODULE
        .matcher(Files.readString(root.resolve("pom.xml")))
        .results()
        .map(module -> module.group(1))
        .filter(module -> !UNPUBLISHED.contains(module))
        .map(root::resolve)
        .toList();
  }

  /** Returns the sources of the modules whose API people use. */
  public List<Path> documented() throws IOException {
    return modules().stream()
        .filter(module -> !COMMANDS.contains(root.relativize(module).toString()))
        .map(module -> module.resolve("src/main/java"))
        .filter(source -> Files.exists(source.resolve("module-info.java")))
        .toList();
  }

  /**
   * Lays the artifacts and their sources out as a Maven repository.
   *
   * @param javadoc whether to make Javadoc too, which takes seconds for each module
   * @throws IllegalStateException if a module was not packaged
   */
  public void deploy(Path repository, boolean javadoc) throws IOException {
    Folders.delete(repository);
    List<Path> all = new ArrayList<>(modules());
    all.add(root);
    for (Path module : all) {
      Path description = module.resolve("pom.xml");
      String pom = Files.readString(description);
      String own = pom.replaceFirst("(?s)<parent>.*?</parent>", "");
      String name = first(ARTIFACT, own);
      String version = first(VERSION, pom);
      String base = name + "-" + version;
      Path folder =
          Files.createDirectories(repository.resolve("dev/rialto/" + name + "/" + version));
      Files.copy(description, folder.resolve(base + ".pom"));
      if (!own.contains("<packaging>pom</packaging>")) {
        Path jar = module.resolve("target/" + base + ".jar");
        if (!Files.exists(jar)) {
          throw new IllegalStateException(jar + " is missing; run './rialto package'");
        }
        Files.copy(jar, folder.resolve(base + ".jar"));
        Path sources = module.resolve("src/main/java");
        Jar.write(sources, folder.resolve(base + "-sources.jar"));
        if (javadoc) {
          Path pages = module.resolve("target/javadoc");
          Folders.delete(pages);
          ApiReference.make(List.of(sources), pages);
          Jar.write(pages, folder.resolve(base + "-javadoc.jar"));
        }
      }
      // Repositories want checksums beside each file.
      for (Path file : Folders.files(folder)) {
        Files.writeString(Path.of(file + ".sha1"), Checksums.of(file, "SHA-1"));
        Files.writeString(Path.of(file + ".sha512"), Checksums.of(file, "SHA-512"));
      }
    }
  }

  private static String first(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(m -> m.group(1)).findFirst().orElseThrow();
  }
}
