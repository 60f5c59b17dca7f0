package dev.rialto.system;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Memory that enters Rialto is checked, and held while work goes on by address. */
class HostMemoryTest {
  @Test
  void heldMemoryCannotBeClosed() {
    try (Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      MemorySegment first = confined.allocate(8);
      MemorySegment second = shared.allocate(8);
      HostMemory.holding(
          first,
          second,
          () -> {
            assertThrows(IllegalStateException.class, confined::close);
            assertThrows(IllegalStateException.class, shared::close);
          });
    }
  }

  @Test
  void anotherThreadCannotCloseHeldMemory() throws InterruptedException {
    try (Arena shared = Arena.ofShared()) {
      MemorySegment memory = shared.allocate(8);
      AtomicReference<Throwable> refused = new AtomicReference<>();
      HostMemory.holding(
          memory,
          MemorySegment.ofArray(new byte[1]),
          () -> {
            Thread other =
                Thread.ofPlatform()
                    .start(
                        () ->
                            refused.set(assertThrows(IllegalStateException.class, shared::close)));
            assertDoesNotThrow(() -> other.join());
          });
      assertTrue(refused.get() instanceof IllegalStateException);
      assertTrue(memory.scope().isAlive());
    }
  }

  @Test
  void closedMemoryIsRefusedBeforeTheWork() {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(8);
    arena.close();
    AtomicInteger ran = new AtomicInteger();
    assertThrows(
        IllegalStateException.class,
        () -> HostMemory.holding(memory, memory, ran::incrementAndGet));
    assertEquals(0, ran.get());
    assertThrows(IllegalStateException.class, () -> HostMemory.requireReadable(memory, 8, "input"));
  }

  @Test
  @SuppressWarnings("restricted")
  void memoryThatNobodyCanCloseIsNotCollectedDuringTheWork() {
    AtomicInteger freed = new AtomicInteger();
    MemorySegment global = Arena.global().allocate(8);
    HostMemory.holding(
        global.reinterpret(Arena.ofAuto(), _ -> freed.incrementAndGet()),
        MemorySegment.ofArray(new byte[1]),
        () -> {
          System.gc();
          System.gc();
          assertEquals(0, freed.get());
        });
    ArithmeticException mine = new ArithmeticException("mine");
    Runnable fails =
        () -> {
          throw mine;
        };
    assertSame(
        mine,
        assertThrows(ArithmeticException.class, () -> HostMemory.holding(global, global, fails)));
  }

  @Test
  void theWorksOwnExceptionComesOutAndNestingWorks() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8);
      ArithmeticException mine = new ArithmeticException("mine");
      AtomicInteger ran = new AtomicInteger();
      ArithmeticException seen =
          assertThrows(
              ArithmeticException.class,
              () ->
                  HostMemory.holding(
                      memory,
                      memory,
                      () -> {
                        HostMemory.holding(memory, memory, ran::incrementAndGet);
                        ran.incrementAndGet();
                        throw mine;
                      }));
      assertSame(mine, seen);
      assertEquals(2, ran.get());
      HostMemory.holding(memory, memory, ran::incrementAndGet);
      assertEquals(3, ran.get());
    }
  }

  @Test
  void partlyOverlappingMemoryIsRefused() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      HostMemory.requireSameOrApart(memory, 64, memory, 64);
      HostMemory.requireSameOrApart(memory, 64, memory, 32);
      HostMemory.requireSameOrApart(memory.asSlice(0, 32), 32, memory.asSlice(32), 32);
      HostMemory.requireSameOrApart(memory, 0, memory.asSlice(8), 32);
      assertThrows(
          IllegalArgumentException.class,
          () -> HostMemory.requireSameOrApart(memory, 40, memory.asSlice(32), 32));
    }
  }

  @Test
  void memoryThatCannotBeUsedIsRefusedWithTheReason() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64, 64);
      assertTrue(HostMemory.confined(memory));
      assertFalse(HostMemory.confined(Arena.ofAuto().allocate(8)));
      assertThrows(WrongThreadException.class, () -> HostMemory.requireShared(memory, "input"));
      assertThrows(
          IndexOutOfBoundsException.class, () -> HostMemory.requireReadable(memory, 65, "input"));
      assertThrows(
          IllegalArgumentException.class,
          () -> HostMemory.requireWritable(memory.asReadOnly(), 64, "output"));
      assertEquals(memory.address() + 8, HostMemory.address(memory, 8, 56, "input"));
      assertEquals(0, HostMemory.address(memory, 64, 0, "input"));
      assertThrows(
          IndexOutOfBoundsException.class, () -> HostMemory.address(memory, 8, 57, "input"));
      assertThrows(
          IndexOutOfBoundsException.class, () -> HostMemory.address(memory, -1, 8, "input"));
      assertThrows(
          IllegalArgumentException.class,
          () -> HostMemory.requireNative(MemorySegment.ofArray(new byte[8]), "input"));
      IndexOutOfBoundsException device =
          assertThrows(
              IndexOutOfBoundsException.class,
              () -> HostMemory.requireReadable(MemorySegment.ofAddress(4096), 8, "input"));
      assertTrue(device.getMessage().contains("copy it to the host first"));
    }
  }
}
