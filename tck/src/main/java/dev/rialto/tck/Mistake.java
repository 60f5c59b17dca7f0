package dev.rialto.tck;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.function.Executable;

/**
 * The outcomes that a mistake may have: an exception that gives a reason, or what was meant. Errors
 * of the JVM, exceptions without words and those of a program that stumbled are none.
 */
public final class Mistake {
  private Mistake() {}

  /**
   * Makes a mistake.
   *
   * @return whether it was done as if it were none
   */
  public static boolean isDone(String what, Executable mistake) {
    try {
      mistake.execute();
      return true;
    } catch (Throwable e) {
      checkReason(what, e);
      return false;
    }
  }

  /** Makes a mistake that must be refused. */
  public static void isRefused(String what, Executable mistake) {
    assertFalse(isDone(what, mistake), () -> what + " was not refused");
  }

  /** Makes a mistake that must be refused by one kind of exception. */
  public static void isRefused(
      Class<? extends RuntimeException> type, String what, Executable mistake) {
    try {
      mistake.execute();
    } catch (Throwable e) {
      checkReason(what, e);
      assertInstanceOf(type, e, what);
      return;
    }
    fail(what + " was not refused");
  }

  private static void checkReason(String what, Throwable e) {
    if (e instanceof AssertionError assertion) {
      throw assertion;
    }
    assertInstanceOf(RuntimeException.class, e, what);
    assertFalse(e instanceof NullPointerException, () -> what + ": stumbled over " + e);
    String words = e.getMessage();
    assertTrue(words != null && !words.isBlank(), () -> what + ": " + e + " gives no reason");
  }

  /** Frees memory while it is used. The JDK refuses that while a call holds it. */
  public static void free(Arena arena) {
    try {
      arena.close();
    } catch (IllegalStateException e) {
      assertTrue(arena.scope().isAlive(), "freed, and refused all the same");
    }
  }

  /** Frees memory that {@link #free} could not free. */
  public static void freeAtLast(Arena arena) {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
