package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Windows launcher, run by the command interpreter of Wine where that is installed. */
class WindowsLauncherTest {
  @TempDir private static Path prefix;
  @TempDir private Path tree;

  @BeforeAll
  static void requireWine() throws Exception {
    assumeTrue(isInstalled(), "wine is not installed");
    // The first run makes the folders of a Windows, with its interpreter.
    wine(prefix, List.of("cmd", "/c", "exit")).succeeds();
  }

  private static boolean isInstalled() {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "wine")));
  }

  /** Processes that still run would write into the folder while it is deleted. */
  @AfterAll
  static void endWine() throws IOException, InterruptedException {
    if (!isInstalled()) {
      return; // This is called after a refused start, too.
    }
    for (String option : List.of("-k", "-w")) {
      ProcessBuilder server = new ProcessBuilder("wineserver", option);
      server.environment().put("WINEPREFIX", prefix.toString());
      server.start().waitFor();
    }
  }

  @BeforeEach
  void copyTheLauncher() throws IOException {
    Files.copy(Path.of("..", "rialto.cmd"), tree.resolve("rialto.cmd"));
  }

  @Test
  void itSaysThatAnOldJdkWillNotDo() throws Exception {
    jdk("21.0.3");
    assertThat(run(2, "info")).contains("needs a JDK 25").contains("adoptium");
  }

  @Test
  void itBuildsTheTreeOnce() throws Exception {
    jdk("25.0.3");
    maven();
    assertThat(run(0, "info")).contains("Building Rialto");
    assertThat(Files.readString(tree.resolve("maven.log")))
        .contains("package \"-Drialto.launcher=");
    assertThat(tree.resolve(".rialto/stamp-cmd")).exists();
  }

  @Test
  void jobsOfMavenGetTheirOptions() throws Exception {
    jdk("25.0.3");
    maven();
    run(0, "test", "-pl", "core/spi", "-am");
    assertThat(Files.readString(tree.resolve("maven.log")))
        .contains("verify")
        .contains("core/spi -am -T 2");
  }

  @Test
  void aPackageHasThePartsThatAreAskedFor() throws Exception {
    jdk("25.0.3");
    maven();
    Folders.write(tree.resolve("dist/target/class-path"), "a.jar;b.jar\r\n");
    run(0, "package", "image");
    assertThat(Files.readString(tree.resolve("maven.log")))
        .contains("package -Dmaven.test.skip=true")
        .doesNotContain("image")
        .doesNotContain("deploy");
    run(0, "package", "-o");
    assertThat(Files.readString(tree.resolve("maven.log")))
        .containsPattern(
            "deploy -Dgpg.skip \"-DaltDeploymentRepository=release::file:///Z:/\\S+\" +-o")
        .contains("/dist/target/release/maven");
  }

  @Test
  void jobsThatNeedAShellAreRefusedByName() throws Exception {
    jdk("25.0.3");
    assertThat(run(2, "mutate", "core/text")).contains("'mutate'").contains("WSL");
    assertThat(run(2, "test", "--gpu")).contains("'--gpu'").contains("WSL");
  }

  @Test
  void helpIsTheCommandsAndNotMavens() throws Exception {
    jdk("25.0.3");
    maven();
    run(0, "test", "--help");
    assertThat(Files.readString(tree.resolve("maven.log"))).doesNotContain("verify");
  }

  @Test
  void theJdkOfThePathIsFound() throws Exception {
    jdk("25.0.3");
    String said =
        wine(tree, List.of("cmd", "/c", windows(tree.resolve("rialto.cmd")), "mutate"))
            .without("RIALTO_JAVA_HOME")
            .without("JAVA_HOME")
            .with("WINEPATH", windows(tree.resolve("jdk/bin")))
            .endsWith(2);
    assertThat(said).contains("'mutate'").doesNotContain("none was found");
  }

  @Test
  void theLauncherOfAnImageUsesTheJavaBesideIt() throws Exception {
    Image.windowsScript(new Tree(Path.of("..")), tree.resolve("bin/rialto.cmd"));
    Path java = Files.createDirectories(tree.resolve("lib/java/bin"));
    Files.copy(prefix.resolve("drive_c/windows/system32/cmd.exe"), java.resolve("java.exe"));
    assertThat(run(0, "bin/rialto.cmd", List.of("info"))).doesNotContain("JDK");
  }

  /** A folder that looks like a JDK; its java is the interpreter, which reads nothing and ends. */
  private void jdk(String version) throws IOException {
    Path bin = Files.createDirectories(tree.resolve("jdk/bin"));
    Files.writeString(tree.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
    Files.writeString(bin.resolve("javac.exe"), "");
    Files.copy(prefix.resolve("drive_c/windows/system32/cmd.exe"), bin.resolve("java.exe"));
  }

  private void maven() throws IOException {
    Folders.write(
        tree.resolve("bin/mvn.cmd"),
        // A number before >> would be taken for that of a stream.
        "@echo off\r\n>>\""
            + windows(tree.resolve("maven.log"))
            + "\" echo mvn %*\r\nexit /b 0\r\n");
  }

  private String run(int code, String... arguments) throws Exception {
    return run(code, "rialto.cmd", List.of(arguments));
  }

  private String run(int code, String launcher, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("cmd", "/c", windows(tree.resolve(launcher))));
    command.addAll(arguments);
    return wine(tree, command)
        .with("RIALTO_JAVA_HOME", windows(tree.resolve("jdk")))
        .with("WINEPATH", windows(tree.resolve("bin")))
        .endsWith(code);
  }

  private static Run wine(Path folder, List<String> command) {
    List<String> all = new ArrayList<>(List.of("wine"));
    all.addAll(command);
    return Run.in(folder).with("WINEPREFIX", prefix).with("WINEDEBUG", "-all").command(all);
  }

  private static String windows(Path path) {
    return "Z:" + path.toAbsolutePath().toString().replace('/', '\\');
  }
}
