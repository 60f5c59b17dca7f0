package dev.rialto.cli.output;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Puts the number of a rank before each line that it says, among those of other ranks. A line is
 * passed on in one piece, or pieces of several ranks' lines would mix.
 */
public final class RankOutput extends OutputStream {
  private final OutputStream to;
  private final byte[] mark;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  RankOutput(OutputStream to, int rank) {
    this.to = to;
    this.mark = ("[rank " + rank + "] ").getBytes(US_ASCII);
  }

  /** Marks all that this process says from now on. */
  public static void mark(int rank) {
    System.setOut(marked(System.out, rank));
    System.setErr(marked(System.err, rank));
  }

  private static PrintStream marked(PrintStream stream, int rank) {
    return new PrintStream(new RankOutput(stream, rank), true, stream.charset());
  }

  @Override
  public void write(int b) throws IOException {
    if (line.size() == 0) {
      line.writeBytes(mark);
    }
    line.write(b);
    if (b == '\n') {
      pass();
    }
  }

  private void pass() throws IOException {
    line.writeTo(to);
    line.reset();
    to.flush();
  }

  @Override
  public void close() throws IOException {
    pass();
  }
}
