package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.kernel.Subgroup;
import dev.rialto.jit.kernel.Tile;
import dev.rialto.spi.error.CompilationException;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says why a method cannot be a kernel, with the file and line. */
final class Refusal {
  private static final Set<String> OURS =
      Set.of(
          F16.class.getName(),
          BF16.class.getName(),
          Reals.Halves.class.getName(),
          Reals.UpperHalves.class.getName(),
          Subgroup.class.getName(),
          Tile.class.getName());

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

  /** Refuses what needs a class that no class loader gives out. */
  static Supplier<CompilationException> missing(Frame frame, String reason) {
    return () -> at(frame, reason + ", whose class file is not found");
  }

  /** The line of a kernel that a call is at: that of the caller if the call is of ours. */
  static String line(Frame frame) {
    return place(user(frame));
  }

  /** The call in the kernel that a frame is of: the caller if the frame is of ours. */
  static Frame user(Frame frame) {
    Frame user = frame;
    while (user.caller != null && OURS.contains(user.owner.name())) {
      user = user.caller;
    }
    return user;
  }

  private static String place(Frame frame) {
    return frame.line == 0
        ? frame.name() + " in " + frame.owner.source()
        : frame.owner.source() + ":" + frame.line;
  }
}
