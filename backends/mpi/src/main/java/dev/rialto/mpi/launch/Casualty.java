package dev.rialto.mpi.launch;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The rank that ended a job badly, before any other and without a word.
 *
 * <p>When one rank ends, the launcher ends the others, with signals that look like those that ended
 * the first; and a rank that is asked to end may say so. So what explains the end is what came
 * first, whatever else there is.
 *
 * @param what what became of the rank
 * @param code the exit code for that
 */
record Casualty(String what, int code) {
  private static final int SIGNALLED = 128;
  private static final int KILLED = SIGNALLED + 9;
  private static final int TERMINATED = SIGNALLED + 15;

  /**
   * Finds it.
   *
   * @param ended the ranks that have ended, in that order
   * @param withoutShell those that have not, but have lost their shells
   */
  static Optional<Casualty> of(List<JobFolder.Ended> ended, List<Integer> withoutShell) {
    Optional<JobFolder.Ended> first = Optional.empty();
    for (JobFolder.Ended rank : ended) {
      // A rank that was asked to end may only have been quicker to note it.
      boolean asked = rank.code() == TERMINATED;
      if (rank.code() != 0 && (first.isEmpty() || (!asked && first.get().code() == TERMINATED))) {
        first = Optional.of(rank);
      }
    }
    if (first.isPresent()) {
      return first.map(rank -> of("rank " + rank.rank(), rank.code()));
    }
    // Launchers may kill the shells of other ranks too, at once; so the first is not known.
    return withoutShell.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Casualty("the shell of rank " + join(withoutShell) + " was killed", KILLED));
  }

  /** Returns what a launcher's exit code tells, where no rank has ended badly. */
  static Optional<Casualty> ofLauncher(int code) {
    return code > SIGNALLED ? Optional.of(of("the launcher", code)) : Optional.empty();
  }

  private static Casualty of(String process, int code) {
    return new Casualty(
        process
            + (code > SIGNALLED
                ? " was killed by signal " + (code - SIGNALLED)
                : " ended with code " + code),
        code);
  }

  /** Returns whether launchers end ranks like this, so that the code tells nothing. */
  boolean isKilled() {
    return code == KILLED;
  }

  /**
   * Returns whether the rank was asked to end: another may have ended before, but noted it later.
   */
  boolean isAsked() {
    return code == TERMINATED;
  }

  private static String join(List<Integer> ranks) {
    return ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}
