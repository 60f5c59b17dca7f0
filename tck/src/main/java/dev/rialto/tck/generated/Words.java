package dev.rialto.tck.generated;

import java.util.Locale;

/** Names of operations as the interface writes them. */
public final class Words {
  private Words() {}

  /** Turns {@code ALL_TO_ALL_V} into {@code allToAllV}. */
  public static String camel(String constant) {
    StringBuilder name = new StringBuilder();
    for (String word : constant.toLowerCase(Locale.ROOT).split("_", -1)) {
      name.append(
          name.isEmpty()
              ? word
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return name.toString();
  }
}
