package dev.rialto.system;

import static dev.rialto.system.OperatingSystem.LINUX;
import static dev.rialto.system.OperatingSystem.MACOS;
import static dev.rialto.system.OperatingSystem.WINDOWS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Places of libraries, on file systems that are made for the test. */
class LibrarySearchTest {
  /** A machine: its variables and the files it has. */
  private static final class Fake {
    private final OperatingSystem system;
    private final String architecture;
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, List<String>> folders = new HashMap<>();

    Fake(OperatingSystem system, String architecture) {
      this.system = system;
      this.architecture = architecture;
    }

    Fake with(String variable, String value) {
      environment.put(variable, value);
      return this;
    }

    Fake file(String path) {
      int end = path.lastIndexOf(system.separator());
      folders
          .computeIfAbsent(path.substring(0, end), folder -> new ArrayList<>())
          .add(path.substring(end + 1));
      return this;
    }

    LibrarySearch search() {
      return new LibrarySearch(
          system,
          architecture,
          environment::get,
          folder -> folders.getOrDefault(folder, List.of()));
    }

    List<String> places(InstalledLibrary library) {
      return search().places(library);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "LINUX, amd64, OPEN_MPI, /usr/lib/x86_64-linux-gnu/libmpi.so.40",
    "LINUX, amd64, OPEN_MPI, /usr/lib64/openmpi/lib/libmpi.so.40",
    "LINUX, amd64, MPICH, /usr/lib64/mpich/lib/libmpi.so.12",
    "LINUX, aarch64, OPEN_MPI, /usr/lib/aarch64-linux-gnu/libmpi.so.40",
    "LINUX, aarch64, FFTW, /usr/lib/aarch64-linux-gnu/libfftw3.so.3",
    "LINUX, ppc64le, ZFP, /usr/lib/powerpc64le-linux-gnu/libzfp.so.1",
    "LINUX, riscv64, GCCJIT, /usr/lib/riscv64-linux-gnu/libgccjit.so.0",
    "LINUX, amd64, CUDA_DRIVER, /usr/lib/wsl/lib/libcuda.so.1",
    "LINUX, amd64, NVRTC, /usr/local/cuda/lib64/libnvrtc.so.13",
    "LINUX, aarch64, NVRTC, /usr/local/cuda/targets/sbsa-linux/lib/libnvrtc.so.13",
    "LINUX, amd64, NCCL, /usr/lib/x86_64-linux-gnu/libnccl.so.2",
    "LINUX, amd64, OPENCL, /usr/lib/x86_64-linux-gnu/libOpenCL.so.1",
    "MACOS, aarch64, OPEN_MPI, /opt/homebrew/lib/libmpi.40.dylib",
    "MACOS, x86_64, OPEN_MPI, /usr/local/lib/libmpi.40.dylib",
    "MACOS, aarch64, OPEN_MPI, /opt/local/lib/openmpi-mp/libmpi.40.dylib",
    "MACOS, aarch64, MPICH, /opt/homebrew/opt/mpich/lib/libmpi.12.dylib",
    "MACOS, aarch64, MPICH, /opt/local/lib/mpich-mp/libmpi.12.dylib",
    "MACOS, aarch64, FFTW, /opt/homebrew/lib/libfftw3.3.dylib",
    "MACOS, aarch64, FFTW_SINGLE, /opt/local/lib/libfftw3f.3.dylib",
    "MACOS, x86_64, ZFP, /usr/local/lib/libzfp.1.dylib",
    "MACOS, aarch64, GCCJIT, /opt/homebrew/lib/gcc/current/libgccjit.0.dylib",
    "WINDOWS, amd64, CUDA_DRIVER, C:\\Windows\\System32\\nvcuda.dll",
    "WINDOWS, amd64, NVRTC, D:\\CUDA\\bin\\nvrtc64_120_0.dll",
    "WINDOWS, amd64, CUFFT, D:\\CUDA\\bin\\x64\\cufft64_12.dll",
    "WINDOWS, amd64, MS_MPI, C:\\Windows\\System32\\msmpi.dll",
    "WINDOWS, amd64, MS_MPI, C:\\Program Files\\Microsoft MPI\\Bin\\msmpi.dll",
    "WINDOWS, amd64, FFTW, E:\\tools\\libfftw3-3.dll",
    "WINDOWS, amd64, GCCJIT, C:\\msys64\\ucrt64\\bin\\libgccjit-0.dll"
  })
  void whereAPackageManagerPutsItItIsFound(
      OperatingSystem system, String architecture, InstalledLibrary library, String path) {
    Fake machine = new Fake(system, architecture).file(path);
    if (system == WINDOWS) {
      machine
          .with("SystemRoot", "C:\\Windows")
          .with("ProgramFiles", "C:\\Program Files")
          .with("CUDA_PATH", "D:\\CUDA")
          .with("PATH", "C:\\Windows;E:\\tools");
    }
    assertThat(machine.search().finds(library)).isTrue();
    assertThat(machine.places(library)).contains(path);
  }

  @Test
  void itsVariableComesFirstThenTheLoadersThenTheLoaderThenUsualFolders() {
    Fake machine =
        new Fake(LINUX, "amd64")
            .with("RIALTO_FFTW", "/own")
            .with("LD_LIBRARY_PATH", ":/module/lib")
            .file("/usr/lib64/libfftw3.so.3")
            .file("/module/lib/libfftw3.so.3")
            .file("/own/lib/libfftw3.so.3");
    assertThat(machine.places(InstalledLibrary.FFTW))
        .containsExactly(
            "/own/lib/libfftw3.so.3",
            "/module/lib/libfftw3.so.3",
            "libfftw3.so.3",
            "libfftw3.so",
            "/usr/lib64/libfftw3.so.3");
  }

  @ParameterizedTest
  @CsvSource({"/own/libzfp.so.7", "/own"})
  void aVariableMayNameTheFileOrItsFolder(String value) {
    Fake machine =
        new Fake(LINUX, "amd64")
            .with("RIALTO_ZFP", value)
            .file("/own/libzfp.so.7")
            .file("/own/libzfp.so.1");
    assertThat(machine.places(InstalledLibrary.ZFP))
        .startsWith(value.equals("/own") ? "/own/libzfp.so.1" : value);
  }

  @Test
  void ofSeveralVersionsTheHighestIsTriedFirst() {
    Fake machine =
        new Fake(LINUX, "amd64")
            .file("/usr/local/cuda/lib64/libnvrtc.so.9")
            .file("/usr/local/cuda/lib64/libnvrtc.so.12.4.1")
            .file("/usr/local/cuda/lib64/libnvrtc.so.12")
            .file("/usr/local/cuda/lib64/libnvrtc.alt.so.13")
            .file("/usr/local/cuda/lib64/libnvrtc-builtins.so.13");
    assertThat(machine.places(InstalledLibrary.NVRTC))
        .filteredOn(place -> place.startsWith("/"))
        .containsExactly(
            "/usr/local/cuda/lib64/libnvrtc.so.12.4.1",
            "/usr/local/cuda/lib64/libnvrtc.so.12",
            "/usr/local/cuda/lib64/libnvrtc.so.9");
  }

  @Test
  void anUnsetVariableInAFolderLeavesTheFolderOut() {
    assertThat(new Fake(WINDOWS, "amd64").places(InstalledLibrary.CUDA_DRIVER))
        .containsExactly("nvcuda.dll");
  }

  @Test
  void aLibraryThatASystemDoesNotHaveIsNowhere() {
    assertThat(new Fake(WINDOWS, "amd64").places(InstalledLibrary.NCCL)).isEmpty();
    assertThat(new Fake(WINDOWS, "amd64").search().name(InstalledLibrary.NCCL)).contains("NCCL");
    assertThat(new Fake(MACOS, "aarch64").search().finds(InstalledLibrary.CUDA_DRIVER)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void everyLibraryHasANameSomewhere(InstalledLibrary library) {
    assertThat(OperatingSystem.values()).anyMatch(system -> !library.on(system).names().isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"Linux, LINUX", "Mac OS X, MACOS", "Windows Server 2025, WINDOWS", "AIX, LINUX"})
  void theJvmsNameTellsTheSystem(String name, OperatingSystem system) {
    assertThat(OperatingSystem.named(name)).isEqualTo(system);
  }

  @Test
  void theSystemsOwnLibrariesAreOpened() {
    assertThat(LibrarySearch.here().name(InstalledLibrary.FFTW)).contains("fftw3");
    assertThat(LibrarySearch.open(InstalledLibrary.FFTW).stream())
        .allMatch(library -> library.symbols().find("fftw_version").isPresent());
  }
}
