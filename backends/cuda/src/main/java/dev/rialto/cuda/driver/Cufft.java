package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** NVIDIA's library of Fourier transforms: the functions that plans of lines need. */
public final class Cufft {
  private static final class Found {
    static final Optional<Cufft> LIBRARY =
        LibrarySearch.open(InstalledLibrary.CUFFT).map(Cufft::new);
  }

  private static final int DOUBLE = 0x40;
  private static final int REAL_TO_COMPLEX = 0x2a;
  private static final int COMPLEX_TO_REAL = 0x2c;
  private static final int COMPLEX = 0x29;

  private final String path;
  private final String version;
  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle automatic;
  private final MethodHandle plan;
  private final MethodHandle stream;
  private final MethodHandle workArea;
  private final MethodHandle execute;

  private Cufft(OpenLibrary library) {
    this.path = library.path();
    this.create = function(library, "cufftCreate", ADDRESS);
    this.destroy = function(library, "cufftDestroy", JAVA_INT);
    this.automatic = function(library, "cufftSetAutoAllocation", JAVA_INT, JAVA_INT);
    this.plan =
        function(
            library,
            "cufftMakePlanMany64",
            JAVA_INT,
            JAVA_INT,
            ADDRESS,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            JAVA_LONG,
            ADDRESS);
    this.stream = function(library, "cufftSetStream", JAVA_INT, JAVA_LONG);
    this.workArea = function(library, "cufftSetWorkArea", JAVA_INT, JAVA_LONG);
    this.execute = function(library, "cufftXtExec", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    MethodHandle ask = function(library, "cufftGetVersion", ADDRESS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      check((int) ask.invokeExact(number), "asking cuFFT's version");
      int all = number.get(JAVA_INT, 0);
      this.version = all / 1000 + "." + all / 100 % 10 + "." + all % 100;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static MethodHandle function(
      OpenLibrary library, String name, MemoryLayout... parameters) {
    return library.function(name, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  /** Returns the library, if it is installed. */
  public static Optional<Cufft> find() {
    return Found.LIBRARY;
  }

  public String path() {
    return path;
  }

  public String version() {
    return version;
  }

  /**
   * A plan of the library's, for one plane of lines.
   *
   * @param handle the library's number
   * @param workBytes what an execution needs
   */
  public record Handle(int handle, long workBytes) {}

  /** Makes a plan of one plane of lines on a driver's stream; the caller is in the context. */
  public Handle plan(FftSpec spec, long onStream) {
    long[] length = {spec.length()};
    long[] in = {spec.inStride(), spec.inDistance()};
    long[] out = {spec.outStride(), spec.outDistance()};
    int type = type(spec.kind(), spec.precision());
    return plan(length, in, out, type, spec.lines(), onStream, spec);
  }

  /** Makes a plan of several axes on a driver's stream; the caller is in the context. */
  public Handle plan(FftBox box, long onStream) {
    long[] extents = box.extents().stream().mapToLong(Long::longValue).toArray();
    int type = type(box.kind(), box.precision());
    return plan(extents, new long[0], new long[0], type, box.batch(), onStream, box);
  }

  /**
   * Makes a plan.
   *
   * @param in the stride and distance of the input; none if it has no gaps
   * @param out those of the output
   */
  private Handle plan(
      long[] extents, long[] in, long[] out, int type, long batch, long onStream, Object what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      check((int) create.invokeExact(number), "making a cuFFT plan");
      int handle = number.get(JAVA_INT, 0);
      try {
        check((int) automatic.invokeExact(handle, 0), "making a cuFFT plan");
        MemorySegment lengths = arena.allocateFrom(JAVA_LONG, extents);
        boolean dense = in.length == 0;
        MemorySegment embedded = dense ? MemorySegment.NULL : lengths;
        MemorySegment work = arena.allocate(JAVA_LONG);
        check(
            (int)
                plan.invokeExact(
                    handle,
                    extents.length,
                    lengths,
                    embedded,
                    dense ? 1L : in[0],
                    dense ? 0L : in[1],
                    embedded,
                    dense ? 1L : out[0],
                    dense ? 0L : out[1],
                    type,
                    batch,
                    work),
            "making a cuFFT plan for " + what);
        setStream(handle, onStream);
        return new Handle(handle, work.get(JAVA_LONG, 0));
      } catch (RuntimeException e) {
        destroy(handle);
        throw e;
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void setStream(int handle, long onStream) {
    try {
      check((int) stream.invokeExact(handle, onStream), "giving a cuFFT plan its stream");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static int type(FftSpec.Kind kind, DType precision) {
    int single =
        switch (kind) {
          case REAL_TO_COMPLEX -> REAL_TO_COMPLEX;
          case COMPLEX_TO_REAL -> COMPLEX_TO_REAL;
          default -> COMPLEX;
        };
    return precision.size() == Double.BYTES ? single | DOUBLE : single;
  }

  public void setWorkArea(int handle, long address) {
    try {
      check((int) workArea.invokeExact(handle, address), "giving a cuFFT plan its workspace");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Adds an execution to the plan's stream; {@code direction} is -1 forward, 1 inverse. */
  public void execute(int handle, long in, long out, int direction) {
    try {
      check((int) execute.invokeExact(handle, in, out, direction), "executing a cuFFT plan");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void destroy(int handle) {
    try {
      check((int) destroy.invokeExact(handle), "giving a cuFFT plan back");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static void check(int result, String what) {
    if (result != 0) {
      throw new DeviceException(
          what + " failed with cuFFT's code " + result + " (" + name(result) + ")",
          "cuda",
          result == 2 ? "close what is no longer needed" : "",
          null);
    }
  }

  private static String name(int result) {
    return switch (result) {
      case 1 -> "CUFFT_INVALID_PLAN";
      case 2 -> "CUFFT_ALLOC_FAILED";
      case 4 -> "CUFFT_INVALID_VALUE";
      case 5 -> "CUFFT_INTERNAL_ERROR";
      case 6 -> "CUFFT_EXEC_FAILED";
      case 7 -> "CUFFT_SETUP_FAILED";
      case 8 -> "CUFFT_INVALID_SIZE";
      default -> "see cufft.h";
    };
  }

  private static RuntimeException unchecked(Throwable e) {
    return switch (e) {
      case RuntimeException known -> known;
      case Error error -> throw error;
      default -> new IllegalStateException("native code throws nothing", e);
    };
  }
}
