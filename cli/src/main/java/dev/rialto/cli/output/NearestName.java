package dev.rialto.cli.output;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that was probably meant: the one that takes the fewest changes of a letter. */
public final class NearestName {
  private NearestName() {}

  /**
   * Returns the nearest of some names.
   *
   * @param most how many letters may be wrong, missing, too many, or swapped with the next
   */
  public static Optional<String> of(String word, Collection<String> names, int most) {
    return names.stream()
        .filter(name -> distance(word, name) <= most)
        .min(Comparator.comparingInt((String name) -> distance(word, name)).thenComparing(n -> n));
  }

  /** Counts letters to change, insert, remove or swap with their neighbour. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int changed = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(d[i - 1][j - 1] + changed, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], 1 + d[i - 2][j - 2]);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
