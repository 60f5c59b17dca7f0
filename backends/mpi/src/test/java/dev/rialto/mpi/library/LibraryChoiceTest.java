package dev.rialto.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.mpi.MpiBackend;
import dev.rialto.mpi.launch.Launched;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Probe;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LibraryChoiceTest {
  @Test
  void aWordThatIsNoLibraryIsRefusedWithThoseThereAre() {
    LibraryChoice choice = LibraryChoice.make("lam", Optional.empty());
    assertThat(choice.library()).isEmpty();
    assertThat(choice.reason()).contains("'lam'").contains("openmpi, mpich, abi");
  }

  @Test
  void severalLibrariesUnderALauncherThatNamesNoneMustBeChosenFrom() {
    LibrarySearch here = LibrarySearch.here();
    assumeTrue(here.finds(InstalledLibrary.OPEN_MPI), "no Open MPI");
    assumeTrue(here.finds(InstalledLibrary.MPICH), "no MPICH");
    Launched bySlurm = new Launched(0, 8, List.of());
    LibraryChoice choice = LibraryChoice.make("", Optional.of(bySlurm));
    assertThat(choice.library()).isEmpty();
    assertThat(choice.reason()).contains("openmpi, mpich").contains("RIALTO_MPI");
  }

  @Test
  void aPathThatLeadsNowhereIsNamed() {
    LibraryChoice choice = LibraryChoice.make("/no/where/libmpi.so", Optional.empty());
    assertThat(choice.library()).isEmpty();
    assertThat(choice.reason()).contains("/no/where/libmpi.so");
  }

  @Test
  void aLibraryThatIsNotOfMpiIsRefused() {
    LibraryChoice choice = LibraryChoice.make("/lib/x86_64-linux-gnu/libm.so.6", Optional.empty());
    assertThat(choice.library()).isEmpty();
    assertThat(choice.reason()).contains("libm.so.6");
  }

  @Test
  void windowsIsToldWhatItCanUse() {
    assertThat(LibraryChoice.refused(LibrarySearch.here()).reason())
        .contains("--comm local")
        .contains("WSL");
  }

  @Test
  void aLibraryAndItsVersionAreTwoThings() {
    BackendProvider backend = new MpiBackend();
    assumeTrue(backend.probe() instanceof Probe.Available, "no MPI");
    assertThat(((Probe.Available) backend.probe()).libraries())
        .allMatch(library -> library.version().matches("\\d+\\.\\d.*"));
  }
}
