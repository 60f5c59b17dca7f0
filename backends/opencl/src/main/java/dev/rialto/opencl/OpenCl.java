package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of OpenCL that Rialto calls, with Java's types.
 *
 * <p>Handles and device addresses are {@code long}. What fails throws what {@link #failure} makes.
 * The class is initialised when the first function is called, so a machine without OpenCL never
 * gets here.
 */
final class OpenCl {
  static final int DEVICE_TYPE = 0x1000;
  static final int DEVICE_MAX_COMPUTE_UNITS = 0x1002;
  static final int DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
  static final int DEVICE_GLOBAL_MEM_SIZE = 0x101F;
  static final int DEVICE_LOCAL_MEM_SIZE = 0x1023;
  static final int DEVICE_COMPILER_AVAILABLE = 0x1028;
  static final int DEVICE_NAME = 0x102B;
  static final int DRIVER_VERSION = 0x102D;
  static final int DEVICE_VERSION = 0x102F;
  static final int DEVICE_EXTENSIONS = 0x1030;
  static final int DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A;
  static final int DEVICE_SVM_CAPABILITIES = 0x1053;
  static final int PLATFORM_VERSION = 0x0901;
  static final int PLATFORM_NAME = 0x0902;

  /** The bit of {@link #DEVICE_TYPE} that the host's cores have. */
  static final long DEVICE_TYPE_CPU = 1 << 1;

  /** The bit of {@link #DEVICE_SVM_CAPABILITIES} that this backend needs. */
  static final long SVM_COARSE_GRAIN_BUFFER = 1;

  private static final int OUT_OF_RESOURCES = -5;
  private static final int OUT_OF_HOST_MEMORY = -6;
  private static final int PLATFORM_NOT_FOUND = -1001;
  private static final int DEVICE_NOT_FOUND = -1;
  private static final long DEVICE_TYPE_ALL = 0xFFFFFFFFL;

  static {
    SignalHandlers.keep();
  }

  static final OpenLibrary LIBRARY =
      LibrarySearch.open(InstalledLibrary.OPENCL)
          .orElseThrow(
              () -> new BackendException(libraryName() + " not found", "opencl", "", null));
  private static final MethodHandle PLATFORMS = of("clGetPlatformIDs", JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle PLATFORM_INFO =
      of("clGetPlatformInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle DEVICES =
      of("clGetDeviceIDs", JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle DEVICE_INFO =
      of("clGetDeviceInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);

  private OpenCl() {}

  /** A function that returns a code. */
  static MethodHandle of(String symbol, MemoryLayout... parameters) {
    return LIBRARY.function(symbol, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  /** A function that returns a handle or an address. */
  static MethodHandle make(String symbol, MemoryLayout... parameters) {
    return LIBRARY.function(symbol, FunctionDescriptor.of(JAVA_LONG, parameters));
  }

  static String libraryName() {
    return LibrarySearch.here().name(InstalledLibrary.OPENCL);
  }

  static String libraryPath() {
    return LIBRARY.path();
  }

  interface Call {
    int call() throws Throwable;
  }

  interface Creation {
    long call(MemorySegment code) throws Throwable;
  }

  interface Query {
    int call(long size, MemorySegment value, MemorySegment actual) throws Throwable;
  }

  static int code(Call call) {
    try {
      return call.call();
    } catch (Throwable e) {
      throw unchecked(e);
    } finally {
      SignalHandlers.restore();
    }
  }

  static void check(String what, Call call) {
    check(code(call), what);
  }

  private static void check(int code, String what) {
    if (code != 0) {
      throw failure(code, what);
    }
  }

  static long create(String what, Creation call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment code = arena.allocate(JAVA_INT);
      long handle = call.call(code);
      SignalHandlers.restore();
      check(code.get(JAVA_INT, 0), what);
      return handle;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Asks for bytes whose number is asked first. */
  private static byte[] bytes(String what, Query query) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_LONG);
      check(what, () -> query.call(0, MemorySegment.NULL, size));
      MemorySegment value = arena.allocate(Math.max(1, size.get(JAVA_LONG, 0)));
      check(what, () -> query.call(value.byteSize(), value, MemorySegment.NULL));
      return value.toArray(JAVA_BYTE);
    }
  }

  static String text(String what, Query query) {
    return MemorySegment.ofArray(bytes(what, query)).getString(0).strip();
  }

  /** Asks for a number of 4 or 8 bytes. */
  static long number(String what, int size, Query query) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      check(what, () -> query.call(size, value, MemorySegment.NULL));
      return size == 4 ? value.get(JAVA_INT, 0) : value.get(JAVA_LONG, 0);
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

  /** Describes what the library said no to. */
  static DeviceException failure(int code, String what) {
    String name =
        switch (code) {
          case DEVICE_NOT_FOUND -> "no such device";
          case -2 -> "the device is not available";
          case -3 -> "the compiler is not available";
          case -4 -> "the device's memory is not enough";
          case OUT_OF_RESOURCES -> "the device ran out of resources, or a kernel failed";
          case OUT_OF_HOST_MEMORY -> "the host's memory is not enough";
          case -11 -> "the program does not compile";
          case -14 -> "a command before it failed";
          case -46 -> "the program has no such kernel";
          case -48 -> "the kernel is not valid";
          case -51 -> "an argument has another size than the kernel's parameter";
          case -52 -> "the kernel takes other arguments";
          case -54 -> "the device does not take groups of this size";
          case PLATFORM_NOT_FOUND -> "no platform is installed";
          default -> "code " + code;
        };
    return new DeviceException(
        what + " failed: " + name + " (OpenCL " + code + ")",
        "opencl",
        code == -4 || code == OUT_OF_HOST_MEMORY ? "close what is no longer needed" : "",
        null);
  }

  /** Returns the platforms, one for each driver that the loader finds. */
  static long[] platforms() {
    return list(
        "listing platforms",
        PLATFORM_NOT_FOUND,
        (n, all, count) -> (int) PLATFORMS.invokeExact(n, all, count));
  }

  static long[] devices(long platform) {
    return list(
        "listing devices",
        DEVICE_NOT_FOUND,
        (n, all, count) -> (int) DEVICES.invokeExact(platform, DEVICE_TYPE_ALL, n, all, count));
  }

  private interface Listing {
    int call(int room, MemorySegment all, MemorySegment count) throws Throwable;
  }

  private static long[] list(String what, int nothing, Listing listing) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      int code = code(() -> listing.call(0, MemorySegment.NULL, count));
      int size = count.get(JAVA_INT, 0);
      if (code == nothing || (code == 0 && size == 0)) {
        return new long[0];
      }
      check(code, what);
      MemorySegment all = arena.allocate(JAVA_LONG, size);
      check(what, () -> listing.call(size, all, MemorySegment.NULL));
      return all.toArray(JAVA_LONG);
    }
  }

  static String platformText(long platform, int what) {
    return text(
        "asking a platform",
        (size, value, actual) ->
            (int) PLATFORM_INFO.invokeExact(platform, what, size, value, actual));
  }

  static String deviceText(long device, int what) {
    return text(
        "asking a device",
        (size, value, actual) -> (int) DEVICE_INFO.invokeExact(device, what, size, value, actual));
  }

  /** Returns a property of 4 or 8 bytes. */
  static long deviceNumber(long device, int what, int bytes) {
    return number(
        "asking a device for property 0x" + Integer.toHexString(what),
        bytes,
        (size, value, actual) -> (int) DEVICE_INFO.invokeExact(device, what, size, value, actual));
  }
}
