package dev.rialto.system;

import java.util.List;

/**
 * A library that Rialto binds where it is installed, with its file names and folders on each
 * system.
 *
 * <p>Of names, the first is the usual one. A star in a name stands for a version; of several, the
 * highest is taken. In a folder, {@code $ARCH} is Debian's name of the processor and {@code %NAME%}
 * an environment variable.
 */
@SuppressWarnings("ImmutableEnumChecker") // its lists are those of List.of
public enum InstalledLibrary {
  /** Open MPI 4.1 and later. */
  OPEN_MPI(
      List.of("MPI_HOME"),
      linux("libmpi.so.40").in("/usr/lib64/openmpi/lib", "/usr/lib/$ARCH/openmpi/lib"),
      macos("libmpi.40.dylib", "libmpi.dylib")
          .in(
              "/opt/homebrew/opt/open-mpi/lib",
              "/usr/local/opt/open-mpi/lib",
              "/opt/local/lib/openmpi-mp"),
      windows()),
  /** MPICH 4.0 and later, and what has its binary interface. */
  MPICH(
      List.of("MPI_HOME", "I_MPI_ROOT"),
      linux("libmpich.so.12", "libmpi.so.12")
          .in("/usr/lib64/mpich/lib", "/usr/lib/$ARCH/mpich/lib"),
      macos("libmpi.12.dylib", "libmpich.dylib", "libmpi.dylib")
          .in("/opt/homebrew/opt/mpich/lib", "/usr/local/opt/mpich/lib", "/opt/local/lib/mpich-mp"),
      windows()),
  /** Any library with the binary interface that MPI 5 defines. */
  STANDARD_MPI(
      List.of("MPI_HOME"),
      linux("libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so")
          .in("/usr/lib64/mpich/lib", "/usr/lib64/openmpi/lib"),
      macos("libmpi_abi.1.dylib", "libmpi_abi.0.dylib", "libmpi_abi.dylib")
          .in("/opt/homebrew/opt/mpich/lib", "/usr/local/opt/mpich/lib"),
      windows()),
  /** Microsoft's MPI, which is recognised to be refused by its name. */
  MS_MPI(List.of("MSMPI_BIN"), linux(), macos(), windows("msmpi.dll")),
  /** FFTW 3 in double precision. */
  FFTW(
      List.of("RIALTO_FFTW", "FFTW_HOME"),
      linux("libfftw3.so.3", "libfftw3.so"),
      macos("libfftw3.3.dylib", "libfftw3.dylib"),
      windows("libfftw3-3.dll", "fftw3.dll")),
  /** FFTW 3 in single precision. */
  FFTW_SINGLE(
      List.of("RIALTO_FFTW", "FFTW_HOME"),
      linux("libfftw3f.so.3", "libfftw3f.so"),
      macos("libfftw3f.3.dylib", "libfftw3f.dylib"),
      windows("libfftw3f-3.dll", "fftw3f.dll")),
  /** zfp. */
  ZFP(
      List.of("RIALTO_ZFP"),
      linux("libzfp.so.1", "libzfp.so.0", "libzfp.so"),
      macos("libzfp.1.dylib", "libzfp.0.dylib", "libzfp.dylib"),
      windows("zfp.dll", "libzfp.dll")),
  /** GCC as a library. */
  GCCJIT(
      List.of("RIALTO_GCCJIT"),
      linux("libgccjit.so.0"),
      macos("libgccjit.0.dylib")
          .in(
              "/opt/homebrew/lib/gcc/current",
              "/usr/local/lib/gcc/current",
              "/opt/homebrew/opt/libgccjit/lib/gcc/current",
              "/usr/local/opt/libgccjit/lib/gcc/current"),
      windows("libgccjit-0.dll")),
  /** The driver of NVIDIA's GPUs. */
  CUDA_DRIVER(
      List.of("RIALTO_CUDA_HOME"),
      linux("libcuda.so.1", "libcuda.so")
          .in("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib"),
      macos(),
      windows("nvcuda.dll")),
  /** The compiler for NVIDIA's GPUs. */
  NVRTC(
      cudaHomes(),
      linux("libnvrtc.so", "libnvrtc.so.*", "libnvrtc.so.13", "libnvrtc.so.12").in(cudaFolders()),
      macos(),
      windows("nvrtc64_*_0.dll")),
  /** Transforms on NVIDIA's GPUs. */
  CUFFT(
      cudaHomes(),
      linux("libcufft.so", "libcufft.so.*", "libcufft.so.12", "libcufft.so.11").in(cudaFolders()),
      macos(),
      windows("cufft64_*.dll")),
  /** Communication between NVIDIA's GPUs. */
  NCCL(cudaHomes(), linux("libnccl.so.2", "libnccl.so").in(cudaFolders()), macos(), windows()),
  /** OpenCL's loader of drivers. */
  OPENCL(
      List.of("RIALTO_OPENCL"),
      linux("libOpenCL.so.1", "libOpenCL.so").in(cudaFolders()),
      macos("OpenCL").in("/System/Library/Frameworks/OpenCL.framework"),
      windows("OpenCL.dll")),
  /** OpenBLAS, which benchmarks compare with. */
  OPENBLAS(
      List.of("OPENBLAS_HOME"),
      linux("libopenblas.so.0", "libopenblas.so"),
      macos("libopenblas.0.dylib", "libopenblas.dylib")
          .in("/opt/homebrew/opt/openblas/lib", "/usr/local/opt/openblas/lib"),
      windows("libopenblas.dll", "openblas.dll"));

  /**
   * The names of a library on one system, and folders of its own.
   *
   * @param names file names; none if there is no such library for the system
   * @param folders to look in, besides those of all libraries
   */
  record Files(List<String> names, List<String> folders) {
    Files in(String... own) {
      return new Files(names, List.of(own));
    }
  }

  private final List<String> variables;
  private final Files linux;
  private final Files macos;
  private final Files windows;

  InstalledLibrary(List<String> variables, Files linux, Files macos, Files windows) {
    this.variables = variables;
    this.linux = linux;
    this.macos = macos;
    this.windows = windows;
  }

  /** Returns the environment variables that name a file, its folder, or the folder above that. */
  List<String> variables() {
    return variables;
  }

  /** Returns the names and folders on a system. */
  Files on(OperatingSystem system) {
    return switch (system) {
      case LINUX -> linux;
      case MACOS -> macos;
      case WINDOWS -> windows;
    };
  }

  static List<String> commonFolders(OperatingSystem system) {
    return switch (system) {
      case LINUX ->
          List.of("/usr/local/lib64", "/usr/local/lib", "/usr/lib64", "/usr/lib/$ARCH", "/usr/lib");
      case MACOS -> List.of("/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib");
      case WINDOWS ->
          List.of(
              "%SystemRoot%\\System32",
              "%ProgramFiles%\\Microsoft MPI\\Bin",
              "%CONDA_PREFIX%\\Library\\bin",
              "C:\\msys64\\ucrt64\\bin",
              "C:\\msys64\\mingw64\\bin");
    };
  }

  /** Returns where libraries lie below a folder that a variable names. */
  static List<String> below(OperatingSystem system) {
    return switch (system) {
      case LINUX ->
          List.of(
              "",
              "/lib64",
              "/lib",
              "/lib/release",
              "/targets/x86_64-linux/lib",
              "/targets/sbsa-linux/lib");
      case MACOS -> List.of("", "/lib");
      case WINDOWS -> List.of("", "\\bin", "\\bin\\x64", "\\lib\\x64");
    };
  }

  private static List<String> cudaHomes() {
    return List.of("RIALTO_CUDA_HOME", "CUDA_HOME", "CUDA_PATH");
  }

  private static String[] cudaFolders() {
    return new String[] {
      "/usr/local/cuda/lib64",
      "/usr/local/cuda/lib",
      "/usr/local/cuda/targets/x86_64-linux/lib",
      "/usr/local/cuda/targets/sbsa-linux/lib",
      "/opt/cuda/lib64",
      "/usr/local/nvidia/lib64",
      "/usr/local/nvidia/lib"
    };
  }

  private static Files linux(String... names) {
    return new Files(List.of(names), List.of());
  }

  private static Files macos(String... names) {
    return new Files(List.of(names), List.of());
  }

  private static Files windows(String... names) {
    return new Files(List.of(names), List.of());
  }
}
