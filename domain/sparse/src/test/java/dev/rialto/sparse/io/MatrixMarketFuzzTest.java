package dev.rialto.sparse.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.array.Team;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Csr;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged files, read by {@link MatrixMarket} and by a plain reader that shares nothing with it:
 * both must refuse a file or make the same of it. {@code -Drialto.fuzz.rounds} takes more rounds
 * and {@code -Drialto.fuzz.seed} others.
 */
class MatrixMarketFuzzTest {
  private static final List<String> SEEDS =
      List.of(
          """
          %%MatrixMarket matrix coordinate real general
          % comment
          5 5 6
          1 1 1.5
          2 2 -2e-3
          3 3 1D2
          4 4 .5
          5 5 5.
          1 5 123456789012345678901
          """,
          """
          %%MatrixMarket matrix coordinate integer symmetric

          4 4 4
          1 1 7
          2 1 -3
          3 4 +2
          4 4 0
          """,
          """
          %%MatrixMarket matrix coordinate complex hermitian
          3 3 3
          1 1 2 0\r
          2 1 1 5
          3 2 -1 0.5
          """,
          "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n1 3 2.5e1\n",
          "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 1\n2 3\n 3\t2\n",
          "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4e0\n",
          "%%matrixmarket MATRIX Array Integer Symmetric\n2 2\n1\n2\n-4\n");

  private static final List<String> WORDS =
      List.of(
          "nan",
          "NaN",
          "inf",
          "Infinity",
          "0x1p3",
          "1f",
          "2d",
          "1d2",
          "1e5",
          "1E+2",
          "1.5",
          "+1",
          "-1",
          "0",
          "-0",
          ".",
          "-",
          "+",
          "e5",
          "1e",
          "1e999",
          "1e-999",
          "0e9999999999",
          "1..2",
          "1_0",
          "%",
          "5",
          "99999999999999999999",
          "0000000000000000000000001",
          "symmetric",
          "general",
          "real",
          "\u00e9",
          "1\u00a02",
          "\f",
          "\u0000");

  @TempDir Path folder;

  @Test
  void damagedFilesAreRefusedOrReadAsAPlainReaderDoes() {
    long seed = Long.getLong("rialto.fuzz.seed", 20260101);
    int rounds = Integer.getInteger("rialto.fuzz.rounds", 4000);
    Random random = new Random(seed);
    Path file = folder.resolve("fuzz.mtx");
    int[] read = {0};
    Ranks.run(
        1,
        team -> {
          for (int round = 0; round < rounds; round++) {
            String text = damaged(random);
            Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
            Optional<Map<List<Long>, List<Double>>> expected = plain(text);
            String what = "seed " + seed + ", round " + round + ":\n" + text;
            int piece = 16 + random.nextInt(100);
            assertThat(read(team, file, piece)).as(what).isEqualTo(expected);
            read[0] += expected.isPresent() ? 1 : 0;
          }
        });
    assertThat(read[0]).isBetween(rounds / 20, rounds * 19 / 20);
  }

  private static String damaged(Random random) {
    StringBuilder text = new StringBuilder(SEEDS.get(random.nextInt(SEEDS.size())));
    for (int change = random.nextInt(4); change > 0; change--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(6)) {
        case 0 -> text.setCharAt(at, "0123456789.-+eEdD \n\t\r%x".charAt(random.nextInt(23)));
        case 1 -> text.setLength(at + 1);
        case 2 -> text.deleteCharAt(at);
        case 3 -> text.insert(at, WORDS.get(random.nextInt(WORDS.size())));
        default -> {
          // A whole word becomes another.
          int from = at;
          while (from > 0 && text.charAt(from - 1) > ' ') {
            from--;
          }
          int to = at;
          while (to < text.length() && text.charAt(to) > ' ') {
            to++;
          }
          text.replace(from, to, WORDS.get(random.nextInt(WORDS.size())));
        }
      }
      if (text.isEmpty()) {
        return "";
      }
    }
    return text.toString();
  }

  private static Optional<Map<List<Long>, List<Double>>> read(Team team, Path file, int piece)
      throws IOException {
    try {
      MatrixMarket opened = MatrixMarket.open(file, piece);
      if (opened.header().rows() > 1000 || opened.header().columns() > 1000) {
        return Optional.empty();
      }
      IndexMap rows = IndexMap.even(team, opened.header().rows()).assemble();
      SparseMatrix a = opened.readMatrix(rows, DType.C128);
      Map<List<Long>, List<Double>> entries = new TreeMap<>(MatrixMarketFuzzTest::compare);
      Csr own = a.own();
      for (int i = 0; i < own.rows(); i++) {
        for (int k = own.starts()[i]; k < own.starts()[i + 1]; k++) {
          entries.put(
              List.of((long) i, (long) own.columnIndex()[k]),
              List.of(own.values().re(k) + 0.0, own.values().im(k) + 0.0));
        }
      }
      return Optional.of(entries);
    } catch (MatrixMarketException e) {
      assertThat(e).hasMessageContaining("fuzz.mtx");
      return Optional.empty();
    }
  }

  private static int compare(List<Long> a, List<Long> b) {
    int rows = Long.compare(a.get(0), b.get(0));
    return rows != 0 ? rows : Long.compare(a.get(1), b.get(1));
  }

  /** A reader for small files, by lines and words. */
  private static Optional<Map<List<Long>, List<Double>>> plain(String text) {
    try {
      return Optional.of(new PlainReader(text).entries);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Fails with a NumberFormatException whatever is wrong. */
  private static final class PlainReader {
    final Map<List<Long>, List<Double>> entries = new TreeMap<>(MatrixMarketFuzzTest::compare);
    private final Set<List<Long>> given = new HashSet<>();
    private final String field;
    private final String symmetry;

    PlainReader(String text) {
      String[] lines = text.split("\n", -1);
      String[] banner = lines[0].trim().toLowerCase(Locale.ROOT).split("\\s+", -1);
      require(banner.length == 5 && banner[0].equals("%%matrixmarket"));
      require(banner[1].equals("matrix"));
      boolean coordinate = banner[2].equals("coordinate");
      require(coordinate || banner[2].equals("array"));
      field = banner[3].equals("double") ? "real" : banner[3];
      symmetry = banner[4];
      require(List.of("real", "complex", "integer", "pattern").contains(field));
      require(coordinate || !field.equals("pattern"));
      require(List.of("general", "symmetric", "skew-symmetric", "hermitian").contains(symmetry));
      require(!symmetry.equals("hermitian") || field.equals("complex"));
      require(!symmetry.equals("skew-symmetric") || !field.equals("pattern"));
      int at = 1;
      while (at < lines.length
          && (lines[at].trim().isEmpty() || lines[at].trim().startsWith("%"))) {
        at++;
      }
      // A file without an end of line after the sizes is one with nothing after them.
      require(at < lines.length && !(at == lines.length - 1 && lines[at].isEmpty()));
      String[] sizes = lines[at].trim().split("\\s+", -1);
      require(sizes.length == (coordinate ? 3 : 2));
      long rows = Long.parseLong(sizes[0]);
      long columns = Long.parseLong(sizes[1]);
      require(rows >= 0 && rows <= 1000 && rows == columns);
      long count = coordinate ? Long.parseLong(sizes[2]) : arrayCount(rows);
      require(count >= 0);
      long row = symmetry.equals("skew-symmetric") ? 1 : 0;
      long column = 0;
      for (at++; at < lines.length; at++) {
        String line = lines[at].replaceAll("^[ \t\r]+|[ \t\r]+$", "");
        if (line.isEmpty() || line.startsWith("%")) {
          continue;
        }
        String[] words = line.split("[ \t\r]+", -1);
        int numbers = field.equals("complex") ? 2 : field.equals("pattern") ? 0 : 1;
        require(words.length == numbers + (coordinate ? 2 : 0));
        double re = numbers == 0 ? 1 : number(words[words.length - numbers]);
        double im = numbers == 2 ? number(words[words.length - 1]) : 0;
        count--;
        if (coordinate) {
          add(index(words[0], rows), index(words[1], rows), re, im, false);
        } else {
          require(count >= 0);
          add(row, column, re, im, true);
          if (++row == rows) {
            column++;
            row = symmetry.equals("general") ? 0 : column;
            row += symmetry.equals("skew-symmetric") ? 1 : 0;
          }
        }
      }
      require(count == 0);
    }

    private long arrayCount(long rows) {
      return switch (symmetry) {
        case "general" -> rows * rows;
        case "skew-symmetric" -> rows * Math.max(0, rows - 1) / 2;
        default -> rows * (rows + 1) / 2;
      };
    }

    private void add(long row, long column, double re, double im, boolean array) {
      if (row == column) {
        require(!symmetry.equals("skew-symmetric") || (re == 0 && im == 0));
        require(!symmetry.equals("hermitian") || im == 0);
      }
      if (array && re == 0 && im == 0) {
        return;
      }
      put(row, column, re, im);
      if (row != column && !symmetry.equals("general")) {
        double sign = symmetry.equals("skew-symmetric") ? -1 : 1;
        double turned = symmetry.equals("symmetric") ? 1 : -1;
        List<Long> mirror = List.of(column, row);
        given.add(List.of(row, column));
        require(!given.contains(mirror));
        put(column, row, sign * re, turned * im);
      }
    }

    private void put(long row, long column, double re, double im) {
      entries.merge(
          List.of(row, column),
          List.of(re + 0.0, im + 0.0),
          (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1)));
    }

    private double number(String word) {
      require(word.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eEdD][+-]?\\d+)?"));
      require(!field.equals("integer") || word.matches("[+-]?\\d+"));
      String plain = word.replace('d', 'e').replace('D', 'e');
      int e = plain.toLowerCase(Locale.ROOT).indexOf('e');
      BigDecimal digits = new BigDecimal(e < 0 ? plain : plain.substring(0, e));
      if (digits.signum() == 0) {
        return 0;
      }
      BigDecimal power = e < 0 ? BigDecimal.ZERO : new BigDecimal(plain.substring(e + 1));
      int exponent = power.min(new BigDecimal(9999)).max(new BigDecimal(-9999)).intValue();
      double value = digits.scaleByPowerOfTen(exponent).doubleValue();
      require(!Double.isInfinite(value));
      return value;
    }

    private static long index(String word, long most) {
      require(word.matches("\\+?\\d+"));
      BigDecimal value = new BigDecimal(word);
      require(value.signum() > 0 && value.compareTo(new BigDecimal(most)) <= 0);
      return value.longValue() - 1;
    }

    private static void require(boolean holds) {
      if (!holds) {
        throw new NumberFormatException();
      }
    }
  }
}
