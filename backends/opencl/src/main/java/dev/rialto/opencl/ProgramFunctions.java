package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** OpenCL's functions for programs and kernels, linked when the first is compiled. */
final class ProgramFunctions {
  private static final int PROGRAM_BINARY_SIZES = 0x1165;
  private static final int PROGRAM_BINARIES = 0x1166;
  private static final int PROGRAM_BUILD_LOG = 0x1183;
  private static final int KERNEL_WORK_GROUP_SIZE = 0x11B0;
  private static final MethodHandle PROGRAM_SOURCE =
      OpenCl.make("clCreateProgramWithSource", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
  private static final MethodHandle PROGRAM_BINARY =
      OpenCl.make(
          "clCreateProgramWithBinary",
          JAVA_LONG,
          JAVA_INT,
          ADDRESS,
          ADDRESS,
          ADDRESS,
          ADDRESS,
          ADDRESS);
  private static final MethodHandle PROGRAM_BUILD =
      OpenCl.of("clBuildProgram", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  private static final MethodHandle PROGRAM_BUILD_INFO =
      OpenCl.of(
          "clGetProgramBuildInfo", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle PROGRAM_INFO =
      OpenCl.of("clGetProgramInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle PROGRAM_RELEASE = OpenCl.of("clReleaseProgram", JAVA_LONG);
  private static final MethodHandle CREATE_KERNEL =
      OpenCl.make("clCreateKernel", JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle KERNEL_RELEASE = OpenCl.of("clReleaseKernel", JAVA_LONG);
  private static final MethodHandle KERNEL_POINTER =
      OpenCl.of("clSetKernelArgSVMPointer", JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle KERNEL_ARGUMENT =
      OpenCl.of("clSetKernelArg", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS);
  private static final MethodHandle KERNEL_GROUP_INFO =
      OpenCl.of(
          "clGetKernelWorkGroupInfo", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle LAUNCH =
      OpenCl.of(
          "clEnqueueNDRangeKernel",
          JAVA_LONG,
          JAVA_LONG,
          JAVA_INT,
          ADDRESS,
          ADDRESS,
          ADDRESS,
          JAVA_INT,
          ADDRESS,
          ADDRESS);

  private ProgramFunctions() {}

  static long programWithSource(long context, String text) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment texts = arena.allocateFrom(ADDRESS, arena.allocateFrom(text));
      return OpenCl.create(
          "taking a program's text",
          code -> (long) PROGRAM_SOURCE.invokeExact(context, 1, texts, MemorySegment.NULL, code));
    }
  }

  static long programWithBinary(long context, long device, byte[] image) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, image);
      MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
      MemorySegment sizes = arena.allocateFrom(JAVA_LONG, image.length);
      MemorySegment images = arena.allocateFrom(ADDRESS, bytes);
      MemorySegment status = arena.allocate(JAVA_INT);
      return OpenCl.create(
          "loading a program",
          code ->
              (long) PROGRAM_BINARY.invokeExact(context, 1, devices, sizes, images, status, code));
    }
  }

  /** Builds a program and returns what the compiler said if it does not compile. */
  static Optional<String> build(long program, long device, String options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
      MemorySegment text = arena.allocateFrom(options);
      MemorySegment none = MemorySegment.NULL;
      int code =
          OpenCl.code(() -> (int) PROGRAM_BUILD.invokeExact(program, 1, devices, text, none, none));
      if (code == 0) {
        return Optional.empty();
      }
      String log =
          OpenCl.text(
              "asking for the compiler's log",
              (size, value, actual) ->
                  (int)
                      PROGRAM_BUILD_INFO.invokeExact(
                          program, device, PROGRAM_BUILD_LOG, size, value, actual));
      return Optional.of(
          OpenCl.failure(code, "compiling").getMessage() + (log.isEmpty() ? "" : "\n" + log));
    }
  }

  /** Returns a built program's machine code. */
  static byte[] image(long program) {
    long size =
        OpenCl.number(
            "asking for a program's size",
            8,
            (bytes, value, actual) ->
                (int)
                    PROGRAM_INFO.invokeExact(program, PROGRAM_BINARY_SIZES, bytes, value, actual));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment image = arena.allocate(Math.max(1, size));
      MemorySegment images = arena.allocateFrom(ADDRESS, image);
      OpenCl.check(
          "asking for a program's code",
          () ->
              (int)
                  PROGRAM_INFO.invokeExact(
                      program, PROGRAM_BINARIES, images.byteSize(), images, MemorySegment.NULL));
      return image.asSlice(0, size).toArray(JAVA_BYTE);
    }
  }

  static void releaseProgram(long program) {
    OpenCl.check("releasing a program", () -> (int) PROGRAM_RELEASE.invokeExact(program));
  }

  static long createKernel(long program, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      return OpenCl.create(
          "finding kernel " + name, code -> (long) CREATE_KERNEL.invokeExact(program, text, code));
    }
  }

  static void releaseKernel(long kernel) {
    OpenCl.check("releasing a kernel", () -> (int) KERNEL_RELEASE.invokeExact(kernel));
  }

  /** Returns the most items that can be in a group. */
  static int groupSize(long kernel, long device) {
    return (int)
        OpenCl.number(
            "asking for the size of a group",
            8,
            (size, value, actual) ->
                (int)
                    KERNEL_GROUP_INFO.invokeExact(
                        kernel, device, KERNEL_WORK_GROUP_SIZE, size, value, actual));
  }

  static void setPointer(long kernel, int index, long address) {
    checkArgument(index, () -> (int) KERNEL_POINTER.invokeExact(kernel, index, address));
  }

  static void setValue(long kernel, int index, MemorySegment value) {
    checkArgument(
        index, () -> (int) KERNEL_ARGUMENT.invokeExact(kernel, index, value.byteSize(), value));
  }

  private static void checkArgument(int index, OpenCl.Call call) {
    int code = OpenCl.code(call);
    if (code != 0) {
      throw OpenCl.failure(code, "passing argument " + index);
    }
  }

  /** Adds a launch over {@code groups} groups of {@code items} items each. */
  static void launch(long queue, long kernel, long groups, long items, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment global = arena.allocateFrom(JAVA_LONG, groups * items);
      MemorySegment local = arena.allocateFrom(JAVA_LONG, items);
      MemorySegment none = MemorySegment.NULL;
      int code =
          OpenCl.code(
              () -> (int) LAUNCH.invokeExact(queue, kernel, 1, none, global, local, 0, none, none));
      if (code != 0) {
        throw OpenCl.failure(code, "launching " + name + " over " + groups + " groups of " + items);
      }
    }
  }
}
