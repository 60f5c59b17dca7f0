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
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

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
  private static final long QUEUE_PROPERTIES = 0x1093;
  private static final long QUEUE_PROFILING = 2;
  private static final int EVENT_STATUS = 0x11D3;
  private static final int PROFILING_END = 0x1283;
  private static final int PROGRAM_BINARY_SIZES = 0x1165;
  private static final int PROGRAM_BINARIES = 0x1166;
  private static final int PROGRAM_BUILD_LOG = 0x1183;
  private static final int KERNEL_WORK_GROUP_SIZE = 0x11B0;

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

  /** NVIDIA's driver has no memory for a thread that asks while another does. */
  private static final ReentrantLock ALLOCATING = new ReentrantLock();

  private OpenCl() {}

  /** A function that returns a code. */
  static MethodHandle of(String symbol, MemoryLayout... parameters) {
    return LIBRARY.function(symbol, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  static String libraryName() {
    return LibrarySearch.here().name(InstalledLibrary.OPENCL);
  }

  static String libraryPath() {
    return LIBRARY.path();
  }

  // --- Calls ------------------------------------------------------------------------------------

  private interface Call {
    int call() throws Throwable;
  }

  private interface Creation {
    long call(MemorySegment code) throws Throwable;
  }

  private interface Query {
    int call(long size, MemorySegment value, MemorySegment actual) throws Throwable;
  }

  private static int code(Call call) {
    try {
      return call.call();
    } catch (Throwable e) {
      throw unchecked(e);
    } finally {
      SignalHandlers.restore();
    }
  }

  private static void check(String what, Call call) {
    check(code(call), what);
  }

  private static void check(int code, String what) {
    if (code != 0) {
      throw failure(code, what);
    }
  }

  private static long create(String what, Creation call) {
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

  private static String text(String what, Query query) {
    return MemorySegment.ofArray(bytes(what, query)).getString(0).strip();
  }

  /** Asks for a number of 4 or 8 bytes. */
  private static long number(String what, int size, Query query) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      check(what, () -> query.call(size, value, MemorySegment.NULL));
      return size == 4 ? value.get(JAVA_INT, 0) : value.get(JAVA_LONG, 0);
    }
  }

  /** Calls of native code throw nothing but what {@link OpenLibrary#function} says is missing. */
  private static RuntimeException unchecked(Throwable e) {
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

  // --- The machine ------------------------------------------------------------------------------

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

  static long createContext(long device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
      MemorySegment none = MemorySegment.NULL;
      return create(
          "making a context",
          code ->
              (long)
                  DeviceFunctions.CREATE_CONTEXT.invokeExact(none, 1, devices, none, none, code));
    }
  }

  // --- Memory -----------------------------------------------------------------------------------

  /** Returns an address, or 0 if there is not enough. */
  static long allocate(long context, long bytes) {
    ALLOCATING.lock();
    try {
      return (long) DeviceFunctions.SVM_ALLOCATE.invokeExact(context, 1L, bytes, 0);
    } catch (Throwable e) {
      throw unchecked(e);
    } finally {
      ALLOCATING.unlock();
    }
  }

  static void free(long context, long address) {
    ALLOCATING.lock();
    try {
      DeviceFunctions.SVM_FREE.invokeExact(context, address);
    } catch (Throwable e) {
      throw unchecked(e);
    } finally {
      ALLOCATING.unlock();
    }
  }

  /** Adds a copy to a queue; memory of the host is passed as it is, and the call waits then. */
  static void copy(
      long queue, boolean waits, MemorySegment target, MemorySegment source, long bytes) {
    MemorySegment none = MemorySegment.NULL;
    int blocking = waits ? 1 : 0;
    int code =
        code(
            () ->
                (int)
                    DeviceFunctions.SVM_COPY.invokeExact(
                        queue, blocking, target, source, bytes, 0, none, none));
    if (code != 0) {
      throw failure(code, "copying " + bytes + " bytes");
    }
  }

  static void fillWithZeros(long queue, long address, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment zero = arena.allocate(1);
      MemorySegment none = MemorySegment.NULL;
      check(
          "filling " + bytes + " bytes with zeros",
          () ->
              (int)
                  DeviceFunctions.SVM_FILL.invokeExact(
                      queue, address, zero, 1L, bytes, 0, none, none));
    }
  }

  // --- Queues -----------------------------------------------------------------------------------

  /** Makes an in-order queue that takes times. */
  static long createQueue(long context, long device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties =
          arena.allocateFrom(JAVA_LONG, QUEUE_PROPERTIES, QUEUE_PROFILING, 0);
      return create(
          "making a queue",
          code ->
              (long) DeviceFunctions.CREATE_QUEUE.invokeExact(context, device, properties, code));
    }
  }

  static void releaseQueue(long queue) {
    check("closing a queue", () -> (int) DeviceFunctions.RELEASE_QUEUE.invokeExact(queue));
  }

  /** Has the device begin what was added. */
  static void flush(long queue) {
    check("work on the device", () -> (int) DeviceFunctions.FLUSH.invokeExact(queue));
  }

  static void finish(long queue) {
    check("work on the device", () -> (int) DeviceFunctions.FINISH.invokeExact(queue));
  }

  /** Adds an event behind everything in a queue. */
  static long mark(long queue) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(JAVA_LONG);
      check(
          "work on the device",
          () -> (int) DeviceFunctions.MARKER.invokeExact(queue, 0, MemorySegment.NULL, event));
      flush(queue);
      return event.get(JAVA_LONG, 0);
    }
  }

  /** Makes what is added to a queue from now on wait for an event. */
  static void waitFor(long queue, long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment events = arena.allocateFrom(JAVA_LONG, event);
      check(
          "waiting for another stream",
          () -> (int) DeviceFunctions.BARRIER.invokeExact(queue, 1, events, MemorySegment.NULL));
    }
  }

  /** Returns whether an event has ended; throws if it or what came before it failed. */
  static boolean isComplete(long event) {
    int status =
        (int)
            number(
                "asking an event",
                4,
                (size, value, actual) ->
                    (int)
                        DeviceFunctions.EVENT_INFO.invokeExact(
                            event, EVENT_STATUS, size, value, actual));
    if (status < 0) {
      throw failure(status, "work on the device");
    }
    return status == 0;
  }

  static void await(long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment events = arena.allocateFrom(JAVA_LONG, event);
      check("work on the device", () -> (int) DeviceFunctions.EVENT_WAIT.invokeExact(1, events));
    }
  }

  static void releaseEvent(long event) {
    check("releasing an event", () -> (int) DeviceFunctions.EVENT_RELEASE.invokeExact(event));
  }

  /** Returns when an event ended, in nanoseconds of the device's clock. */
  static long ended(long event) {
    return number(
        "taking a time",
        8,
        (size, value, actual) ->
            (int)
                DeviceFunctions.EVENT_PROFILING.invokeExact(
                    event, PROFILING_END, size, value, actual));
  }

  // --- Kernels ----------------------------------------------------------------------------------

  static long programWithSource(long context, String text) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment texts = arena.allocateFrom(ADDRESS, arena.allocateFrom(text));
      return create(
          "taking a program's text",
          code ->
              (long)
                  DeviceFunctions.PROGRAM_SOURCE.invokeExact(
                      context, 1, texts, MemorySegment.NULL, code));
    }
  }

  static long programWithBinary(long context, long device, byte[] image) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, image);
      MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
      MemorySegment sizes = arena.allocateFrom(JAVA_LONG, image.length);
      MemorySegment images = arena.allocateFrom(ADDRESS, bytes);
      MemorySegment status = arena.allocate(JAVA_INT);
      return create(
          "loading a program",
          code ->
              (long)
                  DeviceFunctions.PROGRAM_BINARY.invokeExact(
                      context, 1, devices, sizes, images, status, code));
    }
  }

  /** Builds a program and returns what the compiler said if it does not compile. */
  static Optional<String> build(long program, long device, String options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
      MemorySegment text = arena.allocateFrom(options);
      MemorySegment none = MemorySegment.NULL;
      int code =
          code(
              () ->
                  (int)
                      DeviceFunctions.PROGRAM_BUILD.invokeExact(
                          program, 1, devices, text, none, none));
      if (code == 0) {
        return Optional.empty();
      }
      String log =
          text(
              "asking for the compiler's log",
              (size, value, actual) ->
                  (int)
                      DeviceFunctions.PROGRAM_BUILD_INFO.invokeExact(
                          program, device, PROGRAM_BUILD_LOG, size, value, actual));
      return Optional.of(
          failure(code, "compiling").getMessage() + (log.isEmpty() ? "" : "\n" + log));
    }
  }

  /** Returns a built program's machine code. */
  static byte[] image(long program) {
    long size =
        number(
            "asking for a program's size",
            8,
            (bytes, value, actual) ->
                (int)
                    DeviceFunctions.PROGRAM_INFO.invokeExact(
                        program, PROGRAM_BINARY_SIZES, bytes, value, actual));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment image = arena.allocate(Math.max(1, size));
      MemorySegment images = arena.allocateFrom(ADDRESS, image);
      check(
          "asking for a program's code",
          () ->
              (int)
                  DeviceFunctions.PROGRAM_INFO.invokeExact(
                      program, PROGRAM_BINARIES, images.byteSize(), images, MemorySegment.NULL));
      return image.asSlice(0, size).toArray(JAVA_BYTE);
    }
  }

  static void releaseProgram(long program) {
    check("releasing a program", () -> (int) DeviceFunctions.PROGRAM_RELEASE.invokeExact(program));
  }

  static long createKernel(long program, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      return create(
          "finding kernel " + name,
          code -> (long) DeviceFunctions.CREATE_KERNEL.invokeExact(program, text, code));
    }
  }

  static void releaseKernel(long kernel) {
    check("releasing a kernel", () -> (int) DeviceFunctions.KERNEL_RELEASE.invokeExact(kernel));
  }

  /** Returns the most items that can be in a group. */
  static int groupSize(long kernel, long device) {
    return (int)
        number(
            "asking for the size of a group",
            8,
            (size, value, actual) ->
                (int)
                    DeviceFunctions.KERNEL_GROUP_INFO.invokeExact(
                        kernel, device, KERNEL_WORK_GROUP_SIZE, size, value, actual));
  }

  static void setPointer(long kernel, int index, long address) {
    checkArgument(
        index, () -> (int) DeviceFunctions.KERNEL_POINTER.invokeExact(kernel, index, address));
  }

  static void setValue(long kernel, int index, MemorySegment value) {
    checkArgument(
        index,
        () ->
            (int)
                DeviceFunctions.KERNEL_ARGUMENT.invokeExact(
                    kernel, index, value.byteSize(), value));
  }

  private static void checkArgument(int index, Call call) {
    int code = code(call);
    if (code != 0) {
      throw failure(code, "passing argument " + index);
    }
  }

  /** Adds a launch over {@code groups} groups of {@code items} items each. */
  static void launch(long queue, long kernel, long groups, long items, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment global = arena.allocateFrom(JAVA_LONG, groups * items);
      MemorySegment local = arena.allocateFrom(JAVA_LONG, items);
      MemorySegment none = MemorySegment.NULL;
      int code =
          code(
              () ->
                  (int)
                      DeviceFunctions.LAUNCH.invokeExact(
                          queue, kernel, 1, none, global, local, 0, none, none));
      if (code != 0) {
        throw failure(code, "launching " + name + " over " + groups + " groups of " + items);
      }
    }
  }
}
