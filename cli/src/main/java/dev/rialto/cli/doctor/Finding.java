package dev.rialto.cli.doctor;

/**
 * One thing that was looked at.
 *
 * @param subject what was looked at, such as {@code huge pages}
 * @param state how it is
 * @param observation what was found, one line
 * @param remedy what to do about it; empty if there is nothing to do
 */
public record Finding(String subject, State state, String observation, String remedy) {

  public enum State {
    /** As it should be. */
    GOOD,
    /** Not there; what needs it cannot be used. */
    MISSING,
    /** Works, but costs speed or memory. */
    SLOW,
    /** Programs will fail. */
    WRONG
  }

  static Finding good(String subject, String observation) {
    return new Finding(subject, State.GOOD, observation, "");
  }

  static Finding missing(String subject, String observation, String remedy) {
    return new Finding(subject, State.MISSING, observation, remedy);
  }

  static Finding slow(String subject, String observation, String remedy) {
    return new Finding(subject, State.SLOW, observation, remedy);
  }

  static Finding wrong(String subject, String observation, String remedy) {
    return new Finding(subject, State.WRONG, observation, remedy);
  }
}
