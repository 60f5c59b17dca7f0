package dev.rialto.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.rialto.array.Team;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.report.ReportPage;
import dev.rialto.cli.report.TraceException;
import dev.rialto.cli.report.TraceFile;
import dev.rialto.exchange.Scheme;
import dev.rialto.fft.FourierSettings;
import dev.rialto.io.FileFormatException;
import dev.rialto.io.NpyFile;
import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketException;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.text.Json;
import dev.rialto.text.JsonException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spoilt input for everything that parses: it is understood, or refused with the exception that the
 * parser promises, and never with another.
 *
 * <p>It lives here because the command line is the one module that sees every parser. {@code
 * -Drialto.fuzz=N} tries N inputs for each instead of a few, {@code -Drialto.fuzz.seed=N} others.
 */
@Timeout(3600)
class FuzzTest {
  private static final int COUNT = Integer.getInteger("rialto.fuzz", 400);
  private static final long SEED = Long.getLong("rialto.fuzz.seed", 1);

  @TempDir private Path folder;

  private interface Parser {
    void parse(byte[] input) throws Exception;
  }

  private static List<byte[]> texts(String... valid) {
    return Stream.of(valid).map(each -> each.getBytes(UTF_8)).toList();
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static void fuzz(
      int count, List<byte[]> valid, Parser parser, Class<? extends Exception>... promised)
      throws Exception {
    for (byte[] each : valid) {
      parser.parse(each);
    }
    for (long seed = SEED; seed < SEED + count; seed++) {
      byte[] input = new Mutator(seed).next(valid);
      try {
        parser.parse(input);
      } catch (Exception | StackOverflowError | OutOfMemoryError e) {
        if (Arrays.stream(promised).noneMatch(kind -> kind.isInstance(e))) {
          fail(
              "seed %d, input %s%n%s"
                  .formatted(seed, HexFormat.of().formatHex(input), new String(input, ISO_8859_1)),
              e);
        }
        assertThat(e.getMessage()).as("seed %d, %s", seed, e).isNotBlank();
      }
    }
  }

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  @Test
  void json() throws Exception {
    fuzz(
        20 * COUNT,
        texts(
            "{\"a\": [1, -2.5e-3, true, null], \"b\": {\"c\": \"\\u00e4\\n\"}}",
            "[[[]], {}, \"x\", 12345678901234567890, -0]"),
        input -> Json.read(new String(input, UTF_8)),
        JsonException.class);
  }

  @Test
  void arraysOfNumpy() throws Exception {
    List<byte[]> valid = new ArrayList<>();
    Path file = folder.resolve("valid.npy");
    try (Arena arena = Arena.ofConfined()) {
      double[] numbers = {1, 2, 3, 4, 5, 6};
      var memory = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, numbers);
      for (Shape shape : List.of(Shape.of(2, 3), Shape.of(6), Shape.of(0, 4), Shape.of(1, 2, 3))) {
        NpyFile.save(file, DType.F64, shape, memory);
        valid.add(Files.readAllBytes(file));
      }
    }
    byte[] fortran =
        new String(valid.getFirst(), ISO_8859_1)
            .replace("False, ", "True,  ")
            .replace("<f8", ">f8")
            .getBytes(ISO_8859_1);
    valid.add(fortran);
    fuzz(
        COUNT,
        valid,
        input -> {
          try (Arena arena = Arena.ofConfined()) {
            NpyFile.open(file("a.npy", input), arena).read(arena);
          }
        },
        FileFormatException.class);
  }

  @Test
  void traces() throws Exception {
    Path file = folder.resolve("valid.json");
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    String[] solve = {
      "solve", "poisson3d:4", "--quiet", "--format", "csr", "--trace", file.toString()
    };
    assertThat(Main.run(out, out, false, solve)).as(said.toString()).isZero();
    String text = Files.readString(file);
    fuzz(
        COUNT / 4,
        texts(
            text.substring(0, text.indexOf("\n", Math.min(20_000, text.length() / 2)) - 1) + "]}",
            "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":1,\"dur\":2,\"name\":\"a\"},"
                + "{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"m\",\"args\":{\"bytes\":7}},"
                + "{\"ph\":\"M\",\"name\":\"rialto\",\"ts\":0,\"args\":{\"section\":\"curve\","
                + "\"values\":[1,0.1,null]}}]}"),
        input -> ReportPage.of(List.of(TraceFile.read(file("t.json", input)))),
        TraceException.class);
  }

  @Test
  void settingsOfTransforms() throws Exception {
    Path file = folder.resolve("valid");
    new FourierSettings(List.of(2, 1, 1), true, false, "rma-pull/fused/cast:1e-6", "java", 0.5)
        .save(file);
    fuzz(
        4 * COUNT,
        List.of(Files.readAllBytes(file)),
        input -> FourierSettings.load(file("s", input)),
        IllegalArgumentException.class,
        UnsupportedOperationException.class);
  }

  @Test
  void matricesOfMatrixMarket() throws Exception {
    List<byte[]> valid =
        texts(
            "%%MatrixMarket matrix coordinate real general\n% a\n3 3 3\n1 1 2\n2 2 4e1\n3 1 -1\n",
            "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n",
            "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 2 0\n2 1 1 -1\n");
    fuzz(
        COUNT,
        valid,
        // What has many rows takes much memory; the command line looks before.
        input -> {
          if (MatrixMarket.open(file("a.mtx", input)).header().rows() < 1 << 20) {
            matrix(folder.resolve("a.mtx"));
          }
        },
        MatrixMarketException.class,
        IllegalArgumentException.class,
        UnsupportedOperationException.class);
  }

  private static void matrix(Path file) throws Exception {
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              MatrixMarket read = MatrixMarket.open(file);
              var _ = read.readMatrix(team, read.header().type());
            }
          });
    } catch (CommunicationException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Test
  void programsAndSchedules() throws Exception {
    fuzz(
        2 * COUNT,
        texts(
            "input x f32[4, 8]\ninput w f32[8]\ny[i] += x[i, k] * w[k]\nz[i] = max(y[i], 0)\n",
            "input a f32[16]\nb[i] = exp(a[i]) - 0.5 * a[i] # note\n"),
        input -> Program.parse("p", new String(input, UTF_8)),
        IllegalArgumentException.class);
    fuzz(
        2 * COUNT,
        texts("# p on jvm\ny: split(i, 16) parallel(i) vector(i.1)\n"),
        input -> {
          try {
            Schedule.parseAll(new String(input, UTF_8));
          } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }

  @Test
  void schemesAndShapes() throws Exception {
    fuzz(
        4 * COUNT,
        texts("rma-pull/fused/cast:1e-6", "shared", "all-to-all/pipelined/lz4"),
        input -> Scheme.parse(new String(input, UTF_8)),
        IllegalArgumentException.class,
        UnsupportedOperationException.class);
    fuzz(
        4 * COUNT,
        texts("256x256x128", "7"),
        input -> Shape.parse(new String(input, UTF_8)),
        IllegalArgumentException.class);
  }

  @Test
  void argumentsOfCommands() throws Exception {
    Files.writeString(folder.resolve("k"), "input x f32[4]\ny[i] = 2 * x[i]\n");
    String at = folder.toString();
    fuzz(
        COUNT / 8,
        texts(
            "info --json --quiet",
            "completion bash",
            "kernel explain " + at + "/k --backend jvm --static n=3 --seed 4",
            "report " + at + "/none.json --out " + at + "/page.html",
            "fft " + at + "/none.npy " + at + "/out.npy --axes 0,1 --ranks 2 --scheme shared",
            "solve " + at + "/none.mtx --tol 1e-6 --precond ilu:0 --max-iterations 3"),
        input -> {
          StringWriter out = new StringWriter();
          StringWriter err = new StringWriter();
          String line = new String(input, ISO_8859_1).replace('\0', '?');
          int code =
              Main.run(new PrintWriter(out), new PrintWriter(err), false, line.split("[ \n]+"));
          assertThat(code).as("%s%n%s", line, err).isBetween(0, 2);
          assertThat(err.toString()).as(line).doesNotContain("\tat ", "Exception");
          if (code == ExitCode.FAILED) {
            fail(line + "\n" + err);
          }
        });
  }
}
