package dev.rialto.mpi.library;

import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.error.RialtoException;
import dev.rialto.spi.error.TruncationException;
import java.lang.invoke.MethodHandle;

/** Makes exceptions of the numbers that the library returns, with its own words. */
public final class Errors {
  private static final int LONGEST = 512;

  private static final class Functions {
    static final MethodHandle ERROR_STRING = Mpi.function("MPI_Error_string", "ipp");
    static final MethodHandle ERROR_CLASS = Mpi.function("MPI_Error_class", "ip");
  }

  private Errors() {}

  /** Throws if a function did not succeed; {@code what} names the operation. */
  public static void check(int code, String what) {
    if (code != 0) {
      throw of(code, what, "");
    }
  }

  /**
   * Makes the exception for a code.
   *
   * @param what the operation, with its peer and sizes
   * @param where the rank
   */
  public static RialtoException of(int code, String what, String where) {
    Scratch scratch = Scratch.get();
    Native.call(Functions.ERROR_CLASS, code, scratch.flag());
    int kind = Native.getInt(scratch.flag());
    long text = scratch.table(LONGEST).address();
    Native.call(Functions.ERROR_STRING, code, text, scratch.flag());
    String words =
        what
            + " failed: "
            + Mpi.LIBRARY.family()
            + " says '"
            + Native.getString(text).strip()
            + "'";
    if (kind == Mpi.CONSTANTS.truncated()) {
      return new TruncationException(
          words,
          where,
          "receive with a count that holds the message, or probe for its length",
          null);
    }
    if (kind == Mpi.CONSTANTS.outOfMemory()) {
      return new MemoryException(words, where, "ask for less, or free memory", null);
    }
    return new CommunicationException(words, where, "", null);
  }
}
