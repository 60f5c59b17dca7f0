package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels in programs that are started in other ways than by a class path. */
@Tag("gpu")
class LaunchersTest {
  private static final String SOURCE =
      """
      import dev.rialto.jit.kernel.*;
      import dev.rialto.runtime.Devices;

      public class Sample {
        private static final int[] TABLE = {5, 6, 7};

        public static void main(String[] args) {
          int[] x = {1, 2, 3};
          int more = args.length + 10;
          try (JavaKernel kernel =
              JavaKernels.on(Devices.open("cpu:0"))
                  .withTarget("jvm")
                  .kernel((Item it, I32 y) -> {
                    long i = it.global();
                    y.set(i, y.get(i) * more + TABLE[(int) i]);
                  })) {
            kernel.launch(3, x);
          }
          System.out.println(java.util.Arrays.toString(x));
        }
      }
      """;

  private static final String[] PATH =
      System.getProperty("java.class.path").split(File.pathSeparator, -1);

  private static String java(Path folder, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Test
  void aSourceFileMayHaveAKernel(@TempDir Path folder) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("Sample.java"), SOURCE);
    String path = String.join(File.pathSeparator, PATH);
    assertThat(java(folder, "-cp", path, "Sample.java")).contains("[15, 26, 37]");
  }

  /** Its packages are open to no other module. */
  @Test
  void aNamedModuleMayHaveAKernel(@TempDir Path folder) throws IOException, InterruptedException {
    Path sources = Files.createDirectories(folder.resolve("sources/sample"));
    Files.writeString(sources.resolve("Sample.java"), "package sample;\n" + SOURCE);
    Path declaration = folder.resolve("sources/module-info.java");
    Files.writeString(declaration, "module sample { requires dev.rialto.jit; }");
    String modules =
        String.join(
            File.pathSeparator,
            Arrays.stream(PATH)
                .filter(
                    entry ->
                        Files.exists(Path.of(entry, "module-info.class"))
                            || entry.contains("jspecify")
                            || Path.of(entry).getFileName().toString().startsWith("rialto-"))
                .toList());
    Path made = folder.resolve("made");
    int code =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-proc:none",
                "-p",
                modules,
                "-d",
                made.toString(),
                declaration.toString(),
                sources.resolve("Sample.java").toString());
    assertThat(code).isZero();
    String said =
        java(
            folder,
            "-p",
            modules + File.pathSeparator + made,
            "--add-modules",
            "dev.rialto.cpu",
            "-m",
            "sample/sample.Sample");
    assertThat(said).contains("[15, 26, 37]");
  }
}
