package dev.rialto.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A table for the console: columns as wide as their widest cell, numbers to the right.
 *
 * {@snippet :
 * Table table = Table.of("case", "us").alignRight(1);
 * table.row("pingpong/local/64KiB", "3.1");
 * System.out.print(table);
 * }
 *
 * <p>Columns are two spaces apart, the header is underlined with dashes, and no line ends in
 * spaces, so that the output can be compared and pasted. On a terminal that is too narrow, text is
 * wrapped between words, within its column. A table without header cells has neither header nor
 * underline. Instances are not thread-safe.
 */
public final class Table {

  private static final String GAP = "  ";

  private final List<String> header;
  private final boolean[] right;
  private final List<List<String>> rows = new ArrayList<>();

  private Table(List<String> header, int columns) {
    this.header = header;
    this.right = new boolean[columns];
  }

  /**
   * Makes an empty table with a header.
   *
   * @param header the title of each column
   * @return the table
   */
  public static Table of(String... header) {
    return new Table(List.of(header), header.length);
  }

  /**
   * Makes an empty table without a header.
   *
   * @param columns how many columns it has
   * @return the table
   */
  public static Table withoutHeader(int columns) {
    return new Table(List.of(), columns);
  }

  /**
   * Aligns columns to the right, as is usual for numbers.
   *
   * @param columns the columns, from 0
   * @return this table
   * @throws IndexOutOfBoundsException if there is no such column
   */
  public Table alignRight(int... columns) {
    for (int column : columns) {
      right[column] = true;
    }
    return this;
  }

  /**
   * Appends a row. A cell may be empty; line breaks in it become spaces.
   *
   * @param cells one cell for each column
   * @return this table
   * @throws IllegalArgumentException if there are more or fewer cells than columns
   */
  public Table row(Object... cells) {
    if (cells.length != right.length) {
      throw new IllegalArgumentException(
          "the table has " + right.length + " columns, the row " + cells.length + " cells");
    }
    List<String> row = new ArrayList<>(cells.length);
    for (Object cell : cells) {
      row.add(String.valueOf(cell).replaceAll("\\R", " "));
    }
    rows.add(row);
    return this;
  }

  /**
   * Tells whether no row was added yet.
   *
   * @return whether the table has no rows
   */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /**
   * Returns the rows.
   *
   * @return each row's cells as text
   */
  public List<List<String>> rows() {
    return List.copyOf(rows);
  }

  /**
   * Returns the table as text for standard output, each line ended by a line feed; see {@link
   * Terminal#outputColumns}.
   */
  @Override
  public String toString() {
    return toString(Terminal.outputColumns());
  }

  /**
   * Returns the table as text for lines of some width. Words and numbers stay whole, so a line can
   * be longer if one of them is.
   *
   * @param columns how many characters a line has room for
   * @return the text, each line ended by a line feed
   */
  public String toString(int columns) {
    int[] widths = widths(columns);
    StringBuilder out = new StringBuilder();
    if (!header.isEmpty()) {
      lines(out, header, widths);
      List<String> underline = new ArrayList<>(widths.length);
      for (int width : widths) {
        underline.add("-".repeat(width));
      }
      line(out, underline, widths);
    }
    rows.forEach(row -> lines(out, row, widths));
    return out.toString();
  }

  /** Makes columns of text narrower, the widest first, until all fit or only words are left. */
  private int[] widths(int columns) {
    int[] widths = new int[right.length];
    int[] least = new int[right.length];
    Stream.concat(Stream.of(header), rows.stream())
        .forEach(
            cells -> {
              widen(widths, cells);
              widen(least, cells.stream().map(Table::longestWord).toList());
            });
    long excess = IntStream.of(widths).sum() + (long) GAP.length() * (widths.length - 1) - columns;
    while (excess > 0) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        if (!right[i] && widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        break;
      }
      widths[widest]--;
      excess--;
    }
    return widths;
  }

  private static String longestWord(String cell) {
    return Arrays.stream(cell.split(" ", -1))
        .max(Comparator.comparingInt(Table::width))
        .orElseThrow();
  }

  /** Writes a row, on as many lines as its cells need. */
  private void lines(StringBuilder out, List<String> cells, int[] widths) {
    List<List<String>> wrapped = new ArrayList<>(cells.size());
    int most = 1;
    for (int i = 0; i < cells.size(); i++) {
      wrapped.add(wrap(cells.get(i), widths[i]));
      most = Math.max(most, wrapped.get(i).size());
    }
    for (int at = 0; at < most; at++) {
      int line = at;
      line(
          out,
          wrapped.stream().map(cell -> line < cell.size() ? cell.get(line) : "").toList(),
          widths);
    }
  }

  private static List<String> wrap(String cell, int columns) {
    if (width(cell) <= columns) {
      return List.of(cell);
    }
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : cell.split(" ", -1)) {
      if (!line.isEmpty() && width(line.toString()) + 1 + width(word) > columns) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  private static void widen(int[] widths, List<String> cells) {
    for (int i = 0; i < cells.size(); i++) {
      widths[i] = Math.max(widths[i], width(cells.get(i)));
    }
  }

  private void line(StringBuilder out, List<String> cells, int[] widths) {
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      int padding = widths[i] - width(cell);
      out.append(i == 0 ? "" : GAP);
      if (right[i]) {
        out.repeat(' ', padding).append(cell);
      } else {
        out.append(cell).repeat(' ', padding);
      }
    }
    int end = out.length();
    while (end > 0 && out.charAt(end - 1) == ' ') {
      end--;
    }
    out.setLength(end);
    out.append('\n');
  }

  /** Characters, not code units: a symbol outside the basic plane takes one place. */
  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
