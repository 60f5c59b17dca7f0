package dev.rialto.io;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;

/**
 * Letters of 5 by 8 dots, the last row for what hangs below the line: enough for the labels of a
 * plot, and no font that a machine may lack.
 */
final class Glyphs {
  static final int WIDTH = 5;
  static final int HEIGHT = 8;

  private static final boolean[][][] ALL = read();

  private Glyphs() {}

  /** Returns the dots of a character, row by row; none for a space, those of '?' for others. */
  static boolean[][] of(int character) {
    boolean known = character >= ' ' && character <= '~';
    return ALL[(known ? character : '?') - ' '];
  }

  private static boolean[][][] read() {
    boolean[][][] all = new boolean['~' - ' ' + 1][HEIGHT][WIDTH];
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Glyphs.class.getResourceAsStream("glyphs.txt"), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] rows = line.substring(2).split(" ", -1);
        for (int y = 0; y < rows.length; y++) {
          for (int x = 0; x < WIDTH; x++) {
            all[line.charAt(0) - ' '][y][x] = rows[y].charAt(x) == '#';
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }
}
