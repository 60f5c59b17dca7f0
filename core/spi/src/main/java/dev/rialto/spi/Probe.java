package dev.rialto.spi;

import java.util.List;

/** Whether a backend can be used on this machine. */
public sealed interface Probe {
  /**
   * It can.
   *
   * @param devices what it offers to run on, such as {@code cpu:0 (8 cores)}; may be empty
   * @param libraries the native libraries it found; may be empty
   */
  record Available(List<String> devices, List<Library> libraries) implements Probe {
    /** Copies the lists. */
    public Available {
      devices = List.copyOf(devices);
      libraries = List.copyOf(libraries);
    }
  }

  /**
   * It can't.
   *
   * @param reason why, such as {@code libcuda.so.1 not found}
   * @param remedy what would make it usable; may be empty
   */
  record Unavailable(String reason, String remedy) implements Probe {}

  /**
   * A native library.
   *
   * @param name such as {@code libmpi}
   * @param version as the library itself tells it
   * @param path where it was found
   */
  record Library(String name, String version, String path) {}
}
