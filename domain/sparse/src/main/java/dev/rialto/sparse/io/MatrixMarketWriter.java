package dev.rialto.sparse.io;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.runtime.ranks.JointFile;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.io.Header.Field;
import dev.rialto.sparse.io.Header.Symmetry;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.system.files.WholeFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPOutputStream;

/**
 * Writes matrices and vectors for others to read. The ranks append to one file in turn, so it must
 * be in a folder that all of them see; it gets its name when it is whole. A name that ends with
 * {@code .gz} is compressed, each rank's part by itself, which makes one valid file. Numbers that
 * are not finite, or not of the kind the file has, are refused.
 */
public final class MatrixMarketWriter {
  private MatrixMarketWriter() {}

  /** The lines that a rank writes. */
  private interface Body {
    void write(StringBuilder out, OutputStream stream) throws IOException;
  }

  /** Writes a matrix as it is. Collective. */
  public static void write(Path file, SparseMatrix a) throws IOException {
    write(
        file,
        a,
        a.type().kind() == DType.Kind.COMPLEX ? Field.COMPLEX : Field.REAL,
        Symmetry.GENERAL);
  }

  /**
   * Writes a matrix. Collective.
   *
   * @param symmetry other than general, only what is on and below the diagonal is written; that the
   *     matrix has the symmetry is the caller's word
   */
  public static void write(Path file, SparseMatrix a, Field field, Symmetry symmetry)
      throws IOException {
    IndexMap map = a.map();
    long[] count = {0};
    forEach(a, symmetry, (_, _, _) -> count[0]++);
    long entries = map.comm().sum(count[0]);
    Header header = new Header(true, field, symmetry, map.size(), map.size(), entries);
    String first = header.banner() + "\n" + map.size() + " " + map.size() + " " + entries + "\n";
    inTurn(
        file,
        map.comm(),
        "a matrix",
        first,
        (out, stream) ->
            forEach(
                a,
                symmetry,
                (row, column, value) -> {
                  out.append(row + 1).append(' ').append(column + 1);
                  number(out.append(field == Field.PATTERN ? "" : " "), field, value, row, column);
                  flush(out, stream, 1 << 16);
                }));
  }

  /** Writes an array as one column, its elements in row-major order. Collective. */
  public static void write(Path file, Array x) throws IOException {
    write(file, IndexMap.of(x.space()).assemble(), x);
  }

  /**
   * Writes a vector of a map in the order of its indices, whichever ranks own them. Collective.
   *
   * @throws IllegalArgumentException if it is several vectors
   */
  public static void write(Path file, IndexMap map, Array x) throws IOException {
    int width = map.width(x, x.type());
    if (width != 1) {
      throw new IllegalArgumentException(width + " vectors side by side; write them one by one");
    }
    Field field = x.type().kind() == DType.Kind.COMPLEX ? Field.COMPLEX : Field.REAL;
    Header header = new Header(false, field, Symmetry.GENERAL, map.size(), 1, map.size());
    Scalar[] block = block(map, x);
    long first = map.size() * map.comm().rank() / map.comm().size();
    inTurn(
        file,
        map.comm(),
        x.toString(),
        header.banner() + "\n" + map.size() + " 1\n",
        (out, stream) -> {
          for (int i = 0; i < block.length; i++) {
            number(out, field, block[i], first + i, 0);
            flush(out, stream, 1 << 16);
          }
        });
  }

  /** Returns the elements of this rank's part of even blocks. Collective. */
  private static Scalar[] block(IndexMap map, Array x) {
    Values values = Values.zeros(x.type(), map.owned());
    x.copyTo(values.memory());
    int ranks = map.comm().size();
    LongLists out = new LongLists(ranks);
    for (int i = 0; i < map.owned(); i++) {
      if (map.isMaster(i)) {
        long global = map.global(i);
        int rank = (int) (((global + 1) * ranks - 1) / map.size());
        out.add(rank, global);
        out.add(rank, Double.doubleToRawLongBits(values.re(i)));
        out.add(rank, Double.doubleToRawLongBits(values.im(i)));
      }
    }
    LongLists in = out.exchange(map.comm());
    long first = map.size() * map.comm().rank() / ranks;
    long end = map.size() * (map.comm().rank() + 1) / ranks;
    Scalar[] block = new Scalar[Math.toIntExact(end - first)];
    for (int rank = 0; rank < ranks; rank++) {
      long[] list = in.get(rank);
      for (int k = 0; k < list.length; k += 3) {
        block[(int) (list[k] - first)] =
            new Scalar(Double.longBitsToDouble(list[k + 1]), Double.longBitsToDouble(list[k + 2]));
      }
    }
    return block;
  }

  private interface EntryVisitor {
    void visit(long row, long column, Scalar value) throws IOException;
  }

  private static void forEach(SparseMatrix a, Symmetry symmetry, EntryVisitor visitor)
      throws IOException {
    IndexMap map = a.map();
    for (int i = 0; i < map.owned(); i++) {
      long row = map.global(i);
      if (!map.isMaster(i)) {
        continue;
      }
      for (Csr part : new Csr[] {a.own(), a.halo()}) {
        for (int k = part.starts()[i]; k < part.starts()[i + 1]; k++) {
          long column = map.global(part.columnIndex()[k]);
          boolean written =
              switch (symmetry) {
                case GENERAL -> true;
                case SYMMETRIC, HERMITIAN -> column <= row;
                case SKEW_SYMMETRIC -> column < row;
              };
          if (written) {
            visitor.visit(row, column, new Scalar(part.values().re(k), part.values().im(k)));
          }
        }
      }
    }
  }

  private static void number(StringBuilder out, Field field, Scalar value, long row, long column)
      throws IOException {
    boolean fits =
        switch (field) {
          case REAL -> value.isFinite() && value.im() == 0;
          case COMPLEX -> value.isFinite();
          case INTEGER -> value.im() == 0 && value.re() == (long) value.re();
          case PATTERN -> true;
        };
    if (!fits) {
      throw new IOException(
          "(%d, %d) is %s, which a Matrix Market file of field %s cannot hold"
              .formatted(row + 1, column + 1, value, field));
    }
    switch (field) {
      case REAL -> out.append(value.re());
      case COMPLEX -> out.append(value.re()).append(' ').append(value.im());
      case INTEGER -> out.append((long) value.re());
      case PATTERN -> {}
    }
    out.append('\n');
  }

  private static void flush(StringBuilder out, OutputStream stream, int limit) throws IOException {
    if (out.length() >= limit) {
      stream.write(out.toString().getBytes(StandardCharsets.US_ASCII));
      out.setLength(0);
    }
  }

  private static void inTurn(Path file, Communicator comm, String what, String first, Body body)
      throws IOException {
    boolean zip = file.toString().endsWith(".gz");
    WholeFile.Step[] turns = new WholeFile.Step[comm.size()];
    for (int turn = 0; turn < turns.length; turn++) {
      boolean mine = turn == comm.rank();
      String head = turn == 0 ? first : "";
      turns[turn] =
          temporary -> {
            if (mine) {
              append(temporary, zip, head, body);
            }
          };
    }
    JointFile.write(comm, file, what + ", " + first.strip().replace('\n', ' '), turns);
  }

  private static void append(Path file, boolean zip, String head, Body body) throws IOException {
    OutputStream raw = Files.newOutputStream(file, StandardOpenOption.APPEND);
    try (OutputStream stream = new BufferedOutputStream(zip ? new GZIPOutputStream(raw) : raw)) {
      StringBuilder out = new StringBuilder(head);
      body.write(out, stream);
      flush(out, stream, 0);
    }
  }
}
