package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.Together;
import dev.rialto.tck.run.NotRun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Requirements on every {@link MemorySpace} of a backend, and every {@link Allocation} from it,
 * besides what {@code HGE-001} checks in any order: alignment, content, owners, counters, and what
 * is closed. It has replaced the requirements whose numbers are left out here.
 */
@Requires(Capability.MEMORY)
public final class MemorySpaceTck extends Tck {
  @Requirement(
      id = "MEM-001",
      text = "The names of the spaces differ, and the spaces are the same each time.")
  void spacesAreNamedAndStable() {
    List<MemorySpace> spaces = spaces();
    Set<String> names = new HashSet<>();
    for (MemorySpace space : spaces) {
      assertFalse(space.name().isBlank(), "a space has an empty name");
      assertTrue(names.add(space.name()), () -> "two spaces are called " + space.name());
      assertEquals(space.properties(), space.properties());
    }
    assertEquals(spaces, spaces());
  }

  @Requirement(
      id = "MEM-005",
      text = "Allocating a negative number of bytes throws IllegalArgumentException.")
  void negativeBytesAreRefused(MemorySpace space) throws Exception {
    for (long bytes : new long[] {-1, Long.MIN_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> space.allocate(bytes).close());
    }
  }

  @Requirement(
      id = "MEM-006",
      text = "An alignment that is not a power of two throws IllegalArgumentException.")
  void alignmentMustBeAPowerOfTwo(MemorySpace space) throws Exception {
    for (long alignment : new long[] {0, -1, -8, 3, 24, 65, Long.MIN_VALUE}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> space.allocate(8, alignment).close(),
          () -> "alignment " + alignment);
    }
  }

  @Requirement(
      id = "MEM-011",
      text = "The counters are exact when several threads allocate and close at the same time.")
  void countersAreExactUnderConcurrency(MemorySpace space) throws Exception {
    long used = space.used();
    int live = space.live().size();
    Together.run(
        4,
        thread -> {
          Random random = new Random(random().nextLong() + thread);
          List<Allocation> mine = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            if (mine.size() > 5) {
              mine.remove(random.nextInt(mine.size())).close();
            }
            mine.add(space.allocate(random.nextInt(2000)));
          }
          assertTrue(
              space.used() - used >= mine.stream().mapToLong(Allocation::bytes).sum(),
              "used is less than one thread holds");
          mine.forEach(Allocation::close);
        });
    assertEquals(used, space.used(), "used after all was closed");
    assertEquals(live, space.live().size(), "live allocations after all were closed");
  }

  @Requirement(
      id = "MEM-013",
      text = "Of several threads that close an allocation at the same time one does.")
  void oneOfSeveralClosersDoes(MemorySpace space) throws Exception {
    long used = space.used();
    for (int i = 0; i < 50; i++) {
      Allocation allocation = space.allocate(64);
      List<Boolean> closed = new CopyOnWriteArrayList<>();
      Together.run(
          2,
          _ -> {
            try {
              allocation.close();
              closed.add(true);
            } catch (MemoryException e) {
              closed.add(false);
            }
          });
      assertEquals(1, Collections.frequency(closed, true), "threads that closed");
    }
    assertEquals(used, space.used());
  }

  @Requirement(id = "MEM-016", text = "Any thread may use and close an allocation.")
  void anyThreadMayUseAndClose(Place place) throws Exception {
    Place.Block block = place.block(new byte[64]);
    byte[] content = {1, 2, 3};
    Together.run(1, _ -> block.write(Arrays.copyOf(content, 64)));
    Together.run(1, _ -> assertEquals(3, block.read()[2]));
    Together.run(1, _ -> block.close());
  }

  @Requirement(
      id = "MEM-017",
      text = "Closing while another thread uses the memory makes that use fail and does not wait.")
  void closingDoesNotWaitForUsers() throws Exception {
    List<MemorySpace> spaces =
        spaces().stream().filter(s -> s.properties().hostAccessible()).toList();
    if (spaces.isEmpty()) {
      throw new NotRun("the host can access none of the spaces");
    }
    for (MemorySpace space : spaces) {
      Allocation allocation = space.allocate(64);
      MemorySegment segment = allocation.segment();
      CountDownLatch using = new CountDownLatch(1);
      Together.run(
          2,
          thread -> {
            if (thread == 0) {
              using.await();
              allocation.close();
            } else {
              assertThrows(
                  RuntimeException.class,
                  () -> {
                    while (true) {
                      segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                      using.countDown();
                    }
                  });
            }
          });
    }
  }

  @Requirement(
      id = "MEM-019",
      text =
          "The owner of a segment that is not of this space, or whose allocation is closed, throws"
              + " MemoryException.")
  void strangersHaveNoOwner(MemorySpace space) throws Exception {
    Allocation allocation = space.allocate(64);
    MemorySegment stale = allocation.segment();
    allocation.close();
    assertThrows(MemoryException.class, () -> space.owner(stale));
    MemorySegment heap = MemorySegment.ofArray(new byte[64]);
    assertThrows(MemoryException.class, () -> space.owner(heap));
    assertThrows(MemoryException.class, () -> space.owner(MemorySegment.NULL));
    try (Arena arena = Arena.ofConfined()) {
      assertThrows(MemoryException.class, () -> space.owner(arena.allocate(64)));
    }
    for (MemorySpace other : spaces()) {
      if (!other.equals(space)) {
        try (Allocation foreign = other.allocate(64)) {
          assertThrows(MemoryException.class, () -> space.owner(foreign.segment()));
        }
      }
    }
  }

  @Requirement(
      id = "MEM-020",
      text =
          "Asking for more than there is throws MemoryException that says how much was asked for,"
              + " is used and is left; nothing is allocated then.")
  void exhaustionIsTold(MemorySpace space) throws Exception {
    try (Allocation held = space.allocate(4321)) {
      long used = space.used();
      long peak = space.peak();
      int live = space.live().size();
      for (long bytes : new long[] {1L << 61, Long.MAX_VALUE}) {
        MemoryException e =
            assertThrows(MemoryException.class, () -> space.allocate(bytes).close());
        for (long figure : new long[] {bytes, used}) {
          assertTrue(
              String.valueOf(e.getMessage()).contains(Long.toString(figure)),
              () -> "'" + e.getMessage() + "' does not name " + figure);
        }
        assertTrue(
            String.valueOf(e.getMessage()).contains("left"),
            () -> "'" + e.getMessage() + "' does not say what is left");
      }
      assertEquals(used, space.used());
      assertEquals(peak, space.peak());
      assertEquals(live, space.live().size());
      space.allocate(held.bytes()).close();
    }
  }

  @Requirement(id = "MEM-021", text = "What is said to be available is not negative.")
  void availableIsNotNegative(MemorySpace space) throws Exception {
    try (Allocation _ = space.allocate(1 << 20)) {
      assertTrue(space.available() >= 0, () -> "available: " + space.available());
    }
  }

  @Requirement(
      id = "MEM-023",
      text =
          "A live allocation has the stack that allocated it if -Drialto.leaks=true, and none if"
              + " not.")
  void leakSitesAreKeptWhenAskedFor(MemorySpace space) throws Exception {
    try (Allocation allocation = space.allocate(77)) {
      long address = allocation.segment().address();
      List<StackTraceElement> site =
          space.live().stream()
              .filter(live -> live.address() == address)
              .findFirst()
              .orElseThrow()
              .site();
      boolean here =
          site.stream().anyMatch(f -> f.getClassName().startsWith(MemorySpaceTck.class.getName()));
      assertEquals(Boolean.getBoolean("rialto.leaks"), here, () -> "site: " + site);
      assertTrue(here || site.isEmpty(), () -> "site: " + site);
    }
  }
}
