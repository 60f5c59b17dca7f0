package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.locks.ReentrantLock;

/**
 * OpenCL's functions for contexts, shared memory, queues and events.
 *
 * <p>They are apart from those that list devices, because linking them takes a good part of the
 * time of a command that only looks, such as {@code rialto info}.
 */
final class QueueFunctions {
  private static final long QUEUE_PROPERTIES = 0x1093;
  private static final long QUEUE_PROFILING = 2;
  private static final int EVENT_STATUS = 0x11D3;
  private static final int PROFILING_END = 0x1283;

  /** NVIDIA's driver has no memory for a thread that asks while another does. */
  private static final ReentrantLock ALLOCATING = new ReentrantLock();

  private static final MethodHandle CREATE_CONTEXT =
      OpenCl.make("clCreateContext", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  private static final MethodHandle CREATE_QUEUE =
      OpenCl.make("clCreateCommandQueueWithProperties", JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle RELEASE_QUEUE = OpenCl.of("clReleaseCommandQueue", JAVA_LONG);
  private static final MethodHandle FLUSH = OpenCl.of("clFlush", JAVA_LONG);
  private static final MethodHandle FINISH = OpenCl.of("clFinish", JAVA_LONG);
  private static final MethodHandle SVM_ALLOCATE =
      OpenCl.make("clSVMAlloc", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle SVM_FREE =
      OpenCl.LIBRARY.function("clSVMFree", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SVM_COPY =
      OpenCl.of(
          "clEnqueueSVMMemcpy",
          JAVA_LONG,
          JAVA_INT,
          ADDRESS,
          ADDRESS,
          JAVA_LONG,
          JAVA_INT,
          ADDRESS,
          ADDRESS);
  private static final MethodHandle SVM_FILL =
      OpenCl.of(
          "clEnqueueSVMMemFill",
          JAVA_LONG,
          JAVA_LONG,
          ADDRESS,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_INT,
          ADDRESS,
          ADDRESS);
  private static final MethodHandle MARKER =
      OpenCl.of("clEnqueueMarkerWithWaitList", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle BARRIER =
      OpenCl.of("clEnqueueBarrierWithWaitList", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle EVENT_INFO =
      OpenCl.of("clGetEventInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle EVENT_WAIT = OpenCl.of("clWaitForEvents", JAVA_INT, ADDRESS);
  private static final MethodHandle EVENT_RELEASE = OpenCl.of("clReleaseEvent", JAVA_LONG);
  private static final MethodHandle EVENT_PROFILING =
      OpenCl.of("clGetEventProfilingInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);

  private QueueFunctions() {}

  static long createContext(long device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
      MemorySegment none = MemorySegment.NULL;
      return OpenCl.create(
          "making a context",
          code -> (long) CREATE_CONTEXT.invokeExact(none, 1, devices, none, none, code));
    }
  }

  /** Returns an address, or 0 if there is not enough. */
  static long allocate(long context, long bytes) {
    ALLOCATING.lock();
    try {
      return (long) SVM_ALLOCATE.invokeExact(context, 1L, bytes, 0);
    } catch (Throwable e) {
      throw OpenCl.unchecked(e);
    } finally {
      ALLOCATING.unlock();
    }
  }

  static void free(long context, long address) {
    ALLOCATING.lock();
    try {
      SVM_FREE.invokeExact(context, address);
    } catch (Throwable e) {
      throw OpenCl.unchecked(e);
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
        OpenCl.code(
            () ->
                (int) SVM_COPY.invokeExact(queue, blocking, target, source, bytes, 0, none, none));
    if (code != 0) {
      throw OpenCl.failure(code, "copying " + bytes + " bytes");
    }
  }

  static void fillWithZeros(long queue, long address, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment zero = arena.allocate(1);
      MemorySegment none = MemorySegment.NULL;
      OpenCl.check(
          "filling " + bytes + " bytes with zeros",
          () -> (int) SVM_FILL.invokeExact(queue, address, zero, 1L, bytes, 0, none, none));
    }
  }

  /** Makes an in-order queue that takes times. */
  static long createQueue(long context, long device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties =
          arena.allocateFrom(JAVA_LONG, QUEUE_PROPERTIES, QUEUE_PROFILING, 0);
      return OpenCl.create(
          "making a queue",
          code -> (long) CREATE_QUEUE.invokeExact(context, device, properties, code));
    }
  }

  static void releaseQueue(long queue) {
    OpenCl.check("closing a queue", () -> (int) RELEASE_QUEUE.invokeExact(queue));
  }

  /** Has the device begin what was added. */
  static void flush(long queue) {
    OpenCl.check("work on the device", () -> (int) FLUSH.invokeExact(queue));
  }

  static void finish(long queue) {
    OpenCl.check("work on the device", () -> (int) FINISH.invokeExact(queue));
  }

  /** Adds an event behind everything in a queue. */
  static long mark(long queue) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(JAVA_LONG);
      OpenCl.check(
          "work on the device",
          () -> (int) MARKER.invokeExact(queue, 0, MemorySegment.NULL, event));
      flush(queue);
      return event.get(JAVA_LONG, 0);
    }
  }

  /** Makes what is added to a queue from now on wait for an event. */
  static void waitFor(long queue, long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment events = arena.allocateFrom(JAVA_LONG, event);
      OpenCl.check(
          "waiting for another stream",
          () -> (int) BARRIER.invokeExact(queue, 1, events, MemorySegment.NULL));
    }
  }

  /** Returns whether an event has ended; throws if it or what came before it failed. */
  static boolean isComplete(long event) {
    int status =
        (int)
            OpenCl.number(
                "asking an event",
                4,
                (size, value, actual) ->
                    (int) EVENT_INFO.invokeExact(event, EVENT_STATUS, size, value, actual));
    if (status < 0) {
      throw OpenCl.failure(status, "work on the device");
    }
    return status == 0;
  }

  static void await(long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment events = arena.allocateFrom(JAVA_LONG, event);
      OpenCl.check("work on the device", () -> (int) EVENT_WAIT.invokeExact(1, events));
    }
  }

  static void releaseEvent(long event) {
    OpenCl.check("releasing an event", () -> (int) EVENT_RELEASE.invokeExact(event));
  }

  /** Returns when an event ended, in nanoseconds of the device's clock. */
  static long ended(long event) {
    return OpenCl.number(
        "taking a time",
        8,
        (size, value, actual) ->
            (int) EVENT_PROFILING.invokeExact(event, PROFILING_END, size, value, actual));
  }
}
