package dev.rialto.tck;

/** The outcome of a requirement. */
public enum Outcome {
  /** It is met. */
  PASSED("passed"),
  /** It is not met. */
  FAILED("FAILED"),
  /** Its capability is not declared, and is refused as it must be. */
  NOT_DECLARED("not declared"),
  /** This run's settings do not allow to try it. */
  NOT_RUN("not run");

  private final String label;

  Outcome(String label) {
    this.label = label;
  }

  /** Returns it in words, as the reports do. */
  public String label() {
    return label;
  }
}
