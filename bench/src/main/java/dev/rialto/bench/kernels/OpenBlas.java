package dev.rialto.bench.kernels;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** Matrix products by OpenBLAS, if it is installed. */
public final class OpenBlas {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANSPOSE = 111;

  private final SymbolLookup symbols;

  private OpenBlas(SymbolLookup symbols) {
    this.symbols = symbols;
  }

  public static Optional<OpenBlas> find(int threads) {
    Optional<OpenBlas> found =
        LibrarySearch.open(InstalledLibrary.OPENBLAS)
            .map(library -> new OpenBlas(library.symbols()));
    found.ifPresent(blas -> blas.use(threads));
    return found;
  }

  private void use(int threads) {
    MethodHandle set = function("openblas_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT));
    try {
      set.invokeExact(threads);
    } catch (Throwable e) {
      throw new AssertionError("native code throws nothing", e);
    }
  }

  @SuppressWarnings("restricted")
  private MethodHandle function(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), type);
  }

  /** Returns the milliseconds of c = a b for square matrices. */
  public double millis(boolean single, int n, MemorySegment a, MemorySegment b, MemorySegment c) {
    MemoryLayout real = single ? JAVA_FLOAT : JAVA_DOUBLE;
    MethodHandle gemm =
        function(
            single ? "cblas_sgemm" : "cblas_dgemm",
            FunctionDescriptor.ofVoid(
                JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, real, ADDRESS, JAVA_INT,
                ADDRESS, JAVA_INT, real, ADDRESS, JAVA_INT));
    long start = System.nanoTime();
    try {
      if (single) {
        gemm.invokeExact(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, 1f, a, n, b, n, 0f, c, n);
      } else {
        gemm.invokeExact(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, 1d, a, n, b, n, 0d, c, n);
      }
    } catch (Throwable e) {
      throw new AssertionError("native code throws nothing", e);
    }
    return (System.nanoTime() - start) / 1e6;
  }
}
