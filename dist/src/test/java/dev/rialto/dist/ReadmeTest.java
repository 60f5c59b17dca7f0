package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The first minutes with Rialto: the lines of README and guide, typed one after another in a fresh
 * copy of the sources, with an empty home folder. Only what Maven would download is there.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(600)
class ReadmeTest {
  private static final Path ROOT = new Tree(Path.of("..")).root();

  @TempDir private static Path folder;
  private static Path tree;
  private static Path home;

  @BeforeAll
  static void copySources() throws IOException {
    tree = folder.resolve("rialto");
    for (Path file : SourceFiles.of(ROOT)) {
      Path copy = tree.resolve(ROOT.relativize(file));
      Files.createDirectories(copy.getParent());
      Files.copy(file, copy);
    }
    home = Files.createDirectory(folder.resolve("home"));
    Path repository = home.resolve(".m2/repository");
    LibraryTest.linkOthers(repository);
    Folders.write(
        home.resolve(".m2/settings.xml"),
        "<settings><offline>%s</offline></settings>"
            .formatted(System.getProperty("rialto.offline")));
  }

  @Test
  @Order(1)
  void theDemoRunsInAFreshTree() throws Exception {
    assertThat(page("README.md")).contains("    ./rialto demo ");
    assertThat(page("docs/getting-started.md")).contains("    ./rialto demo\n");
    String said = type(tree, "./rialto demo --grid 16 --scheme shared --ranks 1");
    assertThat(said).contains("Building Rialto (first use)").doesNotContain("WARNING");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "./rialto info",
        "./rialto solve poisson3d:60",
        "./rialto run examples/Heat.java",
        "./rialto --help"
      })
  @Order(2)
  void theLinesToLookAroundRun(String line) throws Exception {
    assertThat(page("README.md")).contains("    " + line + "  ");
    assertThat(type(tree, line)).doesNotContain("Building", "WARNING");
  }

  /** The whole suite is this one; here it is that the line works, on the tests of one module. */
  @Test
  @Order(3)
  void theTestsRunInAFreshTree() throws Exception {
    assertThat(page("README.md")).contains("    ./rialto test ");
    assertThat(
            type(
                tree,
                // Their format is checked where these sources come from.
                "RIALTO_INSTALL=0 ./rialto test -pl core/text -am -Dtest=TableTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dspotless.check.skip=true"))
        .containsPattern("Tests: [1-9][0-9]* run, 0 failed, 0 skipped");
  }

  @Test
  @Order(4)
  void theArtifactsAreInstalledAndThePomUsesThem() throws Exception {
    assertThat(page("README.md")).contains("    ./rialto install ");
    type(tree, "./rialto install");
    Path project = folder.resolve("hello");
    Folders.write(project.resolve("pom.xml"), LibraryTest.block(page("README.md"), "xml"));
    Folders.write(
        project.resolve("src/main/java/Hello.java"), LibraryTest.block(page("README.md"), "java"));
    type(
        project,
        "mvn -B -q %s:compile %s:build-classpath -Dmdep.outputFile=jars"
            .formatted(
                LibraryTest.plugin("maven-compiler-plugin"),
                LibraryTest.plugin("maven-dependency-plugin")));
    List<String> path =
        new ArrayList<>(
            List.of(Files.readString(project.resolve("jars")).split(File.pathSeparator)));
    path.add(project.resolve("target/classes").toString());
    assertThat(path).anyMatch(jar -> jar.startsWith(home.resolve(".m2/repository/dev").toString()));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String said =
        type(
            project,
            "%s --enable-native-access=ALL-UNNAMED -cp %s Hello --ranks 4"
                .formatted(java, String.join(File.pathSeparator, path)));
    assertThat(said.lines()).contains("4 ranks: sum 1.0, at most 0.25");
  }

  @Test
  @Order(5)
  void aNewProjectBuildsAndPassesItsTest() throws Exception {
    assertThat(page("README.md")).contains("    ./rialto new heat-flow ");
    assertThat(page("docs/getting-started.md"))
        .contains("    ./rialto new heat-flow\n", "`cd heat-flow && mvn package`");
    type(tree, "./rialto new heat-flow");
    String said = type(tree, "cd heat-flow && mvn -B package");
    assertThat(said).contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
  }

  @Test
  @Order(6)
  void aNewProjectInKotlinBuildsAndPassesItsTest() throws Exception {
    assumeFalse(
        Boolean.getBoolean("rialto.offline"), "Kotlin's compiler may have to be downloaded");
    type(tree, "./rialto new heat-kotlin --kotlin");
    // A daemon would outlive the test.
    String said = type(tree, "cd heat-kotlin && mvn -B package -Dkotlin.compiler.daemon=false");
    assertThat(said).contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
  }

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve(name));
  }

  private static String type(Path where, String line) throws IOException, InterruptedException {
    Path maven = Path.of(System.getProperty("rialto.maven")).getParent();
    return Run.in(where)
        .with("HOME", home)
        .with("XDG_CACHE_HOME", home.resolve(".cache"))
        .with("JAVA_HOME", System.getProperty("java.home"))
        .with("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -Duser.home=" + home)
        .with("PATH", maven + File.pathSeparator + System.getenv("PATH"))
        .without("RIALTO_JAVA_OPTS")
        .patience(500)
        .command("sh", "-c", line)
        .succeeds();
  }
}
