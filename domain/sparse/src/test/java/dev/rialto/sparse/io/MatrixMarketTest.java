package dev.rialto.sparse.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.TestVector;
import dev.rialto.sparse.io.Header.Field;
import dev.rialto.sparse.io.Header.Symmetry;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixMarketTest {
  @TempDir Path folder;

  private static Map<String, Scalar> entries(SparseMatrix a) {
    Map<String, Scalar> entries = new TreeMap<>();
    for (Csr part : new Csr[] {a.own(), a.halo()}) {
      for (int i = 0; i < part.rows(); i++) {
        for (int k = part.starts()[i]; k < part.starts()[i + 1]; k++) {
          entries.put(
              a.map().global(i) + "," + a.map().global(part.columnIndex()[k]),
              new Scalar(part.values().re(k), part.values().im(k)));
        }
      }
    }
    return entries;
  }

  private Map<String, Scalar> read(Path file, int ranks, int piece, DType type) {
    Map<String, Scalar> all = new TreeMap<>();
    Ranks.call(ranks, team -> entries(MatrixMarket.open(file, piece).readMatrix(team, type)))
        .forEach(all::putAll);
    return all;
  }

  @ParameterizedTest
  @CsvSource({
    "real, general", "real, symmetric", "real, skew-symmetric", "integer, general",
    "pattern, symmetric", "complex, general", "complex, symmetric", "complex, hermitian",
    "complex, skew-symmetric", "double, general"
  })
  void everyFieldAndSymmetryIsRead(String field, String symmetry) throws IOException {
    Random random = new Random(3);
    Map<String, Scalar> expected = new TreeMap<>();
    StringBuilder lines = new StringBuilder();
    int count = 0;
    for (int i = 0; i < 30; i++) {
      for (int j = 0; j < 30; j++) {
        boolean stored =
            symmetry.equals("general") || (symmetry.equals("skew-symmetric") ? j < i : j <= i);
        if (!stored || random.nextInt(4) != 0) {
          continue;
        }
        double re = field.equals("pattern") ? 1 : random.nextInt(2000) - 1000;
        double im = field.equals("complex") ? random.nextInt(9) / 4.0 : 0;
        if (symmetry.equals("hermitian") && i == j) {
          im = 0;
        }
        String number =
            switch (field) {
              case "pattern" -> "";
              case "integer" -> " " + (long) re;
              case "complex" -> " " + re + " " + im;
              default -> (re /= 1000) == 0 ? " 0" : "\t" + re;
            };
        lines.append(i + 1).append("  ").append(j + 1).append(number).append("\n");
        count++;
        expected.put(i + "," + j, new Scalar(re, im));
        if (i != j && !symmetry.equals("general")) {
          expected.put(
              j + "," + i,
              switch (symmetry) {
                case "skew-symmetric" -> new Scalar(re, im).negated();
                case "hermitian" -> new Scalar(re, im).conjugate();
                default -> new Scalar(re, im);
              });
        }
      }
    }
    Path file = folder.resolve("a.mtx");
    Files.writeString(
        file,
        "%%MatrixMarket matrix coordinate "
            + field
            + " "
            + symmetry
            + "\n% a comment\n\n30 30 "
            + count
            + "\n"
            + lines);
    DType type = field.equals("complex") ? DType.C128 : DType.F64;
    for (int ranks : new int[] {1, 2, 3}) {
      for (int piece : new int[] {64, 1000, 1 << 20}) {
        assertThat(read(file, ranks, piece, type)).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.mtx", "a.mtx.gz"})
  void whatIsWrittenIsReadBack(String name) throws IOException {
    Path file = folder.resolve("source.mtx");
    StringBuilder lines = new StringBuilder();
    Random random = new Random(9);
    for (int i = 1; i <= 200; i++) {
      lines.append(i).append(' ').append(i).append(' ').append(random.nextGaussian()).append('\n');
      lines.append(i).append(' ').append(i % 200 + 1).append(' ').append(1 / 3.0 * i).append('\n');
    }
    Files.writeString(file, "%%MatrixMarket matrix coordinate real general\n200 200 400\n" + lines);
    Map<String, Scalar> original = read(file, 1, 1 << 20, DType.F64);
    Path copy = folder.resolve(name);
    for (int ranks : new int[] {1, 3}) {
      Ranks.run(
          ranks,
          team ->
              MatrixMarketWriter.write(copy, MatrixMarket.open(file).readMatrix(team, DType.F64)));
      assertThat(read(copy, 2, 500, DType.F64)).isEqualTo(original);
    }
  }

  @Test
  void symmetricMatricesAreWrittenByHalves() throws IOException {
    Path file = folder.resolve("s.mtx");
    Files.writeString(
        file,
        """
        %%MatrixMarket matrix coordinate complex hermitian
        3 3 4
        1 1 2 0
        2 1 1 5
        3 2 -1 0.5
        3 3 4 0
        """);
    Map<String, Scalar> original = read(file, 1, 100, DType.C128);
    Path copy = folder.resolve("t.mtx");
    Ranks.run(
        2,
        team ->
            MatrixMarketWriter.write(
                copy,
                MatrixMarket.open(file).readMatrix(team, DType.C128),
                Field.COMPLEX,
                Symmetry.HERMITIAN));
    assertThat(Files.readAllLines(copy)).hasSize(6);
    assertThat(read(copy, 1, 100, DType.C128)).isEqualTo(original);
  }

  @ParameterizedTest
  @CsvSource({
    "general, 1 2 0 4, 1 2 0 4",
    "symmetric, 1 2 4, 1 2 2 4",
    "skew-symmetric, 3, 0 3 -3 0",
  })
  void denseMatricesAreRead(String symmetry, String numbers, String columns) throws IOException {
    Path file = folder.resolve("dense.mtx");
    Files.writeString(
        file,
        "%%MatrixMarket matrix array real "
            + symmetry
            + "\n2 2\n"
            + numbers.replace(' ', '\n')
            + "\n");
    Map<String, Scalar> expected = new TreeMap<>();
    String[] all = columns.split(" ", -1);
    for (int k = 0; k < 4; k++) {
      if (!all[k].equals("0")) {
        expected.put(k % 2 + "," + k / 2, Scalar.of(Double.parseDouble(all[k])));
      }
    }
    for (int ranks : new int[] {1, 2, 3}) {
      assertThat(read(file, ranks, 1000, DType.F64)).isEqualTo(expected);
    }
  }

  @Test
  void vectorsGoForthAndBack() {
    Path file = folder.resolve("v.mtx");
    Ranks.run(
        3,
        team -> {
          var map = dev.rialto.sparse.IndexMap.even(team, 50).assemble();
          try (TestVector x = new TestVector(map, DType.C128)) {
            for (int i = 0; i < map.owned(); i++) {
              x.set(i, 0, new Scalar(map.global(i) / 7.0, -1));
            }
            MatrixMarketWriter.write(file, map, x.array());
            try (TestVector y = x.like()) {
              MatrixMarket.open(file).readVector(map, y.array());
              for (int i = 0; i < map.owned(); i++) {
                assertThat(y.get(i)).isEqualTo(x.get(i));
              }
            }
          }
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "%%MatrixMarket matrix coordinate real general\\n"
            + "2 2 1\\n"
            + "3 1 1.0 | 3 | row 3 is not from 1 to 2",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 x 1.0 | 3 | column 'x'",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 one | 3 | 'one' is no decimal",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 | 3 | a number is missing",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 1 1 | 3 | too much",
        "%%MatrixMarket matrix coordinate real general\\n2 2\\n1 1 1 | 2 | should be the sizes",
        "%%MatrixMarket matrix coordinate real general\\n2 -2 1\\n1 1 1 | 2 | size '-2'",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 NaN | 3 | 'NaN' is no decimal",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 Infinity | 3 | is no decimal",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 0x1p3 | 3 | is no decimal",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 1f | 3 | is no decimal",
        "%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 1e999 | 3 | too large",
        "%%MatrixMarket matrix coordinate integer general\\n2 2 1\\n1 1 1.5 | 3 | is no integer",
        "%%MatrixMarket matrix coordinate integer general\\n2 2 1\\n1 1 1e2 | 3 | is no integer",
        "%%MatrixMarket matrix coordinate real skew-symmetric\\n2 2 1\\n1 1 1 | 3 | is not 0",
        "%%MatrixMarket matrix coordinate pattern skew-symmetric\\n2 2 1\\n2 1 | 1 | 'skew-symm",
        "%%MatrixMarket matrix coordinate real symmetric\\n"
            + "2 2 2\\n"
            + "1 2 1\\n"
            + "2 1 1 | 0 | are both given",
        "%%MatrixMarket matrix coordinate real symmetric\\n2 3 1\\n1 1 1 | 2 | cannot be symmetric",
        "%%MatrixMarket matrix coordinate real hermitian\\n2 2 1\\n1 1 1 | 1 | 'hermitian'",
        "%%MatrixMarket matrix coordinate quaternion general\\n2 2 1\\n1 1 1 | 1 | 'quaternion'",
        "%%MatrixMarket matrix coordinate real general\\n"
            + "2 2 3\\n"
            + "1 1 1\\n"
            + "2 2 1 | 0 | 2 entries, where the header says 3",
        "%%MatrixMarket matrix coordinate real general\\n% no sizes | 3 | ends before the sizes",
        "hello | 1 | no Matrix Market banner",
        "%%MatrixMarket matrix coordinate real general\\n"
            + "2 2 1\\n"
            + "99999999999999999999 1 1 | 3 | row",
      })
  void malformedFilesAreNamedWithTheLine(String text, long line, String what) throws IOException {
    Path file = folder.resolve("bad.mtx");
    Files.writeString(file, text.replace("\\n", "\n") + "\n");
    for (int ranks : new int[] {1, 2}) {
      assertThatThrownBy(() -> read(file, ranks, 1000, DType.F64))
          .rootCause()
          .isInstanceOfSatisfying(
              MatrixMarketException.class,
              e -> {
                assertThat(e.line()).isEqualTo(line);
                assertThat(e).hasMessageContaining(what);
              });
    }
  }

  @Test
  void upperTrianglesAndSignsAreRead() throws IOException {
    Path file = folder.resolve("upper.mtx");
    for (String symmetry : new String[] {"symmetric", "skew-symmetric"}) {
      Files.writeString(
          file,
          "%%MatrixMarket matrix coordinate integer "
              + symmetry
              + "\n+3 +3 3\n+1 2 +5\n3 +2 -7\n1 1 0\n");
      double sign = symmetry.equals("symmetric") ? 1 : -1;
      for (int ranks : new int[] {1, 2, 3}) {
        assertThat(read(file, ranks, 16, DType.F64))
            .containsEntry("0,1", Scalar.of(5))
            .containsEntry("1,0", Scalar.of(sign * 5))
            .containsEntry("2,1", Scalar.of(-7))
            .containsEntry("1,2", Scalar.of(-sign * 7))
            .hasSize(5);
      }
    }
  }

  @Test
  void numbersThatAreNotOfTheFilesKindAreNotCut() throws IOException {
    Path file = folder.resolve("c.mtx");
    Files.writeString(file, "%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 0\n");
    Path copy = folder.resolve("copy.mtx");
    Files.writeString(copy, "what was there");
    Ranks.run(
        1,
        team -> {
          var map = dev.rialto.sparse.IndexMap.even(team, 2).assemble();
          assertThatThrownBy(
                  () -> MatrixMarket.open(file).readVector(map, map.space().array(DType.F64)))
              .isInstanceOf(MatrixMarketException.class)
              .hasMessageContaining("complex numbers do not fit F64");
          SparseMatrix half =
              SparseMatrix.on(map, DType.F64).add(0, 0, 1).add(1, 1, 0.5).assemble();
          assertThatThrownBy(
                  () -> MatrixMarketWriter.write(copy, half, Field.INTEGER, Symmetry.GENERAL))
              .hasMessageContaining("(2, 2) is 0.5");
          try (TestVector x = new TestVector(map, DType.F64).fill(Scalar.of(Double.NaN));
              TestVector two = new TestVector(map, DType.F64, 2)) {
            assertThatThrownBy(() -> MatrixMarketWriter.write(copy, map, x.array()))
                .hasMessageContaining("(1, 1) is NaN");
            assertThatThrownBy(() -> MatrixMarketWriter.write(copy, map, two.array()))
                .hasMessageContaining("2 vectors side by side");
          }
        });
    assertThat(copy).hasContent("what was there");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactlyInAnyOrder(file, copy);
    }
  }

  @Test
  void scatteredAndSharedVectorsAreWrittenInOrder() throws IOException {
    Path file = folder.resolve("scattered.mtx");
    for (int ranks : new int[] {1, 2, 3, 4}) {
      for (boolean shared : new boolean[] {false, true}) {
        Ranks.run(
            ranks,
            team -> {
              int rank = team.rank();
              long[] mine =
                  java.util.stream.LongStream.range(0, 11)
                      .map(g -> 10 - g)
                      .filter(g -> g % ranks == rank || (shared && g % 3 == 0))
                      .toArray();
              var map = dev.rialto.sparse.IndexMap.lists(team, 11, mine).assemble();
              try (TestVector x = new TestVector(map, DType.F64).setAll(g -> g)) {
                MatrixMarketWriter.write(file, map, x.array());
              }
            });
        assertThat(Files.readAllLines(file))
            .containsExactly(
                "%%MatrixMarket matrix array real general",
                "11 1", "0.0", "1.0", "2.0", "3.0", "4.0", "5.0", "6.0", "7.0", "8.0", "9.0",
                "10.0");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Half-way between two doubles, also from 19 digits, and next to it.
        "9007199254740993",
        "9007199254740995",
        "9007199254740993.001",
        "4503599627370496.5",
        "1e23",
        "8.5e22",
        "9999999999999999999",
        "12345678901234567890",
        "0.30000000000000004",
        // The ends of the range, and beyond.
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "1e-400",
        "0e999999",
        "-0.0",
        "1e-0000300"
      })
  void hardNumbersAreReadAsJavaReadsThem(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    assertThat(new LineParser(bytes, 0, bytes.length).number()).isEqualTo(Double.parseDouble(text));
  }

  @Test
  void numbersAreReadAsJavaReadsThem() throws Exception {
    Random random = new Random(8);
    for (int i = 0; i < 20000; i++) {
      double value =
          switch (i % 4) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextGaussian();
            case 2 -> random.nextInt(1000000) / 1000.0;
            default -> Math.scalb(random.nextDouble(), random.nextInt(100) - 50);
          };
      if (!Double.isFinite(value)) {
        continue;
      }
      String text = i % 3 == 0 ? String.format(java.util.Locale.ROOT, "%.12e", value) : "" + value;
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      assertThat(new LineParser(bytes, 0, bytes.length).number())
          .isEqualTo(Double.parseDouble(text));
    }
  }
}
