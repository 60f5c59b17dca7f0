package dev.rialto.cli;

import dev.rialto.text.Machine;

/** Refuses work that this machine's memory cannot hold, before any of it is taken. */
final class MemoryCheck {
  private MemoryCheck() {}

  /**
   * Refuses more than the machine has.
   *
   * @param what the thing that takes the memory, as the user named it
   * @param count how many elements there are
   * @param bytes what each takes, at least
   */
  static void require(String what, long count, long bytes) {
    long there = Machine.current().memoryBytes();
    if (there > 0 && count > there / bytes) {
      throw CommandFailure.usage(
          what
              + " needs "
              + (count > Long.MAX_VALUE / bytes
                  ? "more than 8 EiB"
                  : "about " + Machine.bytes(count * bytes))
              + " of memory, and this machine has "
              + Machine.bytes(there)
              + ".",
          "Give a smaller one.");
    }
  }
}
