package dev.rialto.jit.lift;

import dev.rialto.spi.error.CompilationException;
import org.jspecify.annotations.Nullable;

/** Says why a method cannot be a kernel, with the file and line. */
final class Refusal {
  private Refusal() {}

  /** Refuses what the line of a frame does. */
  static CompilationException at(@Nullable Frame frame, String reason) {
    return at(frame, reason, "write it in numbers, arrays and records that the kernel knows");
  }

  static CompilationException at(@Nullable Frame frame, String reason, String remedy) {
    if (frame == null) {
      return new CompilationException("this kernel " + reason, "", remedy, null);
    }
    StringBuilder what = new StringBuilder("this kernel ").append(reason);
    for (Frame caller = frame.caller; caller != null; caller = caller.caller) {
      what.append(" (called at ").append(place(caller)).append(')');
    }
    return new CompilationException(what.toString(), place(frame), remedy, null);
  }

  private static String place(Frame frame) {
    return frame.line == 0
        ? frame.name() + " in " + frame.owner.source()
        : frame.owner.source() + ":" + frame.line;
  }
}
