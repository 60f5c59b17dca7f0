package dev.rialto.sparse.io;

import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The content of a file's first lines.
 *
 * @param coordinate entries with row and column; otherwise a dense array, column by column
 * @param field what sort of numbers
 * @param symmetry which entries stand for others
 * @param rows how many rows
 * @param columns how many columns
 * @param entries how many lines of data
 */
public record Header(
    boolean coordinate, Field field, Symmetry symmetry, long rows, long columns, long entries) {

  /** The sort of numbers in a file. */
  public enum Field {
    /** Real numbers. */
    REAL,
    /** Pairs of real numbers. */
    COMPLEX,
    /** Integers. */
    INTEGER,
    /** None: every entry is 1. */
    PATTERN
  }

  /** Which entries stand for others. */
  public enum Symmetry {
    /** None. */
    GENERAL,
    /** Those of one side of the diagonal for those of the other. */
    SYMMETRIC,
    /** The same with the sign turned; the diagonal is 0. */
    SKEW_SYMMETRIC,
    /** The same with the conjugate; the diagonal is real. */
    HERMITIAN
  }

  /** Returns the element type that holds the numbers. */
  public DType type() {
    return field == Field.COMPLEX ? DType.C128 : DType.F64;
  }

  /** Returns how many numbers a line has after row and column. */
  int numbers() {
    return switch (field) {
      case REAL, INTEGER -> 1;
      case COMPLEX -> 2;
      case PATTERN -> 0;
    };
  }

  String banner() {
    return "%%MatrixMarket matrix "
        + (coordinate ? "coordinate " : "array ")
        + name(field)
        + " "
        + name(symmetry);
  }

  /** Reads the banner; sizes are 0. Empty with the reason if it is none. */
  static Header parse(String file, String line) throws MatrixMarketException {
    String[] words = line.trim().toLowerCase(Locale.ROOT).split("\\s+", -1);
    if (words.length != 5 || !words[0].equals("%%matrixmarket") || !words[1].equals("matrix")) {
      throw new MatrixMarketException(
          file,
          1,
          ("'%s' is no Matrix Market banner; it reads '%%%%MatrixMarket matrix coordinate "
                  + "real general' or alike")
              .formatted(line.length() > 60 ? line.substring(0, 60) + "…" : line));
    }
    boolean coordinate = words[2].equals("coordinate");
    if (!coordinate && !words[2].equals("array")) {
      throw wrong(file, words[2], "coordinate, array");
    }
    String number = words[3].equals("double") ? "real" : words[3];
    Field field = find(Field.values(), number).orElse(null);
    if (field == null || (field == Field.PATTERN && !coordinate)) {
      throw wrong(file, words[3], "real, complex, integer and, for coordinates, pattern");
    }
    Symmetry symmetry = find(Symmetry.values(), words[4]).orElse(null);
    boolean fits = symmetry != Symmetry.HERMITIAN || field == Field.COMPLEX;
    fits &= symmetry != Symmetry.SKEW_SYMMETRIC || field != Field.PATTERN;
    if (symmetry == null || !fits) {
      throw wrong(
          file,
          words[4],
          "general, symmetric, but for patterns skew-symmetric and, if complex, hermitian");
    }
    return new Header(coordinate, field, symmetry, 0, 0, 0);
  }

  Header withSizes(long rowCount, long columnCount, long entryCount) {
    return new Header(coordinate, field, symmetry, rowCount, columnCount, entryCount);
  }

  private static MatrixMarketException wrong(String file, String word, String known) {
    return new MatrixMarketException(file, 1, "'" + word + "' is none of " + known);
  }

  private static <E extends Enum<E>> Optional<E> find(E[] values, String word) {
    return Arrays.stream(values).filter(value -> name(value).equals(word)).findFirst();
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
