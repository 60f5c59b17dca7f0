package dev.rialto.cli;

import dev.rialto.text.ProgressBar;
import picocli.CommandLine.Model.CommandSpec;

/**
 * How far a command is: shown to whoever watches, and told when it is interrupted.
 *
 * <p>Each step is also where a command stops once it is asked to. All methods may be called from
 * any thread.
 */
final class Progress implements AutoCloseable {
  private final ProgressBar bar;
  private final Main main;
  private final String title;

  /**
   * Starts to show a job.
   *
   * @param command that does it
   * @param title what is being done, in a word or two
   * @param total the number of steps; 0 if it is not known
   * @param shown whether this process speaks for the ranks
   */
  static Progress of(CommandSpec command, String title, long total, boolean shown) {
    return new Progress(Main.of(command.commandLine()), title, total, shown);
  }

  private Progress(Main main, String title, long total, boolean shown) {
    this.bar = ProgressBar.toStandardError(title, total, main.quiet() || !shown);
    this.main = main;
    this.title = title;
  }

  /**
   * Notes how many steps are done.
   *
   * @throws java.util.concurrent.CancellationException if the command was interrupted
   */
  void update(long done, String detail) {
    bar.update(done, detail);
    main.reached(title + " had reached step " + done + ", " + detail);
    main.cancellation().check();
  }

  @Override
  public void close() {
    bar.close();
  }
}
