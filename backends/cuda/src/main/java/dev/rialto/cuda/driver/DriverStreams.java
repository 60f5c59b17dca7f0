package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Streams, events and kernels of the CUDA driver, in calls that {@link Driver} checks. */
public final class DriverStreams {
  private static final int STREAM_NON_BLOCKING = 1;
  private static final int EVENT_NO_TIMING = 2;
  private static final MethodHandle STREAM_CREATE =
      Driver.of("cuStreamCreateWithPriority", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle STREAM_DESTROY = Driver.of("cuStreamDestroy_v2", JAVA_LONG);
  private static final MethodHandle STREAM_SYNC = Driver.of("cuStreamSynchronize", JAVA_LONG);
  private static final MethodHandle STREAM_WAIT =
      Driver.of("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle EVENT_CREATE = Driver.of("cuEventCreate", ADDRESS, JAVA_INT);
  private static final MethodHandle EVENT_RECORD = Driver.of("cuEventRecord", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle EVENT_QUERY = Driver.of("cuEventQuery", JAVA_LONG);
  private static final MethodHandle EVENT_SYNC = Driver.of("cuEventSynchronize", JAVA_LONG);
  private static final MethodHandle EVENT_ELAPSED =
      Driver.of("cuEventElapsedTime", ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MODULE_LOAD = Driver.of("cuModuleLoadData", ADDRESS, ADDRESS);
  private static final MethodHandle MODULE_UNLOAD = Driver.of("cuModuleUnload", JAVA_LONG);
  private static final MethodHandle MODULE_FUNCTION =
      Driver.of("cuModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS);
  private static final MethodHandle FUNCTION_ATTRIBUTE =
      Driver.of("cuFuncGetAttribute", ADDRESS, JAVA_INT, JAVA_LONG);
  private static final MethodHandle SET_FUNCTION_ATTRIBUTE =
      Driver.of("cuFuncSetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final int DYNAMIC_SHARED_BYTES = 8;

  /** With addresses as numbers: looking whether memory is alive costs each launch two atomics. */
  private static final MethodHandle LAUNCH =
      Driver.of(
          "cuLaunchKernel",
          JAVA_LONG,
          JAVA_INT,
          JAVA_INT,
          JAVA_INT,
          JAVA_INT,
          JAVA_INT,
          JAVA_INT,
          JAVA_INT,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG);

  private DriverStreams() {}

  public static long createStream(int priority) {
    return Driver.ask(
        "opening a stream",
        out -> (int) STREAM_CREATE.invokeExact(out, STREAM_NON_BLOCKING, priority));
  }

  public static void destroyStream(long stream) {
    Driver.run("closing a stream", _ -> (int) STREAM_DESTROY.invokeExact(stream));
  }

  public static int synchronize(long stream) {
    return Driver.invoke(MemorySegment.NULL, _ -> (int) STREAM_SYNC.invokeExact(stream));
  }

  public static void wait(long stream, long event) {
    Driver.run("waiting for an event", _ -> (int) STREAM_WAIT.invokeExact(stream, event, 0));
  }

  static long createEvent(boolean timing) {
    int flags = timing ? 0 : EVENT_NO_TIMING;
    return Driver.ask("making an event", out -> (int) EVENT_CREATE.invokeExact(out, flags));
  }

  public static int record(long event, long stream) {
    try {
      return (int) EVENT_RECORD.invokeExact(event, stream);
    } catch (Throwable e) {
      throw Driver.unchecked(e);
    }
  }

  public static int query(long event) {
    try {
      return (int) EVENT_QUERY.invokeExact(event);
    } catch (Throwable e) {
      throw Driver.unchecked(e);
    }
  }

  public static int synchronizeEvent(long event) {
    try {
      return (int) EVENT_SYNC.invokeExact(event);
    } catch (Throwable e) {
      throw Driver.unchecked(e);
    }
  }

  /** Returns the milliseconds from one event to another, negative if it came first. */
  static float elapsed(long from, long to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_FLOAT);
      Driver.check(
          Driver.invoke(out, o -> (int) EVENT_ELAPSED.invokeExact(o, from, to)), "reading a time");
      return out.get(JAVA_FLOAT, 0);
    }
  }

  public static long loadModule(MemorySegment image) {
    return Driver.ask("loading a kernel", out -> (int) MODULE_LOAD.invokeExact(out, image));
  }

  public static void unloadModule(long module) {
    Driver.run("unloading a kernel", _ -> (int) MODULE_UNLOAD.invokeExact(module));
  }

  public static long function(long module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      return Driver.ask(
          "finding the function " + name,
          out -> (int) MODULE_FUNCTION.invokeExact(out, module, text));
    }
  }

  public static int maxThreads(long function) {
    return (int)
        Driver.ask(
            "asking for a kernel's limits",
            out -> (int) FUNCTION_ATTRIBUTE.invokeExact(out, 0, function));
  }

  public static void allowShared(long function, int bytes) {
    try {
      Driver.check(
          (int) SET_FUNCTION_ATTRIBUTE.invokeExact(function, DYNAMIC_SHARED_BYTES, bytes),
          "asking for shared memory");
    } catch (Throwable e) {
      throw Driver.unchecked(e);
    }
  }

  /** Adds a launch; {@code arguments} has one pointer per argument, and the caller keeps it. */
  public static int launch(
      long function,
      int x,
      int y,
      int z,
      int threads,
      int shared,
      long stream,
      MemorySegment arguments) {
    try {
      return (int)
          LAUNCH.invokeExact(
              function, x, y, z, threads, 1, 1, shared, stream, arguments.address(), 0L);
    } catch (Throwable e) {
      throw Driver.unchecked(e);
    }
  }
}
