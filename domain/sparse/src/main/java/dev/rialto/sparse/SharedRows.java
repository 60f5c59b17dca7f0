package dev.rialto.sparse;

import dev.rialto.exchange.plan.LongLists;
import dev.rialto.sparse.ownership.Gathered;
import dev.rialto.spi.comm.Communicator;
import java.util.Arrays;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Settles the entries of rows that several ranks own, so that all owners have the same.
 *
 * <p>Each owner may give such a row, whole or in part: what several owners give is one entry and
 * must have one value. What ranks give that do not own the row is treated as a duplicate of that.
 * The master, the lowest owner, decides and tells the others.
 */
final class SharedRows {
  /** Owners may compute an entry in different ways; more than this is another entry. */
  private static final double ROUNDING = 1e-6;

  private final IndexMap rows;
  private final Duplicates duplicates;
  private final boolean complex;
  private final Communicator comm;

  /** The entries of each row that this rank is the master of, by column. */
  private final TreeMap<Long, TreeMap<Long, Entry>> settled = new TreeMap<>();

  private String problem = "";

  SharedRows(IndexMap rows, Duplicates duplicates, boolean complex) {
    this.rows = rows;
    this.duplicates = duplicates;
    this.complex = complex;
    this.comm = rows.comm();
  }

  /** The values that ranks gave for an entry. */
  private static final class Entry {
    /** The lowest owner that gave it, and its value. */
    int owner = -1;

    double re;
    double im;

    /** The owner being heard, and the value it gave. */
    int speaker = -1;

    double saidRe;
    double saidIm;

    /** The values of ranks that do not own the row; null if there are none. */
    double @Nullable [] others;
  }

  /**
   * Takes the entries that this rank was given and returns those of the rows it owns. Collective.
   *
   * @throws IllegalArgumentException if owners give different values, or an entry is given twice
   *     and that is to fail; on all ranks
   */
  Entries settle(Entries given) {
    LongLists asked = askForCopies();
    boolean[] shared = new boolean[rows.owned()];
    for (int copy : rows.copies()) {
      shared[copy] = true;
    }
    for (int rank = 0; rank < comm.size(); rank++) {
      for (long global : asked.get(rank)) {
        shared[rows.local(global)] = true;
        settled.put(global, new TreeMap<>());
      }
    }
    Entries mine = new Entries(complex);
    hear(given, shared, mine);
    for (var row : settled.entrySet()) {
      for (var cell : row.getValue().entrySet()) {
        conclude(row.getKey(), cell.getKey(), cell.getValue());
      }
    }
    String first = Gathered.problem(comm, problem);
    if (!first.isEmpty()) {
      throw new IllegalArgumentException(first);
    }
    tell(asked, mine);
    return mine;
  }

  /** Asks masters for the rows that this rank has copies of; returns who asks this rank. */
  private LongLists askForCopies() {
    long[] globals = new long[rows.copies().length];
    for (int i = 0; i < globals.length; i++) {
      globals[i] = rows.global(rows.copies()[i]);
    }
    int[] masters = rows.findOwners(globals);
    LongLists wanted = new LongLists(comm.size());
    for (int i = 0; i < globals.length; i++) {
      wanted.add(masters[i], globals[i]);
    }
    return wanted.exchange(comm);
  }

  /** Sends entries to the masters of their rows and takes in what comes. */
  private void hear(Entries given, boolean[] shared, Entries mine) {
    int away = 0;
    long[] targets = new long[given.count];
    int[] from = new int[given.count];
    for (int k = 0; k < given.count; k++) {
      int local = rows.local(given.rows[k]);
      if (local >= 0 && local < rows.owned() && !shared[local]) {
        mine.add(given.rows[k], given.columns[k], given.re[k], given.im(k));
      } else {
        targets[away] = given.rows[k];
        from[away++] = k;
      }
    }
    int[] masters = rows.findOwners(Arrays.copyOf(targets, away));
    LongLists out = new LongLists(comm.size());
    for (int i = 0; i < away; i++) {
      int k = from[i];
      int local = rows.local(given.rows[k]);
      out.add(masters[i], given.rows[k]);
      out.add(masters[i], given.columns[k]);
      out.add(masters[i], local >= 0 && local < rows.owned() ? 1 : 0);
      out.add(masters[i], Double.doubleToRawLongBits(given.re[k]));
      out.add(masters[i], Double.doubleToRawLongBits(given.im(k)));
    }
    LongLists in = out.exchange(comm);
    for (int rank = 0; rank < comm.size(); rank++) {
      long[] list = in.get(rank);
      for (int k = 0; k < list.length; k += 5) {
        double re = Double.longBitsToDouble(list[k + 3]);
        double im = Double.longBitsToDouble(list[k + 4]);
        TreeMap<Long, Entry> row = settled.get(list[k]);
        if (row == null) {
          mine.add(list[k], list[k + 1], re, im);
        } else {
          Entry entry = row.computeIfAbsent(list[k + 1], _ -> new Entry());
          if (list[k + 2] == 1) {
            byOwner(list[k], list[k + 1], entry, rank, re, im);
          } else {
            byOther(list[k], list[k + 1], entry, re, im);
          }
        }
      }
    }
  }

  private void byOwner(long row, long column, Entry entry, int rank, double re, double im) {
    if (entry.speaker == rank) {
      twice(row, column);
      boolean add = duplicates == Duplicates.ADD;
      entry.saidRe = add ? entry.saidRe + re : re;
      entry.saidIm = add ? entry.saidIm + im : im;
    } else {
      compare(row, column, entry);
      entry.speaker = rank;
      entry.saidRe = re;
      entry.saidIm = im;
    }
  }

  private void byOther(long row, long column, Entry entry, double re, double im) {
    double[] before = entry.others;
    if (before == null) {
      entry.others = new double[] {re, im};
      return;
    }
    twice(row, column);
    boolean add = duplicates == Duplicates.ADD;
    before[0] = add ? before[0] + re : re;
    before[1] = add ? before[1] + im : im;
  }

  /** Compares what an owner said with what the lowest one did. */
  private void compare(long row, long column, Entry entry) {
    if (entry.speaker < 0) {
      return;
    }
    if (entry.owner < 0) {
      entry.owner = entry.speaker;
      entry.re = entry.saidRe;
      entry.im = entry.saidIm;
      return;
    }
    double apart = Math.hypot(entry.re - entry.saidRe, entry.im - entry.saidIm);
    double size = Math.hypot(entry.re, entry.im);
    if (!(apart <= ROUNDING * size) && problem.isEmpty()) {
      problem =
          "entry (%d, %d) is %s on rank %d and %s on rank %d, which both own row %d; give it the "
                  .formatted(row, column, entry.re, entry.owner, entry.saidRe, entry.speaker, row)
              + "same value on all owners, or on one rank only";
    }
  }

  private void twice(long row, long column) {
    if (duplicates == Duplicates.FAIL && problem.isEmpty()) {
      problem = MatrixBuilder.givenTwice(row, column);
    }
  }

  /** Decides on the value of an entry. */
  private void conclude(long row, long column, Entry entry) {
    compare(row, column, entry);
    double[] more = entry.others;
    if (more == null) {
      return;
    }
    if (entry.owner >= 0) {
      twice(row, column);
    }
    boolean add = duplicates == Duplicates.ADD;
    entry.re = add ? entry.re + more[0] : more[0];
    entry.im = add ? entry.im + more[1] : more[1];
  }

  /** Sends settled rows to the ranks that asked for them and keeps this rank's own. */
  private void tell(LongLists asked, Entries mine) {
    LongLists out = new LongLists(comm.size());
    for (int rank = 0; rank < comm.size(); rank++) {
      for (long row : asked.get(rank)) {
        for (var cell : Objects.requireNonNull(settled.get(row)).entrySet()) {
          out.add(rank, row);
          out.add(rank, cell.getKey());
          out.add(rank, Double.doubleToRawLongBits(cell.getValue().re));
          out.add(rank, Double.doubleToRawLongBits(cell.getValue().im));
        }
      }
    }
    settled.forEach(
        (row, cells) -> cells.forEach((column, e) -> mine.add(row, column, e.re, e.im)));
    mine.addAll(out.exchange(comm), comm.size());
  }
}
