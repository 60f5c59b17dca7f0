package dev.rialto.cli.demo;

/** Hears how far a job of several phases is; a new title begins a phase. */
@FunctionalInterface
public interface PhaseListener {
  /**
   * Takes a step.
   *
   * @param title the phase
   * @param total its steps; 0 if that is not known
   * @param detail what is being done
   */
  void step(String title, long done, long total, String detail);
}
