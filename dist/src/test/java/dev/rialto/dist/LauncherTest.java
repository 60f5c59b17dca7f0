package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code rialto} in a tree with one source, a JDK that says its options, and a Maven.
 */
class LauncherTest {
  /** Ends, as Rialto does, after the filter of its error output. */
  private static final String JAVA =
      """
      #!/bin/sh
      echo "WARNING: Using incubator modules: jdk.incubator.vector" >&2
      echo "a warning of its own" >&2
      printf '%s\\n' "$@"
      exec 2>&-
      while kill -0 "${1#-Drialto.stderr.filter=}"; do :; done
      """;

  /** Makes the folder of the jars, as a build does, unless it is told to fail. */
  private static final String MAVEN =
      """
      #!/bin/sh
      echo "$@" >>"$MAVEN_LOG"
      [ ! -e "$MAVEN_LOG.fail" ] || { echo "[ERROR] no such symbol"; exit 1; }
      for word; do
        case $word in
          -Drialto.launcher=*) mkdir -p "${word#*=}" && touch "${word#*=}/rialto-cli-1.jar" ;;
        esac
      done
      """;

  @TempDir private Path folder;
  private Path tree;
  private Path source;

  @BeforeEach
  void makeTree() throws IOException {
    tree = folder.resolve("tree");
    source = tree.resolve("core/src/main/java/A.java");
    Folders.write(source, "class A {}");
    Folders.write(tree.resolve("pom.xml"), "<modules>\n<module>core</module>\n</modules>\n");
    Folders.write(tree.resolve(".mvn/jvm.config"), "");
    executable(tree.resolve("rialto"), Files.readString(Path.of("..", "rialto")));
    executable(folder.resolve("bin/mvn"), MAVEN);
    executable(folder.resolve("jdk/bin/java"), JAVA);
    executable(folder.resolve("jdk/bin/javac"), "");
    release("25.0.1");
  }

  private void release(String version) throws IOException {
    Folders.write(folder.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
  }

  private static void executable(Path file, String text) throws IOException {
    Folders.write(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void theTreeIsBuiltOnce() throws Exception {
    assertThat(run(0, tree, "info")).contains("Building Rialto (first use)").contains("\ninfo\n");
    assertThat(run(0, tree, "info")).doesNotContain("Building").contains("\ninfo\n");
    assertThat(builds()).hasSize(1);
  }

  @Test
  void aCopiedTreeRunsItsOwnJars() throws Exception {
    assertThat(run(0, tree, "info")).contains("--class-path\n" + tree + "/.rialto/app-");
    Path copy = folder.resolve("copy");
    Run.in(folder).command("cp", "-a", tree.toString(), copy.toString()).succeeds();
    assertThat(run(0, copy, "info"))
        .doesNotContain("Building")
        .contains("--class-path\n" + copy + "/.rialto/app-")
        .doesNotContain(tree + "/");
  }

  @Test
  void anEditADeletionAndANewSourceAreBuilt() throws Exception {
    run(0, tree, "info");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
    assertThat(run(0, tree, "info")).contains("Building Rialto (sources changed)");
    Path added = source.resolveSibling("B.java");
    Folders.write(added, "class B {}");
    assertThat(run(0, tree, "info")).contains("Building");
    Files.delete(added);
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().minusSeconds(5)));
    assertThat(run(0, tree, "info")).contains("Building");
    Folders.write(tree.resolve("core/src/test/java/ATest.java"), "class ATest {}");
    assertThat(run(0, tree, "info")).doesNotContain("Building");
  }

  @Test
  void aProjectThatWasMadeInTheTreeIsNotASource() throws Exception {
    run(0, tree, "info");
    Folders.write(tree.resolve("heat-flow/pom.xml"), "<project/>");
    Folders.write(tree.resolve("heat-flow/src/main/java/Main.java"), "class Main {}");
    assertThat(run(0, tree, "info")).doesNotContain("Building");
  }

  @Test
  void aBuildThatFailsSaysWhyAndIsTriedAgain() throws Exception {
    Path fail = Files.createFile(folder.resolve("maven.log.fail"));
    assertThat(run(1, tree, "info")).contains("no such symbol").contains("build.log");
    Files.delete(fail);
    assertThat(run(0, tree, "info")).contains("Building");
  }

  @Test
  void anOldJdkIsNamed() throws Exception {
    release("21.0.3");
    assertThat(run(2, tree, "info")).contains("RIALTO_JAVA_HOME is Java 21");
  }

  @Test
  void jobsOfMavenTakeItsOptionsAndNoOthers() throws Exception {
    run(0, tree, "test", "-pl", "core", "-am");
    assertThat(builds().getLast()).endsWith("verify -pl core -am -T 3");
    assertThat(run(2, tree, "test", "core")).contains("'test' does not know 'core'");
    assertThat(builds()).hasSize(1);
  }

  @Test
  void whatIsMutatedIsAModuleOrAPackageOfIt() throws Exception {
    assertThat(run(2, tree, "mutate", "shell")).contains("'shell' is none");
    assertThat(run(2, tree, "mutate", "core", "a.b")).contains("core has no package 'a.b'");
    assertThat(folder.resolve("maven.log")).doesNotExist();
  }

  @Test
  void aReleaseIsNotPublishedFromHere() throws Exception {
    assertThat(run(2, tree, "release")).contains("./rialto release --dry-run");
  }

  @Test
  void ofWhatTheJvmSaysOnlyTheIncubatorLineIsDropped() throws Exception {
    assertThat(run(0, tree, "info"))
        .contains("a warning of its own")
        .doesNotContain("incubator modules");
  }

  @Test
  void aLinkLeadsToTheTree() throws Exception {
    Path link = folder.resolve("bin/rialto");
    Files.createSymbolicLink(link, tree.resolve("rialto"));
    assertThat(command(folder, List.of(link.toString(), "info")).succeeds())
        .contains(tree + "/.rialto/app-");
  }

  /** So what a hint says can be typed. */
  @Test
  void hintsStartAsTheCommandDid() throws Exception {
    assertThat(run(0, tree, "info")).contains("-Drialto.command=./rialto\n");
    assertThat(command(folder, List.of("tree/rialto", "info")).succeeds())
        .contains("-Drialto.command=tree/rialto\n");
    Files.createSymbolicLink(folder.resolve("bin/rialto"), tree.resolve("rialto"));
    assertThat(command(folder, List.of("sh", "-c", "rialto info")).succeeds())
        .contains("-Drialto.command=rialto\n");
  }

  @Test
  void onlyCommandsThatComputeGetTheSecondCompiler() throws Exception {
    for (String quick : List.of("info", "--version")) {
      assertThat(run(0, tree, quick)).contains("-XX:TieredStopAtLevel=1");
    }
    assertThat(run(0, tree, "--quiet", "demo")).doesNotContain("-XX:TieredStopAtLevel");
  }

  private List<String> builds() throws IOException {
    return Files.readAllLines(folder.resolve("maven.log"));
  }

  private String run(int code, Path where, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("./rialto"));
    command.addAll(List.of(arguments));
    return command(where, command).endsWith(code);
  }

  private Run command(Path where, List<String> command) {
    return Run.in(where)
        .with("RIALTO_JAVA_HOME", folder.resolve("jdk"))
        .with("RIALTO_INSTALL", "0")
        .with("MAVEN_LOG", folder.resolve("maven.log"))
        .with("PATH", folder.resolve("bin") + ":/usr/bin:/bin")
        .without("RIALTO_JAVA_OPTS")
        .without("RIALTO_CLASSPATH")
        .command(command);
  }
}
