package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes everything on at once but the line with which each JVM announces the incubating Vector
 * API: there is no option against it, and a job would show it once per rank.
 */
final class IncubatorFilter extends OutputStream {
  private static final byte[] LINE =
      "WARNING: Using incubator modules: jdk.incubator.vector\n".getBytes(US_ASCII);

  private final OutputStream to;

  /** The bytes of this line held back because the announcement begins with them; -1 for none. */
  private int matched;

  IncubatorFilter(OutputStream to) {
    this.to = to;
  }

  @Override
  public void write(int b) throws IOException {
    if (matched >= 0 && LINE[matched] == (byte) b) {
      matched++;
      if (matched == LINE.length) {
        matched = 0;
      }
      return;
    }
    if (matched > 0) {
      to.write(LINE, 0, matched);
    }
    to.write(b);
    matched = b == '\n' ? 0 : -1;
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    for (int i = from; i < from + length; i++) {
      write(bytes[i]);
    }
    to.flush();
  }

  @Override
  public void close() throws IOException {
    if (matched > 0) {
      to.write(LINE, 0, matched);
    }
    to.flush();
  }
}
