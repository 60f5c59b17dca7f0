package dev.rialto.cli;

import dev.rialto.cli.demo.PhaseListener;
import dev.rialto.text.ProgressBar;
import org.jspecify.annotations.Nullable;

/** A progress bar for each phase of a job, one after the other. */
final class PhaseBars implements PhaseListener, AutoCloseable {
  private final Main main;
  private final boolean quiet;
  private String title = "";
  private @Nullable ProgressBar bar;

  PhaseBars(Main main, boolean quiet) {
    this.main = main;
    this.quiet = quiet;
  }

  @Override
  public synchronized void step(String phase, long done, long total, String detail) {
    ProgressBar current = bar;
    if (current == null || !phase.equals(title)) {
      close();
      title = phase;
      current = ProgressBar.toStandardError(phase, total, quiet);
      bar = current;
    }
    current.update(done, detail);
    main.reached(ProgressLine.clause(done, total, "steps of '" + phase + "'"));
  }

  @Override
  public synchronized void close() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
