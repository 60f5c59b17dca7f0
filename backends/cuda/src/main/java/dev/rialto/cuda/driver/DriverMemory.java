package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.device.Device.MemorySharing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Memory of a GPU through the CUDA driver, in calls that {@link Driver} checks. */
public final class DriverMemory {
  public static final int MEMORY_HOST = 1;
  public static final int MEMORY_DEVICE = 2;
  public static final int MEMORY_UNIFIED = 4;
  private static final int POINTER_MEMORY_TYPE = 2;
  private static final int POOL_RELEASE_THRESHOLD = 4;
  private static final int HOST_PORTABLE = 1;
  private static final int IPC_LAZY_PEER = 1;
  private static final MethodHandle MEMORY_INFO = Driver.of("cuMemGetInfo_v2", ADDRESS, ADDRESS);
  private static final MethodHandle ALLOCATE = Driver.of("cuMemAlloc_v2", ADDRESS, JAVA_LONG);
  private static final MethodHandle FREE = Driver.of("cuMemFree_v2", JAVA_LONG);
  private static final MethodHandle ALLOCATE_ASYNC =
      Driver.of("cuMemAllocAsync", ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle FREE_ASYNC = Driver.of("cuMemFreeAsync", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle DEFAULT_POOL =
      Driver.of("cuDeviceGetDefaultMemPool", ADDRESS, JAVA_INT);
  private static final MethodHandle POOL_SET =
      Driver.of("cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS);
  private static final MethodHandle HOST_ALLOCATE =
      Driver.of("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle HOST_FREE = Driver.of("cuMemFreeHost", JAVA_LONG);
  private static final MethodHandle FILL =
      Driver.of("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle COPY =
      Driver.of("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle COPY_BOX = Driver.of("cuMemcpy3DAsync_v2", ADDRESS, JAVA_LONG);
  private static final MethodHandle POINTER_ATTRIBUTES =
      Driver.of("cuPointerGetAttributes", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
  private static final MethodHandle CAN_REACH =
      Driver.of("cuDeviceCanAccessPeer", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle REACH = Driver.of("cuCtxEnablePeerAccess", JAVA_LONG, JAVA_INT);
  private static final MethodHandle ADDRESS_RANGE =
      Driver.of("cuMemGetAddressRange_v2", ADDRESS, ADDRESS, JAVA_LONG);
  private static final MethodHandle IPC_GET = Driver.of("cuIpcGetMemHandle", ADDRESS, JAVA_LONG);
  private static final MethodHandle IPC_OPEN =
      Driver.of(
          "cuIpcOpenMemHandle_v2",
          ADDRESS,
          MemoryLayout.structLayout(
              MemoryLayout.sequenceLayout(MemorySharing.HANDLE_BYTES, JAVA_BYTE)),
          JAVA_INT);
  private static final MethodHandle IPC_CLOSE = Driver.of("cuIpcCloseMemHandle", JAVA_LONG);

  private DriverMemory() {}

  static long freeMemory() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment total = arena.allocate(JAVA_LONG);
      return Driver.ask("asking for free memory", out -> (int) MEMORY_INFO.invokeExact(out, total));
    }
  }

  /** Returns an address, or 0 if there is not enough. */
  static long allocate(long bytes) {
    return orNothing(
        "allocating " + bytes + " bytes", out -> (int) ALLOCATE.invokeExact(out, bytes));
  }

  private static long orNothing(String what, Driver.Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      int code = Driver.invoke(out, call);
      if (code == Driver.OUT_OF_MEMORY) {
        return 0;
      }
      Driver.check(code, what);
      return out.get(JAVA_LONG, 0);
    }
  }

  static void free(long address) {
    Driver.run("freeing memory", _ -> (int) FREE.invokeExact(address));
  }

  public static long allocateAsync(long bytes, long stream) {
    return Driver.ask(
        "allocating " + bytes + " bytes on a stream",
        out -> (int) ALLOCATE_ASYNC.invokeExact(out, bytes, stream));
  }

  /**
   * Keeps so many bytes in the pool of {@link #allocateAsync}. It would give all of them back
   * whenever a thread waits for a stream, and take long to get them again.
   */
  public static void keepInPool(int device, long bytes) {
    long pool = Driver.ask("finding a pool", out -> (int) DEFAULT_POOL.invokeExact(out, device));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocateFrom(JAVA_LONG, bytes);
      Driver.check(
          Driver.invoke(
              limit, out -> (int) POOL_SET.invokeExact(pool, POOL_RELEASE_THRESHOLD, out)),
          "keeping memory in a pool");
    }
  }

  public static void freeAsync(long address, long stream) {
    Driver.run("freeing memory on a stream", _ -> (int) FREE_ASYNC.invokeExact(address, stream));
  }

  /** Returns an address, or 0 if there is not enough. */
  static long allocateHost(long bytes) {
    return orNothing(
        "pinning " + bytes + " bytes",
        out -> (int) HOST_ALLOCATE.invokeExact(out, bytes, HOST_PORTABLE));
  }

  static void freeHost(long address) {
    Driver.run("unpinning", _ -> (int) HOST_FREE.invokeExact(address));
  }

  static void fill(long address, byte value, long bytes, long stream) {
    Driver.run(
        "filling " + bytes + " bytes", _ -> (int) FILL.invokeExact(address, value, bytes, stream));
  }

  public static void copy(long target, long source, long bytes, long stream) {
    try {
      int code = (int) COPY.invokeExact(target, source, bytes, stream);
      if (code != Driver.SUCCESS) {
        throw Driver.failure(code, "copying " + bytes + " bytes");
      }
    } catch (Throwable e) {
      throw Driver.unchecked(e);
    }
  }

  /** Copies what a {@code CUDA_MEMCPY3D} describes. */
  public static void copyBox(MemorySegment description, long stream) {
    Driver.check(
        Driver.invoke(description, box -> (int) COPY_BOX.invokeExact(box, stream)),
        "copying a strided box");
  }

  /** Returns {@link #MEMORY_HOST} if pinned, {@link #MEMORY_DEVICE}, or 0 for other memory. */
  public static int memoryType(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment type = arena.allocate(JAVA_LONG);
      MemorySegment attributes = arena.allocateFrom(JAVA_INT, POINTER_MEMORY_TYPE);
      MemorySegment results = arena.allocateFrom(ADDRESS, type);
      Driver.check(
          Driver.invoke(
              results, out -> (int) POINTER_ATTRIBUTES.invokeExact(1, attributes, out, address)),
          "asking where memory lies");
      return type.get(JAVA_INT, 0);
    }
  }

  static boolean canReach(int device, int other) {
    return (int)
            Driver.ask(
                "asking whether GPUs are peers",
                out -> (int) CAN_REACH.invokeExact(out, device, other))
        != 0;
  }

  /** Lets the thread's context use the memory of another one. */
  static void reach(long context) {
    Driver.run("reaching the memory of another GPU", _ -> (int) REACH.invokeExact(context, 0));
  }

  /** Returns where the allocation of an address starts. */
  public static long allocationStart(long address) {
    return Driver.ask(
        "asking for an allocation",
        out -> (int) ADDRESS_RANGE.invokeExact(out, MemorySegment.NULL, address));
  }

  /** Returns the handle of an allocation, for other processes. */
  public static byte[] share(long start) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(MemorySharing.HANDLE_BYTES, 8);
      Driver.check(
          Driver.invoke(handle, out -> (int) IPC_GET.invokeExact(out, start)),
          "sharing memory with other processes");
      return handle.toArray(JAVA_BYTE);
    }
  }

  /** Maps an allocation of another process. */
  public static long map(byte[] handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, handle);
      return Driver.ask(
          "mapping memory of another process",
          out -> (int) IPC_OPEN.invokeExact(out, bytes, IPC_LAZY_PEER));
    }
  }

  public static void unmap(long address) {
    Driver.run("unmapping memory of another process", _ -> (int) IPC_CLOSE.invokeExact(address));
  }
}
