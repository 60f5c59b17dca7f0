package dev.rialto.text;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far a long job is: a moving line on a terminal, a few plain lines in a log, nothing
 * when asked to be quiet.
 *
 * {@snippet :
 * try (ProgressBar progress = ProgressBar.toStandardError("tuning", schemes.size(), quiet)) {
 *   for (Scheme scheme : schemes) {
 *     measure(scheme);
 *     progress.advance(scheme.name());
 *   }
 * }
 * }
 *
 * <p>It writes to standard error, so that results on standard output stay clean, and closing it
 * removes the moving line. On a terminal it redraws at most ten times a second; in a log it prints
 * at most one line every ten seconds, so a short job prints none. All methods may be called from
 * any thread.
 */
public final class ProgressBar implements AutoCloseable {

  private enum Form {
    SILENT,
    PLAIN,
    MOVING
  }

  private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int BAR_WIDTH = 24;
  private static final int SHORTEST_BAR = 5;

  private final PrintStream out;
  private final Form form;
  private final int columns;
  private final String title;
  private final long total;
  private final LongSupplier clock;
  private final long start;

  private long done;
  private String detail = "";
  private long lastShown;
  private boolean drawn;
  private boolean closed;

  ProgressBar(
      PrintStream out,
      boolean terminal,
      int columns,
      boolean quiet,
      String title,
      long total,
      LongSupplier clock) {
    if (total < 0) {
      throw new IllegalArgumentException("a job cannot have " + total + " steps");
    }
    this.out = out;
    this.form = quiet ? Form.SILENT : terminal ? Form.MOVING : Form.PLAIN;
    this.columns = columns;
    this.title = title;
    this.total = total;
    this.clock = clock;
    this.start = clock.getAsLong();
    // The first redraw is due at once, the first line of a log only after a while.
    this.lastShown = form == Form.MOVING ? start - REDRAW_NANOS : start;
  }

  /**
   * Starts to show a job on standard error.
   *
   * @param title what is being done, in a word or two
   * @param total the number of steps; 0 if it is not known
   * @param quiet whether to show nothing at all
   * @return the progress bar, to be closed when the job is over
   * @throws IllegalArgumentException if the number of steps is negative
   */
  public static ProgressBar toStandardError(String title, long total, boolean quiet) {
    return new ProgressBar(
        System.err,
        standardErrorIsTerminal(),
        Terminal.errorColumns(),
        quiet,
        title,
        total,
        System::nanoTime);
  }

  /**
   * Tells whether standard error is a terminal. The launcher knows and says so; without it, the
   * JVM's console, which looks at standard input and output, has to do.
   */
  @SuppressWarnings("SystemConsoleNull") // which releases may return null has changed twice
  private static boolean standardErrorIsTerminal() {
    if (Boolean.getBoolean("rialto.stderr.terminal")) {
      return true;
    }
    if (System.getProperty("rialto.stderr.filter") != null) {
      return false;
    }
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /**
   * Notes that one more step is done.
   *
   * @param detail what was done, or is next; may be empty
   */
  public synchronized void advance(String detail) {
    update(done + 1, detail);
  }

  /**
   * Notes how many steps are done.
   *
   * @param done the number of steps done so far
   * @param detail what was done, or is next; may be empty
   */
  public synchronized void update(long done, String detail) {
    this.done = done;
    this.detail = detail;
    if (closed || form == Form.SILENT) {
      return;
    }
    long now = clock.getAsLong();
    if (now - lastShown < (form == Form.MOVING ? REDRAW_NANOS : LOG_NANOS)) {
      return;
    }
    lastShown = now;
    if (form == Form.MOVING) {
      draw(now);
    } else {
      out.println(text(now, 0));
    }
  }

  /** Ends the display; on a terminal the line goes away. Closing twice is harmless. */
  @Override
  public synchronized void close() {
    if (drawn) {
      erase();
      out.flush();
      drawn = false;
    }
    closed = true;
  }

  private void draw(long now) {
    erase();
    out.print(fitting(now));
    out.flush();
    drawn = true;
  }

  /**
   * Returns a line that does not reach the terminal's edge, as one that wraps cannot be erased. The
   * bar gets shorter first, then goes; then whole words go, from the end: half a number is wrong.
   */
  private String fitting(long now) {
    int room = columns - 1;
    int bar = BAR_WIDTH;
    String line = text(now, bar);
    if (line.length() > room) {
      bar = Math.max(0, bar - (line.length() - room));
      line = text(now, bar < SHORTEST_BAR ? 0 : bar);
    }
    while (line.length() > room) {
      int end = line.lastIndexOf(' ');
      line = end > 0 ? line.substring(0, end).stripTrailing() : line.substring(0, room);
    }
    return line;
  }

  private void erase() {
    out.print("\r\u001b[K");
  }

  private String text(long now, int bar) {
    StringBuilder line = new StringBuilder(title);
    if (total > 0) {
      double fraction = Math.clamp((double) done / total, 0.0, 1.0);
      if (bar > 0) {
        int full = (int) (fraction * bar);
        line.append(" [").repeat('#', full).repeat('.', bar - full).append(']');
      }
      line.append(String.format(Locale.ROOT, " %3d%% %d/%d", (int) (fraction * 100), done, total));
    } else {
      line.append(' ').append(done);
    }
    line.append(' ').append(duration(now - start));
    if (!detail.isEmpty()) {
      line.append("  ").append(detail);
    }
    return line.toString();
  }

  private static String duration(long nanos) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return seconds < 60 ? seconds + "s" : seconds / 60 + "m" + seconds % 60 + "s";
  }
}
