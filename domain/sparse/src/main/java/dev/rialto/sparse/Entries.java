package dev.rialto.sparse;

import dev.rialto.exchange.plan.LongLists;
import java.util.Arrays;

/** A growing list of entries with global row and column. */
final class Entries {
  long[] rows = new long[1024];
  long[] columns = new long[1024];
  double[] re = new double[1024];
  double[] im;
  int count;

  Entries(boolean complex) {
    im = new double[complex ? 1024 : 0];
  }

  void add(long row, long column, double real, double imaginary) {
    if (count == rows.length) {
      grow();
    }
    rows[count] = row;
    columns[count] = column;
    re[count] = real;
    if (im.length > 0) {
      im[count] = imaginary;
    }
    count++;
  }

  /** Adds entries that came from ranks as row, column and the bits of a value, in rank order. */
  void addAll(LongLists in, int ranks) {
    for (int rank = 0; rank < ranks; rank++) {
      long[] list = in.get(rank);
      for (int k = 0; k < list.length; k += 4) {
        add(
            list[k],
            list[k + 1],
            Double.longBitsToDouble(list[k + 2]),
            Double.longBitsToDouble(list[k + 3]));
      }
    }
  }

  private void grow() {
    if (count == Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          count + " entries on one rank; spread them over more ranks before assembling");
    }
    int more = (int) Math.min(Integer.MAX_VALUE - 8L, 2L * count);
    rows = Arrays.copyOf(rows, more);
    columns = Arrays.copyOf(columns, more);
    re = Arrays.copyOf(re, more);
    im = im.length > 0 ? Arrays.copyOf(im, more) : im;
  }

  double im(int k) {
    return im.length > 0 ? im[k] : 0;
  }
}
