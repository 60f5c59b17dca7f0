package dev.rialto.mpi.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class OriginMemoryTest {
  private final OriginMemory memory = new OriginMemory();

  @Test
  void whatIsCompleteMayBeFreed() {
    for (int i = 0; i < 3; i++) {
      try (Arena arena = Arena.ofConfined()) {
        memory.keep(arena.allocate(8));
        memory.keep(arena.allocate(8));
        assertThat(memory.completed()).isTrue();
      }
      assertThat(memory.completed()).isTrue();
    }
    assertThat(memory.release()).isTrue();
  }

  @Test
  void whatIsFreedBeforeIsNoticedOnce() {
    for (int i = 0; i < 3; i++) {
      keepFreed();
      assertThat(memory.completed()).isFalse();
      assertThat(memory.completed()).isTrue();
      keepFreed();
      assertThat(memory.release()).isFalse();
      assertThat(memory.release()).isTrue();
    }
  }

  @Test
  void eachOfSeveralArenasCounts() {
    try (Arena first = Arena.ofConfined()) {
      memory.keep(first.allocate(8));
      keepFreed();
      memory.keep(first.allocate(8));
      assertThat(memory.completed()).isFalse();
      memory.keep(first.allocate(8));
      assertThat(memory.completed()).isTrue();
    }
  }

  @Test
  void otherThreadsOperationsCount() throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      memory.keep(arena.allocate(8));
      Thread other = Thread.ofPlatform().start(this::keepFreed);
      other.join();
      assertThat(memory.completed()).isFalse();
      assertThat(memory.completed()).isTrue();
    }
  }

  private void keepFreed() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment origin = arena.allocate(8);
      memory.keep(origin);
    }
  }
}
