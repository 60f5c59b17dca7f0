package dev.rialto.cli.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that remembers what went wrong, which Java's own does not tell: results that did
 * not get to a full disk are a failure. A reader that has read enough, such as {@code head}, is
 * none.
 */
public final class StandardOutput extends OutputStream {
  private final OutputStream to;
  private @Nullable IOException failure;

  /**
   * Makes it.
   *
   * @param direct whether to pass by Java's stream, which hides failures
   */
  public StandardOutput(PrintStream stream, boolean direct) {
    this.to = direct ? new FileOutputStream(FileDescriptor.out) : stream;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    if (failure == null) {
      try {
        to.write(bytes, from, count);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  @Override
  public void flush() throws IOException {
    to.flush();
  }

  /** Returns why something was not written. */
  public Optional<String> failure() {
    return Optional.ofNullable(failure)
        .map(e -> String.valueOf(e.getMessage()))
        .filter(reason -> !reason.equals("Broken pipe"));
  }
}
