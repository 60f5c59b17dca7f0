package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * The process's signal handlers, as they were before a driver was called.
 *
 * <p>LLVM, the compiler inside most drivers, puts handlers of its own in the place of the JVM's, to
 * delete its temporary files when the process dies. But the JVM needs signals to find null pointers
 * in compiled code, to stop threads, and for Ctrl-C: with LLVM's handlers it may end without a
 * word. So they are put back after every call. Linux only; elsewhere handlers are left alone.
 */
final class SignalHandlers {
  /** An access to memory that is not there: the one that tells whether there are new handlers. */
  private static final int SEGV = 11;

  /** A division by zero. PoCL's handler takes those of its kernels, and passes on the JVM's. */
  private static final int FPE = 8;

  private static final int SIGNALS = 31;

  /** At least what a handler's description takes, on every C library. */
  private static final long BYTES = 160;

  private static final boolean LINUX =
      System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux");

  private static final MemorySegment KEPT = Arena.global().allocate((SIGNALS + 1) * BYTES, 16);

  /** Guarded by the class. */
  private static final MemorySegment NOW = Arena.global().allocate(BYTES, 16);

  private static boolean kept;

  private SignalHandlers() {}

  /** Bound when first called: other systems may have no such function. */
  private static final class Library {
    @SuppressWarnings("restricted")
    static final MethodHandle SIGACTION =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("sigaction"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
  }

  /** Remembers the handlers; before anything of a driver is called. */
  static synchronized void keep() {
    if (!LINUX) {
      return;
    }
    for (int signal = 1; signal <= SIGNALS; signal++) {
      call(signal, MemorySegment.NULL, KEPT.asSlice(signal * BYTES, BYTES));
    }
    kept = true;
  }

  /** Puts them back if they were changed. */
  static synchronized void restore() {
    if (!changed()) {
      return;
    }
    for (int signal = 1; signal <= SIGNALS; signal++) {
      if (signal != FPE) {
        // Refused, without harm, for the two that have no handlers.
        call(signal, KEPT.asSlice(signal * BYTES, BYTES), MemorySegment.NULL);
      }
    }
  }

  /** Returns whether there are other handlers now than were kept. */
  static synchronized boolean changed() {
    if (!kept) {
      return false;
    }
    call(SEGV, MemorySegment.NULL, NOW);
    return NOW.get(JAVA_LONG, 0) != KEPT.get(JAVA_LONG, SEGV * BYTES);
  }

  private static void call(int signal, MemorySegment set, MemorySegment get) {
    try {
      int _ = (int) Library.SIGACTION.invokeExact(signal, set, get);
    } catch (Throwable e) {
      throw new IllegalStateException("sigaction cannot be called", e);
    }
  }
}
