package dev.rialto.jit.kernel.host;

import dev.rialto.jit.lift.Lifted;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The lines that the items of a launch have left in memory, as {@link Lifted.Line} says. */
public final class PrintedLines {
  private PrintedLines() {}

  /**
   * The elements of the memory: how many lines there are, and each with its line, item and value.
   */
  public static int words() {
    return 1 + Lifted.Line.WORDS * Lifted.Line.MOST;
  }

  static String of(long item, String text, Object value) {
    String line = "item " + item + ": " + text;
    return value.equals("") ? line : line + " " + value;
  }

  private record Found(long item, String text) {}

  /** Prints lines in the order of their items. */
  public static void print(List<Lifted.Line> lines, MemorySegment memory) {
    long[] words = memory.toArray(ValueLayout.JAVA_LONG);
    int count = (int) Math.min(words[0], Lifted.Line.MOST);
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int at = 1 + Lifted.Line.WORDS * i;
      Lifted.Line line = lines.get((int) words[at]);
      Object value =
          switch (line.kind()) {
            case NOTHING -> "";
            case LONG -> words[at + 2];
            case DOUBLE -> Double.longBitsToDouble(words[at + 2]);
          };
      found.add(new Found(words[at + 1], of(words[at + 1], line.text(), value)));
    }
    found.sort(Comparator.comparingLong(Found::item));
    found.forEach(each -> System.out.println(each.text()));
    if (words[0] > count) {
      System.out.println("and " + (words[0] - count) + " more lines");
    }
  }
}
