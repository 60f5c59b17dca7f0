package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;

/**
 * The functions of OpenCL that a device is used with, which {@link OpenCl} calls.
 *
 * <p>They are apart from those that list devices, because linking them takes a good part of the
 * time of a command that only looks, such as {@code rialto info}.
 */
final class DeviceFunctions {
  static final MethodHandle CREATE_CONTEXT =
      make("clCreateContext", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle CREATE_QUEUE =
      make("clCreateCommandQueueWithProperties", JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle RELEASE_QUEUE = OpenCl.of("clReleaseCommandQueue", JAVA_LONG);
  static final MethodHandle FLUSH = OpenCl.of("clFlush", JAVA_LONG);
  static final MethodHandle FINISH = OpenCl.of("clFinish", JAVA_LONG);
  static final MethodHandle SVM_ALLOCATE =
      make("clSVMAlloc", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  static final MethodHandle SVM_FREE =
      OpenCl.LIBRARY.function("clSVMFree", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
  static final MethodHandle SVM_COPY =
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
  static final MethodHandle SVM_FILL =
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
  static final MethodHandle MARKER =
      OpenCl.of("clEnqueueMarkerWithWaitList", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
  static final MethodHandle BARRIER =
      OpenCl.of("clEnqueueBarrierWithWaitList", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
  static final MethodHandle EVENT_INFO =
      OpenCl.of("clGetEventInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle EVENT_WAIT = OpenCl.of("clWaitForEvents", JAVA_INT, ADDRESS);
  static final MethodHandle EVENT_RELEASE = OpenCl.of("clReleaseEvent", JAVA_LONG);
  static final MethodHandle EVENT_PROFILING =
      OpenCl.of("clGetEventProfilingInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle PROGRAM_SOURCE =
      make("clCreateProgramWithSource", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle PROGRAM_BINARY =
      make(
          "clCreateProgramWithBinary",
          JAVA_LONG,
          JAVA_INT,
          ADDRESS,
          ADDRESS,
          ADDRESS,
          ADDRESS,
          ADDRESS);
  static final MethodHandle PROGRAM_BUILD =
      OpenCl.of("clBuildProgram", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle PROGRAM_BUILD_INFO =
      OpenCl.of(
          "clGetProgramBuildInfo", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle PROGRAM_INFO =
      OpenCl.of("clGetProgramInfo", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle PROGRAM_RELEASE = OpenCl.of("clReleaseProgram", JAVA_LONG);
  static final MethodHandle CREATE_KERNEL = make("clCreateKernel", JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle KERNEL_RELEASE = OpenCl.of("clReleaseKernel", JAVA_LONG);
  static final MethodHandle KERNEL_POINTER =
      OpenCl.of("clSetKernelArgSVMPointer", JAVA_LONG, JAVA_INT, JAVA_LONG);
  static final MethodHandle KERNEL_ARGUMENT =
      OpenCl.of("clSetKernelArg", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS);
  static final MethodHandle KERNEL_GROUP_INFO =
      OpenCl.of(
          "clGetKernelWorkGroupInfo", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle LAUNCH =
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

  private DeviceFunctions() {}

  /** A function that returns a handle or an address. */
  private static MethodHandle make(String symbol, MemoryLayout... parameters) {
    return OpenCl.LIBRARY.function(symbol, FunctionDescriptor.of(JAVA_LONG, parameters));
  }
}
