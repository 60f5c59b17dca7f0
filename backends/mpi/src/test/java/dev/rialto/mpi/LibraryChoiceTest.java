package dev.rialto.mpi;

import static org.assertj.core.api.Assertions.assertThat;

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
