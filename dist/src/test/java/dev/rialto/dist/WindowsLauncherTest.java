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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Windows launcher, run by the command interpreter of Wine where that is installed. */
class WindowsLauncherTest {
  @TempDir private static Path prefix;
  @TempDir private Path tree;

  @BeforeAll
  static void requireWine() {
    assumeTrue(
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "wine"))),
        "wine is not installed");
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
        .contains("core/spi -am");
  }

  /** A folder that looks like a JDK; its java is the interpreter, which reads nothing and ends. */
  private void jdk(String version) throws IOException {
    Path bin = Files.createDirectories(tree.resolve("jdk/bin"));
    Files.writeString(tree.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
    Files.writeString(bin.resolve("javac.exe"), "");
    Path interpreter = prefix.resolve("drive_c/windows/system32/cmd.exe");
    if (Files.exists(interpreter)) {
      Files.copy(interpreter, bin.resolve("java.exe"));
    }
  }

  private void maven() throws IOException {
    Folders.write(
        tree.resolve("bin/mvn.cmd"),
        "@echo off\r\necho mvn %*>>\""
            + windows(tree.resolve("maven.log"))
            + "\"\r\nexit /b 0\r\n");
  }

  private String run(int code, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("wine", "cmd", "/c", windows(tree.resolve("rialto.cmd"))));
    command.addAll(List.of(arguments));
    return Run.in(tree)
        .with("WINEPREFIX", prefix)
        .with("WINEDEBUG", "-all")
        .with("RIALTO_JAVA_HOME", windows(tree.resolve("jdk")))
        .with("WINEPATH", windows(tree.resolve("bin")))
        .command(command)
        .endsWith(code);
  }

  private static String windows(Path path) {
    return "Z:" + path.toAbsolutePath().toString().replace('/', '\\');
  }
}
