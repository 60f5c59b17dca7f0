package dev.rialto.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/** Puts the number of a rank before each line that it says, among those of other ranks. */
final class RankOutput extends FilterOutputStream {
  private final byte[] mark;
  private boolean atStart = true;

  RankOutput(OutputStream out, int rank) {
    super(out);
    mark = ("[rank " + rank + "] ").getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  /** Marks all that this process says from now on. */
  static void mark(int rank) {
    System.setOut(marked(System.out, rank));
    System.setErr(marked(System.err, rank));
  }

  private static PrintStream marked(PrintStream stream, int rank) {
    return new PrintStream(new RankOutput(stream, rank), true, stream.charset());
  }

  @Override
  public void write(int b) throws IOException {
    if (atStart) {
      out.write(mark);
    }
    atStart = b == '\n';
    out.write(b);
  }
}
