package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that {@code rialto new} makes; {@link ReadmeTest} builds a project of them. */
class NewProjectTest {
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>([a-z-]+)</artifactId>\\s*<version>(.*?)</version>");

  @TempDir private Path folder;

  @Test
  void everyKindOfProjectHasItsFiles() throws Exception {
    make("a", "--kotlin");
    make("b", "--gradle");
    make("c", "--kotlin", "--gradle");
    assertThat(folder.resolve("a/src/main/kotlin/a/Main.kt")).exists();
    assertThat(folder.resolve("a/pom.xml")).content().contains("kotlin-maven-plugin");
    assertThat(folder.resolve("b/src/main/java/b/Main.java")).exists();
    assertThat(folder.resolve("b/build.gradle.kts")).content().doesNotContain("kotlin(");
    assertThat(folder.resolve("c/build.gradle.kts")).content().contains("kotlin(\"jvm\")");
    for (Path file : Folders.files(folder)) {
      assertThat(file).content().doesNotContainPattern("@[a-z-]+@");
    }
  }

  /** The build of a new project uses what Rialto's own uses, so both can do without a network. */
  @Test
  void versionsAreThoseOfThisBuild() throws Exception {
    make("v");
    String own = Files.readString(Path.of("..", "pom.xml"));
    Matcher versions = VERSION.matcher(Files.readString(folder.resolve("v/pom.xml")));
    int compared = 0;
    while (versions.find()) {
      if (own.contains("<artifactId>" + versions.group(1) + "</artifactId>")
          && versions.group(1).startsWith("maven-")) {
        assertThat(own)
            .containsPattern(
                "<artifactId>%s</artifactId>\\s*<version>%s</version>"
                    .formatted(versions.group(1), versions.group(2)));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(4);
  }

  private void make(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                String.join(
                    File.pathSeparator,
                    Distribution.classPath().stream().map(Path::toString).toList()),
                "dev.rialto.cli.Main",
                "new"));
    command.addAll(List.of(arguments));
    Run.in(folder).command(command).succeeds();
  }
}
