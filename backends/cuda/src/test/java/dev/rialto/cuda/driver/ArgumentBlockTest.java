package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cuda.LoadedKernel;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ArgumentBlockTest {
  @SuppressWarnings("restricted")
  private static long value(ArgumentBlock block, int index) {
    MemorySegment pointer = block.pointers().getAtIndex(ADDRESS, index);
    return pointer.reinterpret(Long.BYTES).get(JAVA_LONG, 0);
  }

  @Test
  void eachPointerLeadsToItsValue() {
    try (ArgumentBlock block = new ArgumentBlock()) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 16; i++) {
          block.set(i, 100L * round + i);
        }
        for (int i = 0; i < 16; i++) {
          assertThat(value(block, i)).isEqualTo(100L * round + i);
        }
      }
    }
  }

  @Test
  void itGrowsForKernelsOfManyBuffers() {
    try (ArgumentBlock block = new ArgumentBlock()) {
      block.reserve(100);
      block.set(99, -1);
      assertThat(value(block, 99)).isEqualTo(-1);
    }
  }

  @Test
  void everyItemHasAThreadUpToTheLimit() {
    assertThat(LoadedKernel.blocks(1, 256)).isEqualTo(1);
    assertThat(LoadedKernel.blocks(256, 256)).isEqualTo(1);
    assertThat(LoadedKernel.blocks(257, 256)).isEqualTo(2);
    assertThat(LoadedKernel.blocks(Long.MAX_VALUE, 256)).isEqualTo(Integer.MAX_VALUE);
  }
}
