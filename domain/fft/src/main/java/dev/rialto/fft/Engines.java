package dev.rialto.fft;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Capability;
import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.fft.FftEngine;
import java.util.List;
import java.util.stream.Collectors;

/** The engines that the backends on the class path offer, by name. */
public final class Engines {
  /** The engine that is used unless another is asked for; every installation has it. */
  public static final String EMBEDDED = "java";

  private Engines() {}

  /** Returns all engines that can be used here. */
  public static List<FftEngine> all() {
    return Backends.all().stream()
        .filter(backend -> backend.capabilities().contains(Capability.FFT))
        .map(BackendProvider::fftEngine)
        .toList();
  }

  /**
   * Returns an engine.
   *
   * @throws BackendException if there is none of that name here, with those there are
   */
  public static FftEngine get(String name) {
    List<FftEngine> all = all();
    return all.stream()
        .filter(engine -> engine.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new BackendException(
                    "there is no engine '" + name + "'",
                    "",
                    "those that can be used here: "
                        + all.stream().map(FftEngine::name).collect(Collectors.joining(", "))
                        + "; 'rialto info' says what others lack",
                    null));
  }
}
