package dev.rialto.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The CUDA toolkit of this machine. */
public final class Toolkit {
  private Toolkit() {}

  /** Returns its folder, if it is installed. */
  public static Optional<Path> home() {
    return Stream.of(
            System.getenv("RIALTO_CUDA_HOME"), System.getenv("CUDA_HOME"), "/usr/local/cuda")
        .filter(home -> home != null && Files.exists(Path.of(home, "include", "cuda.h")))
        .map(Path::of)
        .findFirst();
  }

  /** Compiles a peer in CUDA C++ for this machine's GPU; nothing if there is no compiler. */
  public static Optional<Path> compile(String resource, Path folder) {
    return home()
        .map(home -> home.resolve("bin", "nvcc"))
        .filter(Files::exists)
        .flatMap(nvcc -> Peer.compile(resource, folder, nvcc.toString(), "-O2", "-arch=native"));
  }
}
