package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The functions of the CUDA driver that Rialto calls, with Java's types.
 *
 * <p>Handles and device addresses are {@code long}. A function that can fail for a reason that a
 * caller handles returns the driver's code; the others throw what {@link #failure} makes. The class
 * is initialised when the first function is called, so a machine without a driver never gets here.
 */
public final class Driver {
  public static final int SUCCESS = 0;
  static final int OUT_OF_MEMORY = 2;
  public static final int NOT_READY = 600;

  /** The oldest driver that has all that is needed, as the driver counts: 11.4. */
  public static final int OLDEST = 11040;

  public static final int ATTRIBUTE_MAX_THREADS = 1;
  public static final int ATTRIBUTE_SHARED_BYTES = 8;
  public static final int ATTRIBUTE_WARP = 10;
  public static final int ATTRIBUTE_MULTIPROCESSORS = 16;
  public static final int ATTRIBUTE_MAJOR = 75;
  public static final int ATTRIBUTE_MINOR = 76;
  private static final Optional<OpenLibrary> LIBRARY =
      LibrarySearch.open(InstalledLibrary.CUDA_DRIVER);
  private static final MethodHandle INIT = of("cuInit", JAVA_INT);
  private static final MethodHandle VERSION = of("cuDriverGetVersion", ADDRESS);
  private static final MethodHandle ERROR_STRING = of("cuGetErrorString", JAVA_INT, ADDRESS);
  private static final MethodHandle ERROR_NAME = of("cuGetErrorName", JAVA_INT, ADDRESS);
  private static final MethodHandle DEVICE_COUNT = of("cuDeviceGetCount", ADDRESS);
  private static final MethodHandle DEVICE_GET = of("cuDeviceGet", ADDRESS, JAVA_INT);
  private static final MethodHandle DEVICE_NAME =
      of("cuDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle DEVICE_ATTRIBUTE =
      of("cuDeviceGetAttribute", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle DEVICE_MEMORY = of("cuDeviceTotalMem_v2", ADDRESS, JAVA_INT);
  private static final MethodHandle DEVICE_UUID = of("cuDeviceGetUuid_v2", ADDRESS, JAVA_INT);
  private static final MethodHandle CONTEXT_RETAIN =
      of("cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT);

  /** Writes a variable of the thread and returns: not worth telling the garbage collector. */
  private static final MethodHandle CONTEXT_SET =
      of("cuCtxSetCurrent", new Linker.Option[] {Linker.Option.critical(false)}, JAVA_LONG);

  private static final MethodHandle CONTEXT_SYNC = of("cuCtxSynchronize");
  private static final MethodHandle PRIORITIES =
      of("cuCtxGetStreamPriorityRange", ADDRESS, ADDRESS);

  private Driver() {}

  static MethodHandle of(String symbol, MemoryLayout... parameters) {
    return of(symbol, new Linker.Option[0], parameters);
  }

  static MethodHandle of(String symbol, Linker.Option[] options, MemoryLayout... parameters) {
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, parameters);
    return LIBRARY
        .orElseThrow(
            () ->
                new BackendException(
                    LibrarySearch.here().name(InstalledLibrary.CUDA_DRIVER) + " not found",
                    "cuda",
                    "",
                    null))
        .function(symbol, type, options);
  }

  /** A call with results, for which it is given memory. */
  interface Call {
    int call(MemorySegment out) throws Throwable;
  }

  static long ask(String what, Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      check(invoke(out, call), what);
      return out.get(JAVA_LONG, 0);
    }
  }

  static void run(String what, Call call) {
    check(invoke(MemorySegment.NULL, call), what);
  }

  static int invoke(MemorySegment out, Call call) {
    try {
      return call.call(out);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Calls of native code throw nothing but what {@link OpenLibrary#function} says is missing. */
  static RuntimeException unchecked(Throwable e) {
    if (e instanceof RuntimeException known) {
      return known;
    }
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("native code throws nothing", e);
  }

  /** Throws what {@link #failure} makes unless the code is 0. */
  public static void check(int code, String what) {
    if (code != SUCCESS) {
      throw failure(code, what);
    }
  }

  /** Describes what the driver said no to. */
  public static DeviceException failure(int code, String what) {
    String remedy =
        switch (code) {
          case OUT_OF_MEMORY -> "close what is no longer needed";
          case 700, 710, 714, 715, 716, 717, 718, 719 ->
              "the GPU's state is lost with this; start the program again, under"
                  + " compute-sanitizer to find the access";
          default -> "";
        };
    return new DeviceException(
        what + " failed: " + text(ERROR_NAME, code) + " (" + text(ERROR_STRING, code) + ")",
        "cuda",
        remedy,
        null);
  }

  @SuppressWarnings("restricted")
  private static String text(MethodHandle function, int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      int known = (int) function.invokeExact(code, out);
      return known == SUCCESS ? out.get(ADDRESS, 0).reinterpret(1024).getString(0) : "code " + code;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Starts the driver and returns its answer: 0 if there is a GPU that it can use. */
  public static int init() {
    return invoke(MemorySegment.NULL, _ -> (int) INIT.invokeExact(0));
  }

  /** Returns the version as the driver counts: 13000 for 13.0. */
  public static int version() {
    return (int) ask("asking for the version", out -> (int) VERSION.invokeExact(out));
  }

  public static int deviceCount() {
    return (int) ask("counting devices", out -> (int) DEVICE_COUNT.invokeExact(out));
  }

  public static int device(int ordinal) {
    return (int)
        ask("finding device " + ordinal, out -> (int) DEVICE_GET.invokeExact(out, ordinal));
  }

  public static String deviceName(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(256);
      check(
          invoke(text, out -> (int) DEVICE_NAME.invokeExact(out, 256, device)),
          "asking for the device's name");
      return text.getString(0);
    }
  }

  /** Returns the 16 bytes that tell a GPU from all others, as two numbers. */
  public static long[] uuid(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(JAVA_LONG, 2);
      check(invoke(bytes, out -> (int) DEVICE_UUID.invokeExact(out, device)), "asking a UUID");
      return bytes.toArray(JAVA_LONG);
    }
  }

  public static int attribute(int device, int attribute) {
    return (int)
        ask(
            "asking for attribute " + attribute,
            out -> (int) DEVICE_ATTRIBUTE.invokeExact(out, attribute, device));
  }

  public static long totalMemory(int device) {
    return ask("asking for memory", out -> (int) DEVICE_MEMORY.invokeExact(out, device));
  }

  static long retainContext(int device) {
    return ask("making a context", out -> (int) CONTEXT_RETAIN.invokeExact(out, device));
  }

  static void setContext(long context) {
    try {
      check((int) CONTEXT_SET.invokeExact(context), "entering a context");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static int synchronizeContext() {
    return invoke(MemorySegment.NULL, _ -> (int) CONTEXT_SYNC.invokeExact());
  }

  /** Returns the number of the most urgent priority, from 0 down. */
  public static int highestPriority() {
    return (int)
        ask("asking for priorities", out -> (int) PRIORITIES.invokeExact(MemorySegment.NULL, out));
  }

  public static String libraryPath() {
    return LIBRARY.orElseThrow().path();
  }
}
