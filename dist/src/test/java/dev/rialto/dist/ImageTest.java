package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The image runs from its archive, unpacked by the system's own tar, with no Java around. */
class ImageTest {
  @TempDir private static Path folder;
  private static Path rialto;

  @BeforeAll
  static void packAndUnpack() throws Exception {
    Path image = folder.resolve("rialto-image");
    Image.make(Distribution.classPath(), new Tree(Path.of("..")), image);
    Path archive = folder.resolve("image.tar.gz");
    TarGz.write(image, archive);
    Path there = Files.createDirectories(folder.resolve("there"));
    Run.in(there).command("tar", "xzf", archive.toString()).succeeds();
    rialto = there.resolve("rialto-image/bin/rialto");
  }

  private static Run run() throws IOException {
    return Run.in(folder).without("JAVA_HOME").with("PATH", "/usr/bin:/bin").with("HOME", folder);
  }

  @Test
  void infoNamesTheBackends() throws Exception {
    String said = run().command(rialto.toString(), "info").succeeds();
    assertThat(said)
        .containsPattern("local +yes")
        .containsPattern("cpu +yes")
        .doesNotContain("WARN");
  }

  /** Without it each start would read and check the classes anew. */
  @ParameterizedTest
  @ValueSource(strings = {"-Xmx1g", "-Xmx64g"})
  void classesOfAStartComeFromItsArchive(String heap) throws Exception {
    String said =
        run()
            .with("RIALTO_JAVA_OPTS", heap + " -Xshare:on -Xlog:class+load")
            .command(rialto.toString(), "--version")
            .succeeds();
    assertThat(said.lines().filter(line -> line.contains("dev.rialto.cli.Main ")))
        .singleElement()
        .asString()
        .endsWith("source: shared objects file");
  }

  /** Files of a careless copy are newer than the archive; then it is not used. */
  @Test
  void aTouchedImageStartsAndSaysNothingOfIt() throws Exception {
    Path image = Files.createDirectories(folder.resolve("touched"));
    Run.in(folder)
        .command("cp", "-r", rialto.resolveSibling("..").normalize() + "/.", image.toString())
        .succeeds();
    assertThat(run().command(image.resolve("bin/rialto").toString(), "--version").succeeds())
        .matches("rialto [^\n]+\n");
  }

  @Test
  void theDemoRuns() throws Exception {
    run().command(rialto.toString(), "demo", "--grid", "16", "--quiet").succeeds();
  }

  @Test
  void kernelsAreCompiledForTheJvm() throws Exception {
    Path program = folder.resolve("twice.rialto");
    Files.writeString(program, "input x f32[4]\ny[i] = 2 * x[i]\n");
    assertThat(run().command(rialto.toString(), "kernel", "run", program.toString()).succeeds())
        .contains("y.sum");
  }

  @Test
  void sourceFilesRun() throws Exception {
    Path java = rialto.resolveSibling("../lib/java/bin/java");
    Path hello = folder.resolve("Hello.java");
    Files.writeString(hello, "void main() { IO.println(\"hello\"); }\n");
    assertThat(run().command(java.toString(), hello.toString()).succeeds()).contains("hello");
  }

  @Test
  void twoArchivesOfTheSameFilesAreTheSameBytes() throws IOException {
    Path tree = Files.createDirectories(folder.resolve("small"));
    Folders.write(tree.resolve("a/b"), "text");
    Folders.write(tree.resolve("x".repeat(90) + "/" + "y".repeat(80)), "");
    List<Path> archives = List.of(folder.resolve("1.tgz"), folder.resolve("2.tgz"));
    for (Path archive : archives) {
      TarGz.write(tree, archive);
    }
    assertThat(archives.getFirst()).hasSameBinaryContentAs(archives.getLast());
  }
}
