package dev.rialto.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
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
    assumeTrue(Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libmpi.so.40")), "no Open MPI");
    assumeTrue(Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libmpich.so.12")), "no MPICH");
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
}
