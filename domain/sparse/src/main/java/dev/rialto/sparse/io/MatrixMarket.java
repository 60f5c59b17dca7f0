package dev.rialto.sparse.io;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.io.Header.Symmetry;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.sparse.ownership.Gathered;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads files of the Matrix Market exchange format, gzipped or not, all ranks together.
 *
 * <p>Each rank parses its share of the file; entries then travel to the owners of their rows. A
 * file that is wrong anywhere fails on all ranks, with the line.
 */
public final class MatrixMarket {
  private static final int PIECE = 4 << 20;

  private final Path file;
  private final Chunks chunks;
  private final Header header;

  /** The byte at which the entries begin. */
  private final long body;

  private MatrixMarket(Path file, int piece) throws IOException {
    this.file = file;
    this.chunks = new Chunks(file, piece);
    HeaderReader reader = new HeaderReader(file, chunks);
    this.header = reader.read();
    this.body = reader.bytes();
  }

  /** Opens a file and reads its first lines. */
  public static MatrixMarket open(Path file) throws IOException {
    return new MatrixMarket(file, PIECE);
  }

  /** Opens a file that is cut into small pieces: for tests of what happens between them. */
  static MatrixMarket open(Path file, int piece) throws IOException {
    return new MatrixMarket(file, piece);
  }

  /** Returns what the first lines say. */
  public Header header() {
    return header;
  }

  /** Entries of one piece. */
  private static final class Piece {
    long[] rows;
    long[] columns;
    double[] re;
    double[] im;
    int count;

    Piece(int guess) {
      rows = new long[guess];
      columns = new long[guess];
      re = new double[guess];
      im = new double[guess];
    }

    void add(long row, long column, double real, double imaginary) {
      if (count == rows.length) {
        rows = Arrays.copyOf(rows, 2 * count);
        columns = Arrays.copyOf(columns, 2 * count);
        re = Arrays.copyOf(re, 2 * count);
        im = Arrays.copyOf(im, 2 * count);
      }
      rows[count] = row;
      columns[count] = column;
      re[count] = real;
      im[count++] = imaginary;
    }
  }

  private Piece parse(byte[] bytes, int from, int end, long offset) throws IOException {
    // A line of an entry has some 16 bytes or more.
    Piece piece = new Piece((end - from) / 16 + 16);
    LineParser parser = new LineParser(bytes, from, end);
    int numbers = header.numbers();
    boolean integer = header.field() == Header.Field.INTEGER;
    try {
      while (parser.nextLine()) {
        int start = parser.position();
        long row = header.coordinate() ? parser.index(header.rows(), "row") : 0;
        long column = header.coordinate() ? parser.index(header.columns(), "column") : 0;
        double re = numbers == 0 ? 1 : integer ? parser.integer() : parser.number();
        double im = numbers > 1 ? parser.number() : 0;
        parser.endLine();
        if (header.coordinate() && row == column && !fitsDiagonal(re, im)) {
          throw new LineParser.Problem(start, wrongDiagonal(row));
        }
        piece.add(row, column, re, im);
      }
    } catch (LineParser.Problem e) {
      throw new MatrixMarketException(file.toString(), chunks.line(offset + e.at - from), e.what);
    }
    return piece;
  }

  /** Returns whether the symmetry allows a number on the diagonal. */
  private boolean fitsDiagonal(double re, double im) {
    return switch (header.symmetry()) {
      case GENERAL, SYMMETRIC -> true;
      case SKEW_SYMMETRIC -> re == 0 && im == 0;
      case HERMITIAN -> im == 0;
    };
  }

  private String wrongDiagonal(long row) {
    return header.symmetry() == Symmetry.HERMITIAN
        ? "entry (%d, %d) of a Hermitian matrix is not real".formatted(row + 1, row + 1)
        : "entry (%d, %d) of a skew-symmetric matrix is not 0".formatted(row + 1, row + 1);
  }

  /**
   * Checks that no entry is given together with the one it stands for. Either side of the diagonal
   * may be given, so this takes a look at all only where both are. Collective.
   */
  private void checkSides(Communicator comm, List<Piece> pieces) throws IOException {
    long sides = 0;
    for (Piece piece : pieces) {
      for (int k = 0; k < piece.count; k++) {
        sides |= piece.rows[k] > piece.columns[k] ? 1 : piece.rows[k] < piece.columns[k] ? 2 : 0;
      }
    }
    sides = Arrays.stream(Gathered.longs(comm, sides)).reduce(0, (a, b) -> a | b);
    if (sides != 3) {
      return;
    }
    LongLists out = new LongLists(comm.size());
    for (Piece piece : pieces) {
      for (int k = 0; k < piece.count; k++) {
        if (piece.rows[k] != piece.columns[k]) {
          int rank = (int) (Math.min(piece.rows[k], piece.columns[k]) % comm.size());
          out.add(rank, piece.rows[k]);
          out.add(rank, piece.columns[k]);
        }
      }
    }
    LongLists in = out.exchange(comm);
    Set<Place> seen = new HashSet<>();
    String problem = "";
    for (int rank = 0; rank < comm.size(); rank++) {
      long[] list = in.get(rank);
      for (int k = 0; k < list.length; k += 2) {
        seen.add(new Place(list[k], list[k + 1]));
        if (problem.isEmpty() && seen.contains(new Place(list[k + 1], list[k]))) {
          problem =
              "(%d, %d) and (%d, %d) are both given, where one stands for the other"
                  .formatted(list[k] + 1, list[k + 1] + 1, list[k + 1] + 1, list[k] + 1);
        }
      }
    }
    for (String each : Gathered.texts(comm, problem)) {
      if (!each.isEmpty()) {
        throw new MatrixMarketException(file.toString(), 0, each);
      }
    }
  }

  private record Place(long row, long column) {}

  /** Parses this rank's share; fails on all ranks if any does. Collective. */
  private List<Piece> pieces(Communicator comm) throws IOException {
    List<Piece> pieces = List.of();
    MatrixMarketException problem = null;
    long failed = 0;
    try {
      pieces = chunks.parse(body, comm.rank(), comm.size(), this::parse);
    } catch (MatrixMarketException e) {
      problem = e;
      failed = e.line();
    }
    long[] lines = Gathered.longs(comm, failed);
    if (problem != null) {
      throw problem;
    }
    for (long line : lines) {
      if (line > 0) {
        throw explained(line);
      }
    }
    long mine = pieces.stream().mapToLong(piece -> piece.count).sum();
    long total = comm.sum(mine);
    if (total != header.entries()) {
      throw new MatrixMarketException(
          file.toString(),
          0,
          "%d entries, where the header says %d".formatted(total, header.entries()));
    }
    return pieces;
  }

  /** Says what is wrong with a line that another rank stumbled over. */
  private MatrixMarketException explained(long line) throws IOException {
    try (InputStream stream = chunks.open()) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      long offset = 0;
      long at = 1;
      for (int b = stream.read(); b >= 0 && at <= line; b = stream.read()) {
        if (at == line) {
          text.write(b);
        } else {
          offset++;
        }
        at += b == '\n' ? 1 : 0;
      }
      var _ = parse(text.toByteArray(), 0, text.size(), offset);
      return new MatrixMarketException(file.toString(), line, "another rank could not read it");
    } catch (MatrixMarketException e) {
      return e;
    }
  }

  /**
   * Reads a square matrix whose rows are divided as an array of one axis is that the team makes.
   * Collective.
   *
   * @throws MatrixMarketException if the file is wrong, on all ranks
   */
  public SparseMatrix readMatrix(Team team, DType type) throws IOException {
    return readMatrix(IndexMap.of(team.space(header.rows())).assemble(), type);
  }

  /**
   * Reads a square matrix. Collective. Entries that are given twice add up.
   *
   * @param rows who owns which row
   */
  public SparseMatrix readMatrix(IndexMap rows, DType type) throws IOException {
    if (header.rows() != header.columns()) {
      throw new MatrixMarketException(
          file.toString(),
          0,
          "%d x %d; a square matrix is needed".formatted(header.rows(), header.columns()));
    }
    if (header.field() == Header.Field.COMPLEX && type.kind() != DType.Kind.COMPLEX) {
      throw new MatrixMarketException(file.toString(), 0, complexNumbers(type));
    }
    MatrixBuilder builder = SparseMatrix.on(rows, type);
    if (header.coordinate()) {
      List<Piece> all = pieces(rows.comm());
      if (header.symmetry() != Symmetry.GENERAL) {
        checkSides(rows.comm(), all);
      }
      for (Piece piece : all) {
        for (int k = 0; k < piece.count; k++) {
          add(builder, piece.rows[k], piece.columns[k], piece, k);
        }
      }
    } else {
      addArray(builder, rows);
    }
    return builder.assemble(Format.CSR);
  }

  private static String complexNumbers(DType type) {
    return "complex numbers do not fit " + type + "; choose C128 or C64";
  }

  private void add(MatrixBuilder builder, long i, long j, Piece piece, int k) {
    Scalar value = new Scalar(piece.re[k], piece.im[k]);
    builder.add(i, j, value);
    if (i != j && header.symmetry() != Symmetry.GENERAL) {
      builder.add(j, i, mirrored(value));
    }
  }

  /** Takes the entries of a dense matrix that are not 0, column by column, in the rows owned. */
  private void addArray(MatrixBuilder builder, IndexMap rows) throws IOException {
    int skip = header.symmetry() == Symmetry.SKEW_SYMMETRIC ? 1 : 0;
    boolean half = header.symmetry() != Symmetry.GENERAL;
    long i = half ? skip : 0;
    long j = 0;
    for (Piece piece : allPieces()) {
      for (int k = 0; k < piece.count; k++) {
        int local = rows.local(i);
        boolean mine = local >= 0 && local < rows.owned() && rows.isMaster(local);
        if (i == j && !fitsDiagonal(piece.re[k], piece.im[k])) {
          throw new MatrixMarketException(file.toString(), 0, wrongDiagonal(i));
        }
        if (mine && (piece.re[k] != 0 || piece.im[k] != 0)) {
          add(builder, i, j, piece, k);
        }
        i++;
        if (i == header.rows()) {
          j++;
          i = half ? j + skip : 0;
        }
      }
    }
  }

  /** Parses the whole file on each rank: for arrays, whose numbers are counted to be placed. */
  private List<Piece> allPieces() throws IOException {
    List<Piece> pieces = chunks.parse(body, 0, 1, this::parse);
    long count = pieces.stream().mapToLong(piece -> piece.count).sum();
    if (count != header.entries()) {
      throw new MatrixMarketException(
          file.toString(),
          0,
          "%d numbers, where the header says %d".formatted(count, header.entries()));
    }
    return pieces;
  }

  private Scalar mirrored(Scalar value) {
    return switch (header.symmetry()) {
      case GENERAL, SYMMETRIC -> value;
      case SKEW_SYMMETRIC -> value.negated();
      case HERMITIAN -> value.conjugate();
    };
  }

  /**
   * Reads the first column into an array, whose elements in row-major order it is. Collective.
   *
   * @throws MatrixMarketException if the file is wrong or its length not that of the array
   */
  public void readVector(Array x) throws IOException {
    readVector(IndexMap.of(x.space()).assemble(), x);
  }

  /**
   * Reads the first column as a vector of a map. Collective.
   *
   * @throws MatrixMarketException if the file is wrong or its length not that of the map
   */
  public void readVector(IndexMap map, Array x) throws IOException {
    DType type = x.type();
    if (header.rows() != map.size() || header.columns() != 1 || map.width(x, type) != 1) {
      throw new MatrixMarketException(
          file.toString(),
          0,
          "%d x %d numbers, where a vector of %d is needed"
              .formatted(header.rows(), header.columns(), map.size()));
    }
    if (header.field() == Header.Field.COMPLEX && type.kind() != DType.Kind.COMPLEX) {
      throw new MatrixMarketException(file.toString(), 0, complexNumbers(type));
    }
    // A vector is short beside a matrix: each rank parses all of it and takes what it owns.
    Values values = Values.zeros(type, map.owned());
    long at = 0;
    for (Piece piece : allPieces()) {
      for (int k = 0; k < piece.count; k++, at++) {
        int local = map.local(header.coordinate() ? piece.rows[k] : at);
        if (local >= 0) {
          values.set(local, piece.re[k], piece.im[k]);
        }
      }
    }
    x.copyFrom(values.memory());
  }
}
