package dev.rialto.mpi.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class HeldMemoryTest {
  @Test
  void anArenaCanBeClosedAsSoonAsItsMemoryIsLetGo() {
    for (int i = 0; i < 200; i++) {
      Arena arena = Arena.ofShared();
      HeldMemory held = HeldMemory.of(arena.allocate(8));
      assertThatIllegalStateException().isThrownBy(arena::close);
      held.close();
      arena.close();
      assertThat(arena.scope().isAlive()).isFalse();
    }
  }
}
