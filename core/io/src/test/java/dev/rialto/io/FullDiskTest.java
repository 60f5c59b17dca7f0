package dev.rialto.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files for which there is no room: a process that may write files of 64 KiB at most tries larger
 * ones.
 */
class FullDiskTest {
  @TempDir private Path folder;

  /** The process. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      Path folder = Path.of(args[0]);
      Shape shape = Shape.of(64, 64, 8);
      try (Arena arena = Arena.ofConfined()) {
        NpyFile.save(folder.resolve("one.npy"), DType.F64, shape, arena.allocate(64 * 64 * 64));
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
      for (String name : List.of("all.npy", "all.vti")) {
        try (World world = World.local(3)) {
          world.run(comm -> save(Team.on(comm), folder.resolve(name), shape));
        } catch (CommunicationException e) {
          System.out.println(e.getCause().getMessage());
        }
      }
    }

    private static void save(Team team, Path file, Shape shape) throws IOException {
      try (team;
          F64Array array = team.f64(shape.extents())) {
        if (file.toString().endsWith(".npy")) {
          NpyFile.save(file, array);
        } else {
          VtkImage.save(file, Map.of("a", array), 1, 1, 1);
        }
      }
    }
  }

  @Test
  void oldFilesStayAndNoTemporaryOnesDo() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")));
    List<String> names = List.of("one.npy", "all.npy", "all.vti");
    for (String name : names) {
      Files.writeString(folder.resolve(name), "old");
    }
    Process process =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "ulimit -f 128 && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();

    for (String name : names) {
      assertThat(said).contains(folder.resolve(name) + " cannot be written: ");
      assertThat(folder.resolve(name)).hasContent("old");
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).hasSize(names.size());
    }
  }
}
