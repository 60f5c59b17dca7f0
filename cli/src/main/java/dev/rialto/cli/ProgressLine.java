package dev.rialto.cli;

import dev.rialto.bench.Suite;
import dev.rialto.exchange.tune.Benchmark;
import dev.rialto.text.ProgressBar;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The progress of a command: shown while it runs, and told when it is interrupted.
 *
 * <p>Each step is also where a command stops once it is asked to. All methods may be called from
 * any thread.
 */
final class ProgressLine implements AutoCloseable, Benchmark.Progress, Suite.Progress {
  private final ProgressBar bar;
  private final Main main;
  private final String unit;

  /**
   * Starts to show a job.
   *
   * @param command that does it
   * @param title what is being done, in a word or two
   * @param unit what the steps are, such as candidates
   * @param total the number of steps; 0 if it is not known
   * @param shown whether this process speaks for the ranks
   */
  static ProgressLine of(
      CommandSpec command, String title, String unit, long total, boolean shown) {
    return new ProgressLine(Main.of(command.commandLine()), title, unit, total, shown);
  }

  private ProgressLine(Main main, String title, String unit, long total, boolean shown) {
    this.bar = ProgressBar.toStandardError(title, total, main.quiet() || !shown);
    this.main = main;
    this.unit = unit;
    main.reached(clause(0, total, unit));
  }

  /**
   * Notes how many steps are done.
   *
   * @throws java.util.concurrent.CancellationException if the command was interrupted
   */
  void update(long done, long total, String detail) {
    note(done, total, detail);
    main.cancellation().check();
  }

  private void note(long done, long total, String detail) {
    bar.update(done, detail);
    main.reached(clause(done, total, unit) + (detail.isEmpty() ? "" : ", " + detail));
  }

  /** Notes how far tuning or measuring is, which asks by itself whether to {@link #stop}. */
  @Override
  public void step(int done, int total, String what) {
    note(done, total, what);
  }

  @Override
  public boolean stop() {
    return main.cancellation().isCancelled();
  }

  /** Says how far something is. */
  static String clause(long done, long total, String unit) {
    return "after " + done + (total > 0 ? " of " + total : "") + " " + unit;
  }

  @Override
  public void close() {
    bar.close();
  }
}
