package dev.rialto.sparse;

import dev.rialto.exchange.plan.LongLists;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.sparse.ownership.Gathered;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.util.Arrays;

/**
 * Collects the entries of a matrix, any of them on any rank.
 *
 * <p>Adding is local. Assembling sends entries to the owners of their rows, sorts them, and asks
 * for the columns that others own. Until then an entry takes 24 bytes, 32 if complex.
 */
public final class MatrixBuilder {
  private final IndexMap rows;
  private final DType type;
  private Entries entries;
  private Duplicates duplicates = Duplicates.ADD;
  private String problem = "";

  MatrixBuilder(IndexMap rows, DType type) {
    this.rows = rows;
    this.type = type;
    this.entries = empty();
  }

  private Entries empty() {
    return new Entries(type.kind() == DType.Kind.COMPLEX);
  }

  /** Says what becomes of entries that are given more than once; they are added by default. */
  public MatrixBuilder duplicates(Duplicates policy) {
    duplicates = policy;
    return this;
  }

  /** Adds a real entry. */
  public MatrixBuilder add(long row, long column, double value) {
    checkRange(row, column);
    entries.add(row, column, value, 0);
    return this;
  }

  /**
   * Adds an entry.
   *
   * @throws IllegalArgumentException if the value is complex and the type is not
   */
  public MatrixBuilder add(long row, long column, Scalar value) {
    checkRange(row, column);
    Element.checkKind(type, value);
    entries.add(row, column, value.re(), value.im());
    return this;
  }

  private void checkRange(long row, long column) {
    if (row < 0 || row >= rows.size() || column < 0 || column >= rows.size()) {
      throw new IndexOutOfBoundsException(
          "entry (%d, %d) of a matrix of %d rows and columns".formatted(row, column, rows.size()));
    }
  }

  /** Assembles the matrix in CSR. Collective. */
  public SparseMatrix assemble() {
    return assemble(Format.CSR);
  }

  /**
   * Assembles the matrix. Collective. The builder is empty afterwards.
   *
   * <p>Each owner of a row that several ranks own may give it; entries that several owners give
   * count once. All owners get the whole row.
   *
   * @throws IllegalArgumentException if an entry is given twice and that is to fail, or owners of a
   *     row give different values; on all ranks
   * @throws dev.rialto.spi.error.MismatchException if ranks give different types or policies
   */
  public SparseMatrix assemble(Format format) {
    Entries mine = takeOwned();
    IndexMapBuilder builder = rows.withOwners();
    for (int k = 0; k < mine.count; k++) {
      int local = rows.local(mine.columns[k]);
      if (local < 0 || local >= rows.owned()) {
        builder.need(mine.columns[k]);
      }
    }
    IndexMap map = builder.assemble();
    Sorted sorted = sort(mine, map);
    failTogether();
    int owned = map.owned();
    return new SparseMatrix(
        map,
        sorted.part(type, owned, 0, owned),
        sorted.part(type, owned, owned, map.locals()),
        format);
  }

  /**
   * Gives a matrix new values for its pattern; entries that are not given become 0. Collective. The
   * builder is empty afterwards.
   *
   * @throws IllegalArgumentException if the matrix has other owners or another type, an entry is
   *     not in its pattern, or one is given twice and that is to fail; on all ranks, and the matrix
   *     stays as it was
   */
  public void assembleInto(SparseMatrix matrix) {
    if (matrix.type() != type || !matrix.map().sameOwners(rows)) {
      throw new IllegalArgumentException(
          "a matrix of %s on %s; make the builder on its map and of its type, not of %s on %s"
              .formatted(matrix.type(), matrix.map(), type, rows));
    }
    Entries mine = takeOwned();
    SparseMatrix.NewValues values = matrix.newValues(mine, duplicates);
    problem = values.problem();
    failTogether();
    matrix.replace(values);
  }

  /** Throws on all ranks if one has found a problem. */
  private void failTogether() {
    String first = Gathered.problem(rows.comm(), problem);
    problem = "";
    if (!first.isEmpty()) {
      throw new IllegalArgumentException(first);
    }
  }

  /** Sends entries of rows that others own to them; what comes is appended in rank order. */
  private Entries takeOwned() {
    Entries all = entries;
    entries = empty();
    Communicator comm = rows.comm();
    if (comm.size() == 1) {
      return all;
    }
    Gathered.agree(
        comm,
        "a matrix",
        "%s, where duplicates %s".formatted(type, duplicates),
        "make the builders of all ranks alike");
    if (rows.isOverlapping()) {
      return new SharedRows(rows, duplicates, type.kind() == DType.Kind.COMPLEX).settle(all);
    }
    Entries mine = empty();
    Entries remote = empty();
    for (int k = 0; k < all.count; k++) {
      int local = rows.local(all.rows[k]);
      (local >= 0 && local < rows.owned() ? mine : remote)
          .add(all.rows[k], all.columns[k], all.re[k], all.im(k));
    }
    int[] owners = rows.findOwners(Arrays.copyOf(remote.rows, remote.count));
    LongLists out = new LongLists(comm.size());
    for (int k = 0; k < remote.count; k++) {
      out.add(owners[k], remote.rows[k]);
      out.add(owners[k], remote.columns[k]);
      out.add(owners[k], Double.doubleToRawLongBits(remote.re[k]));
      out.add(owners[k], Double.doubleToRawLongBits(remote.im(k)));
    }
    mine.addAll(out.exchange(comm), comm.size());
    return mine;
  }

  /** Rows one after the other, local columns ascending. */
  private static final class Sorted {
    private final int[] starts;
    private final int[] columns;
    private final Entries source;
    private final int[] from;

    Sorted(int[] starts, int[] columns, Entries source, int[] from) {
      this.starts = starts;
      this.columns = columns;
      this.source = source;
      this.from = from;
    }

    Csr part(DType type, int rowCount, int low, int high) {
      int[] partStarts = new int[rowCount + 1];
      int count = 0;
      for (int row = 0; row < rowCount; row++) {
        for (int k = starts[row]; k < starts[row + 1]; k++) {
          count += columns[k] >= low && columns[k] < high ? 1 : 0;
        }
        partStarts[row + 1] = count;
      }
      int[] index = new int[count];
      Values values = Values.zeros(type, count);
      int at = 0;
      for (int k = 0; k < starts[rowCount]; k++) {
        if (columns[k] >= low && columns[k] < high) {
          index[at] = columns[k];
          values.set(at++, source.re[from[k]], source.im(from[k]));
        }
      }
      return Csr.of(rowCount, high, partStarts, index, values);
    }
  }

  private Sorted sort(Entries mine, IndexMap map) {
    int owned = map.owned();
    int[] starts = new int[owned + 1];
    int[] local = new int[mine.count];
    for (int k = 0; k < mine.count; k++) {
      local[k] = map.local(mine.rows[k]);
      starts[local[k] + 1]++;
    }
    Arrays.parallelPrefix(starts, Integer::sum);
    int[] next = starts.clone();
    // Column in the upper half, place in the lower: one sort keeps the order of duplicates.
    long[] keys = new long[mine.count];
    for (int k = 0; k < mine.count; k++) {
      keys[next[local[k]]++] = (long) map.local(mine.columns[k]) << 32 | k;
    }
    int[] columns = new int[mine.count];
    int[] from = new int[mine.count];
    int[] merged = new int[owned + 1];
    int at = 0;
    for (int row = 0; row < owned; row++) {
      Arrays.sort(keys, starts[row], starts[row + 1]);
      int first = at;
      for (int k = starts[row]; k < starts[row + 1]; k++) {
        int column = (int) (keys[k] >>> 32);
        int place = (int) keys[k];
        if (at > first && columns[at - 1] == column) {
          from[at - 1] = merge(mine, from[at - 1], place);
        } else {
          columns[at] = column;
          from[at++] = place;
        }
      }
      merged[row + 1] = at;
    }
    return new Sorted(merged, columns, mine, from);
  }

  /** Merges a later duplicate into an earlier one and returns which of them holds the result. */
  private int merge(Entries mine, int earlier, int later) {
    return switch (duplicates) {
      case ADD -> {
        mine.re[earlier] += mine.re[later];
        if (mine.im.length > 0) {
          mine.im[earlier] += mine.im[later];
        }
        yield earlier;
      }
      case OVERWRITE -> later;
      case FAIL -> {
        problem = givenTwice(mine.rows[later], mine.columns[later]);
        yield earlier;
      }
    };
  }

  static String givenTwice(long row, long column) {
    return "entry (%d, %d) is given twice; give it once or choose another policy"
        .formatted(row, column);
  }
}
