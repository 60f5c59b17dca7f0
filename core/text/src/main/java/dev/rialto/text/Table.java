package dev.rialto.text;

import java.util.ArrayList;
import java.util.List;

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
 * spaces, so that the output can be compared and pasted. A table without header cells has neither
 * header nor underline. Instances are not thread-safe.
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

  /** Returns the table as text, each line ended by a line feed. */
  @Override
  public String toString() {
    int[] widths = new int[right.length];
    widen(widths, header);
    rows.forEach(row -> widen(widths, row));

    StringBuilder out = new StringBuilder();
    if (!header.isEmpty()) {
      line(out, header, widths);
      List<String> underline = new ArrayList<>(widths.length);
      for (int width : widths) {
        underline.add("-".repeat(width));
      }
      line(out, underline, widths);
    }
    rows.forEach(row -> line(out, row, widths));
    return out.toString();
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
