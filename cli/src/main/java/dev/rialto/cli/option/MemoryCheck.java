package dev.rialto.cli.option;

import dev.rialto.text.Machine;

/** Refuses work that this machine's memory cannot hold, before any of it is taken. */
public final class MemoryCheck {
  private MemoryCheck() {}

  /**
   * Refuses more than the machine has.
   *
   * @param what the thing that takes the memory, as the user named it
   * @param count how many elements there are
   * @param bytes what each takes, at least
   */
  public static void require(String what, long count, long bytes) {
    require(what, count, bytes, Machine.current().memoryBytes(), "memory, and this machine has");
  }

  /** Refuses more than Java's heap has, as {@link #require}. */
  public static void requireHeap(String what, long count, long bytes) {
    require(what, count, bytes, Runtime.getRuntime().maxMemory(), "Java's heap, which has");
  }

  private static void require(String what, long count, long bytes, long there, String place) {
    if (there > 0 && count > there / bytes) {
      throw CommandFailure.usage(
          what
              + " needs "
              + (count > Long.MAX_VALUE / bytes
                  ? "more than 8 EiB"
                  : "about " + Machine.bytes(count * bytes))
              + " of "
              + place
              + " "
              + Machine.bytes(there)
              + ".",
          "Give a smaller one, or more memory (RIALTO_JAVA_OPTS=-Xmx32g for the heap).");
    }
  }
}
