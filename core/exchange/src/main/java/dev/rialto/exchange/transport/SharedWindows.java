package dev.rialto.exchange.transport;

import dev.rialto.spi.comm.Window;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The shared windows of a node's ranks, found by an address in this rank's memory or by a number
 * that all its ranks give the same window. Numbers are not used again, so that one kept from a
 * closed window leads nowhere. Finding is a binary search that takes no lock; windows are made and
 * closed together, and so in one order.
 */
final class SharedWindows {
  /** One window and this rank's addresses in it. */
  private record Entry(long number, long begin, long end, Window window) {}

  private volatile Entry[] entries = {};
  private long next;

  /** Returns the number of the window that is made next, whether or not that succeeds. */
  synchronized long reserve() {
    return next++;
  }

  synchronized void add(long number, Window window) {
    long begin = window.memory().address();
    Entry[] more = Arrays.copyOf(entries, entries.length + 1);
    more[entries.length] = new Entry(number, begin, begin + window.memory().byteSize(), window);
    Arrays.sort(more, Comparator.comparingLong(Entry::begin));
    entries = more;
  }

  synchronized void remove(Window window) {
    entries = Arrays.stream(entries).filter(e -> !e.window.equals(window)).toArray(Entry[]::new);
  }

  /** Returns the number of the window that has these addresses; -1 if there is none. */
  long find(long address, long bytes) {
    Entry[] all = entries;
    int low = 0;
    int high = all.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all[middle].begin <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low > 0 && address + bytes <= all[low - 1].end ? all[low - 1].number : -1;
  }

  /**
   * Returns the window of a number.
   *
   * @throws IllegalStateException if it is closed
   */
  Window get(long number) {
    for (Entry each : entries) {
      if (each.number == number) {
        return each.window;
      }
    }
    throw new IllegalStateException("a peer's array lies in shared memory that is closed here");
  }
}
