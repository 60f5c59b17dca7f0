package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.device.Device.MemorySharing;
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

  public static final int MEMORY_HOST = 1;
  public static final int MEMORY_DEVICE = 2;
  public static final int MEMORY_UNIFIED = 4;

  private static final int POINTER_MEMORY_TYPE = 2;
  private static final int STREAM_NON_BLOCKING = 1;
  private static final int EVENT_NO_TIMING = 2;
  private static final int POOL_RELEASE_THRESHOLD = 4;
  private static final int HOST_PORTABLE = 1;
  private static final int IPC_LAZY_PEER = 1;

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
  private static final MethodHandle MEMORY_INFO = of("cuMemGetInfo_v2", ADDRESS, ADDRESS);
  private static final MethodHandle ALLOCATE = of("cuMemAlloc_v2", ADDRESS, JAVA_LONG);
  private static final MethodHandle FREE = of("cuMemFree_v2", JAVA_LONG);
  private static final MethodHandle ALLOCATE_ASYNC =
      of("cuMemAllocAsync", ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle FREE_ASYNC = of("cuMemFreeAsync", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle DEFAULT_POOL =
      of("cuDeviceGetDefaultMemPool", ADDRESS, JAVA_INT);
  private static final MethodHandle POOL_SET =
      of("cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS);
  private static final MethodHandle HOST_ALLOCATE =
      of("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle HOST_FREE = of("cuMemFreeHost", JAVA_LONG);
  private static final MethodHandle FILL =
      of("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle COPY =
      of("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle COPY_BOX = of("cuMemcpy3DAsync_v2", ADDRESS, JAVA_LONG);
  private static final MethodHandle POINTER_ATTRIBUTES =
      of("cuPointerGetAttributes", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
  private static final MethodHandle CAN_REACH =
      of("cuDeviceCanAccessPeer", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle REACH = of("cuCtxEnablePeerAccess", JAVA_LONG, JAVA_INT);
  private static final MethodHandle ADDRESS_RANGE =
      of("cuMemGetAddressRange_v2", ADDRESS, ADDRESS, JAVA_LONG);
  private static final MethodHandle IPC_GET = of("cuIpcGetMemHandle", ADDRESS, JAVA_LONG);
  private static final MethodHandle IPC_OPEN =
      of(
          "cuIpcOpenMemHandle_v2",
          ADDRESS,
          MemoryLayout.structLayout(
              MemoryLayout.sequenceLayout(MemorySharing.HANDLE_BYTES, JAVA_BYTE)),
          JAVA_INT);
  private static final MethodHandle IPC_CLOSE = of("cuIpcCloseMemHandle", JAVA_LONG);
  private static final MethodHandle STREAM_CREATE =
      of("cuStreamCreateWithPriority", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle STREAM_DESTROY = of("cuStreamDestroy_v2", JAVA_LONG);
  private static final MethodHandle STREAM_SYNC = of("cuStreamSynchronize", JAVA_LONG);
  private static final MethodHandle STREAM_WAIT =
      of("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle EVENT_CREATE = of("cuEventCreate", ADDRESS, JAVA_INT);
  private static final MethodHandle EVENT_RECORD = of("cuEventRecord", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle EVENT_QUERY = of("cuEventQuery", JAVA_LONG);
  private static final MethodHandle EVENT_SYNC = of("cuEventSynchronize", JAVA_LONG);
  private static final MethodHandle EVENT_ELAPSED =
      of("cuEventElapsedTime", ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MODULE_LOAD = of("cuModuleLoadData", ADDRESS, ADDRESS);
  private static final MethodHandle MODULE_UNLOAD = of("cuModuleUnload", JAVA_LONG);
  private static final MethodHandle MODULE_FUNCTION =
      of("cuModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS);
  private static final MethodHandle FUNCTION_ATTRIBUTE =
      of("cuFuncGetAttribute", ADDRESS, JAVA_INT, JAVA_LONG);

  private static final MethodHandle SET_FUNCTION_ATTRIBUTE =
      of("cuFuncSetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);

  private static final int DYNAMIC_SHARED_BYTES = 8;

  /** With addresses as numbers: looking whether memory is alive costs each launch two atomics. */
  private static final MethodHandle LAUNCH =
      of(
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

  private Driver() {}

  private static MethodHandle of(String symbol, MemoryLayout... parameters) {
    return of(symbol, new Linker.Option[0], parameters);
  }

  private static MethodHandle of(
      String symbol, Linker.Option[] options, MemoryLayout... parameters) {
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
  private interface Call {
    int call(MemorySegment out) throws Throwable;
  }

  private static long ask(String what, Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      check(invoke(out, call), what);
      return out.get(JAVA_LONG, 0);
    }
  }

  private static int invoke(MemorySegment out, Call call) {
    try {
      return call.call(out);
    } catch (Throwable e) {
      throw unchecked(e);
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

  // --- The machine ------------------------------------------------------------------------------

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

  // --- Memory -----------------------------------------------------------------------------------

  static long freeMemory() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment total = arena.allocate(JAVA_LONG);
      return ask("asking for free memory", out -> (int) MEMORY_INFO.invokeExact(out, total));
    }
  }

  /** Returns an address, or 0 if there is not enough. */
  static long allocate(long bytes) {
    return orNothing(
        "allocating " + bytes + " bytes", out -> (int) ALLOCATE.invokeExact(out, bytes));
  }

  private static long orNothing(String what, Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      int code = invoke(out, call);
      if (code == OUT_OF_MEMORY) {
        return 0;
      }
      check(code, what);
      return out.get(JAVA_LONG, 0);
    }
  }

  static void free(long address) {
    check(invoke(MemorySegment.NULL, _ -> (int) FREE.invokeExact(address)), "freeing memory");
  }

  public static long allocateAsync(long bytes, long stream) {
    return ask(
        "allocating " + bytes + " bytes on a stream",
        out -> (int) ALLOCATE_ASYNC.invokeExact(out, bytes, stream));
  }

  /**
   * Keeps so many bytes in the pool of {@link #allocateAsync}. It would give all of them back
   * whenever somebody waits for a stream, and take long to get them again.
   */
  public static void keepInPool(int device, long bytes) {
    long pool = ask("finding a pool", out -> (int) DEFAULT_POOL.invokeExact(out, device));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocateFrom(JAVA_LONG, bytes);
      check(
          invoke(limit, out -> (int) POOL_SET.invokeExact(pool, POOL_RELEASE_THRESHOLD, out)),
          "keeping memory in a pool");
    }
  }

  public static void freeAsync(long address, long stream) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) FREE_ASYNC.invokeExact(address, stream)),
        "freeing memory on a stream");
  }

  /** Returns an address, or 0 if there is not enough. */
  static long allocateHost(long bytes) {
    return orNothing(
        "pinning " + bytes + " bytes",
        out -> (int) HOST_ALLOCATE.invokeExact(out, bytes, HOST_PORTABLE));
  }

  static void freeHost(long address) {
    check(invoke(MemorySegment.NULL, _ -> (int) HOST_FREE.invokeExact(address)), "unpinning");
  }

  static void fill(long address, byte value, long bytes, long stream) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) FILL.invokeExact(address, value, bytes, stream)),
        "filling " + bytes + " bytes");
  }

  public static void copy(long target, long source, long bytes, long stream) {
    try {
      int code = (int) COPY.invokeExact(target, source, bytes, stream);
      if (code != SUCCESS) {
        throw failure(code, "copying " + bytes + " bytes");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Copies what a {@code CUDA_MEMCPY3D} describes. */
  public static void copyBox(MemorySegment description, long stream) {
    check(
        invoke(description, box -> (int) COPY_BOX.invokeExact(box, stream)),
        "copying a strided box");
  }

  /** Returns {@link #MEMORY_HOST} if pinned, {@link #MEMORY_DEVICE}, or 0 for other memory. */
  public static int memoryType(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment type = arena.allocate(JAVA_LONG);
      MemorySegment attributes = arena.allocateFrom(JAVA_INT, POINTER_MEMORY_TYPE);
      MemorySegment results = arena.allocateFrom(ADDRESS, type);
      check(
          invoke(results, out -> (int) POINTER_ATTRIBUTES.invokeExact(1, attributes, out, address)),
          "asking where memory lies");
      return type.get(JAVA_INT, 0);
    }
  }

  // --- Streams and events -----------------------------------------------------------------------

  static boolean canReach(int device, int other) {
    return (int)
            ask(
                "asking whether GPUs are peers",
                out -> (int) CAN_REACH.invokeExact(out, device, other))
        != 0;
  }

  /** Lets the thread's context use the memory of another one. */
  static void reach(long context) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) REACH.invokeExact(context, 0)),
        "reaching the memory of another GPU");
  }

  /** Returns where the allocation of an address starts. */
  public static long allocationStart(long address) {
    return ask(
        "asking for an allocation",
        out -> (int) ADDRESS_RANGE.invokeExact(out, MemorySegment.NULL, address));
  }

  /** Returns the handle of an allocation, for other processes. */
  public static byte[] share(long start) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(MemorySharing.HANDLE_BYTES, 8);
      check(
          invoke(handle, out -> (int) IPC_GET.invokeExact(out, start)),
          "sharing memory with other processes");
      return handle.toArray(JAVA_BYTE);
    }
  }

  /** Maps an allocation of another process. */
  public static long map(byte[] handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, handle);
      return ask(
          "mapping memory of another process",
          out -> (int) IPC_OPEN.invokeExact(out, bytes, IPC_LAZY_PEER));
    }
  }

  public static void unmap(long address) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) IPC_CLOSE.invokeExact(address)),
        "unmapping memory of another process");
  }

  public static long createStream(int priority) {
    return ask(
        "opening a stream",
        out -> (int) STREAM_CREATE.invokeExact(out, STREAM_NON_BLOCKING, priority));
  }

  public static void destroyStream(long stream) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) STREAM_DESTROY.invokeExact(stream)),
        "closing a stream");
  }

  public static int synchronize(long stream) {
    return invoke(MemorySegment.NULL, _ -> (int) STREAM_SYNC.invokeExact(stream));
  }

  public static void wait(long stream, long event) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) STREAM_WAIT.invokeExact(stream, event, 0)),
        "waiting for an event");
  }

  static long createEvent(boolean timing) {
    int flags = timing ? 0 : EVENT_NO_TIMING;
    return ask("making an event", out -> (int) EVENT_CREATE.invokeExact(out, flags));
  }

  public static int record(long event, long stream) {
    try {
      return (int) EVENT_RECORD.invokeExact(event, stream);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static int query(long event) {
    try {
      return (int) EVENT_QUERY.invokeExact(event);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static int synchronizeEvent(long event) {
    try {
      return (int) EVENT_SYNC.invokeExact(event);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Returns the milliseconds from one event to another, negative if it came first. */
  static float elapsed(long from, long to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_FLOAT);
      check(invoke(out, o -> (int) EVENT_ELAPSED.invokeExact(o, from, to)), "reading a time");
      return out.get(JAVA_FLOAT, 0);
    }
  }

  // --- Code -------------------------------------------------------------------------------------

  public static long loadModule(MemorySegment image) {
    return ask("loading a kernel", out -> (int) MODULE_LOAD.invokeExact(out, image));
  }

  public static void unloadModule(long module) {
    check(
        invoke(MemorySegment.NULL, _ -> (int) MODULE_UNLOAD.invokeExact(module)),
        "unloading a kernel");
  }

  public static long function(long module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      return ask(
          "finding the function " + name,
          out -> (int) MODULE_FUNCTION.invokeExact(out, module, text));
    }
  }

  public static int maxThreads(long function) {
    return (int)
        ask(
            "asking for a kernel's limits",
            out -> (int) FUNCTION_ATTRIBUTE.invokeExact(out, 0, function));
  }

  public static void allowShared(long function, int bytes) {
    try {
      check(
          (int) SET_FUNCTION_ATTRIBUTE.invokeExact(function, DYNAMIC_SHARED_BYTES, bytes),
          "asking for shared memory");
    } catch (Throwable e) {
      throw unchecked(e);
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
      throw unchecked(e);
    }
  }
}
