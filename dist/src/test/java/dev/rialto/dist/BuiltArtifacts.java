package dev.rialto.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The artifacts of the build under way, laid out as Maven's install does. */
final class BuiltArtifacts {
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*?)</artifactId>");
  private static final Pattern VERSION = Pattern.compile("<version>(.*?)</version>");

  private BuiltArtifacts() {}

  static void install(Tree tree, Path repository) throws IOException {
    List<Path> all = new ArrayList<>(tree.modules());
    all.add(tree.root());
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
        Files.copy(module.resolve("target/" + base + ".jar"), folder.resolve(base + ".jar"));
      }
    }
  }

  private static String first(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(m -> m.group(1)).findFirst().orElseThrow();
  }
}
