package dev.rialto.fftw;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.fft.FftEngine;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The backend {@code fftw}: transforms of host memory by the FFTW library that is installed. */
public final class FftwBackend implements BackendProvider {
  private static final String REMEDY =
      "install FFTW 3 (apt install libfftw3-double3 libfftw3-single3, or brew install fftw), or set"
          + " RIALTO_FFTW to the folder of its libraries";

  /** Makes a provider; nothing is loaded before it is asked for. */
  public FftwBackend() {}

  @Override
  public String name() {
    return "fftw";
  }

  @Override
  public String description() {
    return "transforms by the FFTW library that is installed";
  }

  @Override
  public Probe probe() {
    List<Library> found =
        Stream.of(DType.F64, DType.F32).map(Library::of).flatMap(Optional::stream).toList();
    return found.isEmpty()
        ? new Probe.Unavailable("neither libfftw3 nor libfftw3f was found", REMEDY)
        : new Probe.Available(
            List.of(),
            found.stream().map(l -> new Probe.Library(l.name(), l.version(), l.path())).toList());
  }

  @Override
  public Set<Capability> capabilities() {
    return probe() instanceof Probe.Available ? Set.of(Capability.FFT) : Set.of();
  }

  @Override
  public FftEngine fftEngine() {
    if (probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      throw new BackendException(reason, "", remedy, null);
    }
    return new FftwEngine();
  }
}
