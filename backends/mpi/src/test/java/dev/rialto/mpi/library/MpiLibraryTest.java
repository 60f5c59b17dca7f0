package dev.rialto.mpi.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Descriptions of the libraries, tested without them. */
class MpiLibraryTest {
  private static final SymbolLookup NO_SYMBOLS = _ -> Optional.empty();

  @Test
  void predefinedHandlesDifferFromOneAnother() {
    assertThat(handles(MpiLibrary.MPICH)).hasSize(Predefined.values().length);
    assertThat(handles(MpiLibrary.STANDARD_ABI)).hasSize(Predefined.values().length);
  }

  private static long[] handles(MpiLibrary library) {
    return Arrays.stream(Predefined.values())
        .mapToLong(which -> library.handle(which, NO_SYMBOLS))
        .distinct()
        .toArray();
  }

  @Test
  void openMpisHandlesAreTheAddressesOfItsVariables() {
    SymbolLookup symbols =
        name -> Optional.of(MemorySegment.ofAddress("ompi_mpi_double".equals(name) ? 80 : 8));
    assertThat(MpiLibrary.OPEN_MPI.handle(Predefined.DOUBLE, symbols)).isEqualTo(80);
  }

  @Test
  void aStatusOfOpenMpiHoldsItsLengthAfterTheCancelledFlag() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(24, 8);
      status.setAtIndex(JAVA_INT, 3, 1);
      status.setAtIndex(JAVA_LONG, 2, (5L << 32) + 7);
      MpiLibrary library = MpiLibrary.OPEN_MPI;
      assertThat(library.bytes(status.address())).isEqualTo((5L << 32) + 7);
      assertThat(library.cancelled(status.address())).isTrue();
      status.setAtIndex(JAVA_INT, 3, 0);
      assertThat(library.cancelled(status.address())).isFalse();
    }
  }

  @Test
  void aStatusOfMpichHoldsItsLengthAroundTheCancelledBit() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(20, 8);
      status.setAtIndex(JAVA_INT, 0, -2);
      status.setAtIndex(JAVA_INT, 1, 3 << 1 | 1);
      MpiLibrary library = MpiLibrary.MPICH;
      assertThat(library.bytes(status.address())).isEqualTo((3L << 32) + 0xFFFFFFFEL);
      assertThat(library.cancelled(status.address())).isTrue();
    }
  }
}
