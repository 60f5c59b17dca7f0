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
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user's project: the {@code pom.xml} and the program of the README, built by Maven against the
 * packaged artifacts, on the class path and as a module.
 */
class LibraryTest {
  private static final Path ROOT = new Tree(Path.of("..")).root();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin");

  @TempDir private static Path folder;
  private static List<String> jars;

  @BeforeAll
  static void buildTheProject() throws Exception {
    String readme = Files.readString(ROOT.resolve("README.md"));
    String pom = block(readme, "xml");
    assertThat(pom.strip().lines().count()).isLessThanOrEqualTo(10);
    Path project = folder.resolve("project");
    Folders.write(project.resolve("pom.xml"), pom);
    Folders.write(project.resolve("src/main/java/Hello.java"), block(readme, "java"));
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("rialto.maven"),
                "-B",
                "-ntp",
                "-q",
                "-Dmaven.repo.local=" + repository(folder.resolve("repository")),
                plugin("maven-compiler-plugin") + ":compile",
                plugin("maven-dependency-plugin") + ":build-classpath",
                "-Dmdep.outputFile=jars"));
    if (Boolean.getBoolean("rialto.offline")) {
      command.add("-o");
    }
    Run.in(project).with("JAVA_HOME", System.getProperty("java.home")).command(command).succeeds();
    jars = List.of(Files.readString(project.resolve("jars")).split(File.pathSeparator));
  }

  /** Returns a plugin in the version of this build, which is there without a network. */
  static String plugin(String name) throws IOException {
    Matcher version =
        Pattern.compile("<artifactId>" + name + "</artifactId>\\s*<version>(.*?)</version>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    assertThat(version.find()).as("a version of %s in pom.xml", name).isTrue();
    return "org.apache.maven.plugins:" + name + ":" + version.group(1);
  }

  static String block(String page, String language) {
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).as("a block of " + language + " in the README").isTrue();
    return block.group(1);
  }

  /** A local repository with what this machine's has, but Rialto's artifacts from this build. */
  static Path repository(Path mine) throws IOException {
    BuiltArtifacts.install(new Tree(ROOT), mine);
    linkOthers(mine);
    return mine;
  }

  /** Fills a local repository with what this machine's has, but for Rialto's artifacts. */
  static void linkOthers(Path mine) throws IOException {
    Files.createDirectories(mine.resolve("dev"));
    link(Path.of(System.getProperty("rialto.repository")), mine, "dev");
    link(Path.of(System.getProperty("rialto.repository"), "dev"), mine.resolve("dev"), "rialto");
  }

  private static void link(Path from, Path to, String except) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.filter(each -> !each.endsWith(except)).toList()) {
        Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
      }
    }
  }

  private static String java(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(JAVA.resolve("java").toString()));
    command.addAll(List.of(arguments));
    return Run.in(folder).command(command).succeeds();
  }

  @Test
  void itRunsOnTheClassPath() throws Exception {
    String path = folder.resolve("project/target/classes") + File.pathSeparator;
    String said =
        java(
            "--enable-native-access=ALL-UNNAMED",
            "--class-path",
            path + String.join(File.pathSeparator, jars),
            "Hello",
            "--ranks=4");
    assertThat(said.lines()).contains("4 ranks: sum 1.0, at most 0.25");
  }

  @Test
  void itRunsAsAModule() throws Exception {
    Path source = folder.resolve("module/src");
    Path classes = folder.resolve("module/classes");
    Folders.write(source.resolve("module-info.java"), "module hello { requires dev.rialto; }\n");
    Folders.write(
        source.resolve("hello/Main.java"),
        """
        package hello;

        import dev.rialto.fft.FourierPlan;
        import dev.rialto.spi.World;
        import dev.rialto.spi.data.DType;

        public final class Main {
          public static void main(String[] args) {
            try (World world = World.local(2)) {
              world.run(
                  comm -> {
                    try (FourierPlan plan =
                        FourierPlan.complex(DType.F64, 8, 8).on(comm).build()) {
                      System.out.println(plan.outputType());
                    }
                  });
            }
          }
        }
        """);
    String path = String.join(File.pathSeparator, jars);
    Run.in(folder)
        .command(
            JAVA.resolve("javac").toString(),
            "-Xlint:-requires-transitive-automatic",
            "--module-path",
            path,
            "-d",
            classes.toString(),
            source.resolve("module-info.java").toString(),
            source.resolve("hello/Main.java").toString())
        .succeeds();
    String said =
        java("--module-path", path + File.pathSeparator + classes, "-m", "hello/hello.Main");
    assertThat(said.lines().filter("C128"::equals)).hasSize(2);
  }
}
