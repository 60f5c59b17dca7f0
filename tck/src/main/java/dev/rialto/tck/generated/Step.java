package dev.rialto.tck.generated;

import dev.rialto.tck.Coverage;
import org.jspecify.annotations.Nullable;

/** One operation of a script, with everything about it decided. */
public interface Step {
  /** Returns the communicator it happens on. */
  Group group();

  /** Returns what it is, with its parameters, for failures. */
  String describe();

  void cover(Coverage coverage);

  /**
   * Does the rank's part.
   *
   * @return what completes and checks it later; null if that is done already
   */
  @Nullable Completion begin(RankRun run) throws Exception;

  /** The rest of an operation that was begun. */
  @FunctionalInterface
  interface Completion {
    /** Waits for the operation and checks what it did. */
    void finish() throws Exception;
  }

  enum Form {
    /** It returns when it is done. */
    BLOCKING,
    /** It is begun and awaited. */
    NON_BLOCKING,
    /** It is described once and begun several times. */
    PERSISTENT;

    String label() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }
}
