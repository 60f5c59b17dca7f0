package dev.rialto.tck.host;

import static dev.rialto.spi.Capability.MEMORY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.tck.Requirement;
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
 * What every {@link MemorySpace} of a backend, and every {@link Allocation} from it, must do:
 * alignment and content of new memory, exact counters, and telling every misuse.
 */
public abstract class MemorySpaceTck extends Tck {
  /** Makes an instance; the test engine does so for each requirement. */
  protected MemorySpaceTck() {}

  private interface SpaceCheck {
    void check(MemorySpace space) throws Exception;
  }

  private void eachSpace(SpaceCheck check) throws Exception {
    for (MemorySpace space : spaces()) {
      check.check(space);
    }
  }

  @Requirement(
      id = "MEM-001",
      text = "The names of the spaces differ, and the spaces are the same each time.",
      capability = MEMORY)
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
      id = "MEM-002",
      text = "Memory is filled with zeros, also where it was used before.",
      capability = MEMORY)
  void memoryIsZeroed() throws Exception {
    for (Place place : Place.of(backend())) {
      for (int bytes : new int[] {1, 64, 4096, (1 << 20) + 3}) {
        byte[] dirt = new byte[bytes];
        Arrays.fill(dirt, (byte) 0xA5);
        for (int again = 0; again < 3; again++) {
          try (Place.Block block = place.empty(bytes)) {
            int dirty = Arrays.mismatch(new byte[bytes], block.read());
            assertEquals(-1, dirty, () -> place + ": the first byte that is not zero");
            block.write(dirt);
          }
        }
      }
    }
  }

  @Requirement(
      id = "MEM-003",
      text = "Memory is aligned to the larger of the alignment asked for and that of the space.",
      capability = MEMORY)
  void memoryIsAligned() throws Exception {
    eachSpace(
        space -> {
          List<Allocation> held = new ArrayList<>();
          for (long alignment = 1; alignment <= 1 << 16; alignment *= 2) {
            long least = Math.max(alignment, space.properties().alignment());
            for (long bytes : new long[] {0, 1, 17, 1000}) {
              Allocation allocation = space.allocate(bytes, alignment);
              held.add(allocation);
              assertAligned(least, allocation);
            }
          }
          Allocation plain = space.allocate(24);
          held.add(plain);
          assertAligned(space.properties().alignment(), plain);
          held.forEach(Allocation::close);
        });
  }

  private static void assertAligned(long alignment, Allocation allocation) {
    long address = allocation.segment().address();
    assertEquals(
        0,
        address % alignment,
        () ->
            allocation.bytes()
                + " bytes at 0x"
                + Long.toHexString(address)
                + " are not aligned to "
                + alignment);
  }

  @Requirement(
      id = "MEM-004",
      text = "Zero bytes are allowed: the allocation is empty, counts as live and must be closed.",
      capability = MEMORY)
  void zeroBytesAreAllowed() throws Exception {
    eachSpace(
        space -> {
          int live = space.live().size();
          long used = space.used();
          Allocation first = space.allocate(0);
          Allocation second = space.allocate(0);
          assertEquals(0, first.bytes());
          assertEquals(0, first.segment().byteSize());
          assertEquals(used, space.used());
          assertEquals(live + 2, space.live().size(), "live allocations, with two empty ones");
          first.close();
          second.close();
          assertEquals(live, space.live().size());
          assertThrows(MemoryException.class, first::close);
        });
  }

  @Requirement(
      id = "MEM-005",
      text = "Allocating a negative number of bytes throws IllegalArgumentException.",
      capability = MEMORY)
  void negativeBytesAreRefused() throws Exception {
    eachSpace(
        space -> {
          for (long bytes : new long[] {-1, Long.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> space.allocate(bytes).close());
          }
        });
  }

  @Requirement(
      id = "MEM-006",
      text = "An alignment that is not a power of two throws IllegalArgumentException.",
      capability = MEMORY)
  void alignmentMustBeAPowerOfTwo() throws Exception {
    eachSpace(
        space -> {
          for (long alignment : new long[] {0, -1, -8, 3, 24, 65, Long.MIN_VALUE}) {
            assertThrows(
                IllegalArgumentException.class,
                () -> space.allocate(8, alignment).close(),
                () -> "alignment " + alignment);
          }
        });
  }

  @Requirement(
      id = "MEM-007",
      text =
          "The segment has the bytes that were asked for, or none accessible where the host cannot"
              + " access the space, and is the same each time.",
      capability = MEMORY)
  void segmentIsTheMemory() throws Exception {
    eachSpace(
        space -> {
          try (Allocation allocation = space.allocate(1000)) {
            MemorySegment segment = allocation.segment();
            assertEquals(1000, allocation.bytes());
            assertEquals(space.properties().hostAccessible() ? 1000 : 0, segment.byteSize());
            assertNotEquals(0, segment.address());
            assertEquals(segment, allocation.segment());
            assertEquals(space, allocation.space());
            assertTrue(allocation.isOpen());
          }
        });
  }

  @Requirement(id = "MEM-008", text = "Live allocations do not overlap.", capability = MEMORY)
  void allocationsDoNotOverlap() throws Exception {
    Random random = random();
    for (Place place : Place.of(backend())) {
      List<Place.Block> blocks = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        byte[] content = new byte[1 + random.nextInt(500)];
        Arrays.fill(content, (byte) i);
        blocks.add(place.block(content));
      }
      for (int i = 0; i < blocks.size(); i++) {
        for (byte value : blocks.get(i).read()) {
          assertEquals((byte) i, value, "content of one allocation, written through another");
        }
        blocks.get(i).close();
      }
    }
  }

  @Requirement(
      id = "MEM-009",
      text = "The bytes used are those of all live allocations, as they were asked for.",
      capability = MEMORY)
  void usedCountsWhatWasAskedFor() throws Exception {
    eachSpace(
        space -> {
          long before = space.used();
          Allocation odd = space.allocate(1001, 256);
          assertEquals(before + 1001, space.used());
          Allocation even = space.allocate(64);
          assertEquals(before + 1065, space.used());
          odd.close();
          assertEquals(before + 64, space.used());
          even.close();
          assertEquals(before, space.used());
        });
  }

  @Requirement(
      id = "MEM-010",
      text = "The peak is the most that has been used, and does not fall.",
      capability = MEMORY)
  void peakIsTheMostUsed() throws Exception {
    eachSpace(
        space -> {
          long size = space.peak() - space.used() + 4096;
          Allocation large = space.allocate(size);
          long peak = space.peak();
          assertEquals(space.used(), peak, "the peak while most is used");
          large.close();
          space.allocate(1).close();
          assertEquals(peak, space.peak(), "the peak after closing");
        });
  }

  @Requirement(
      id = "MEM-011",
      text = "The counters are exact when several threads allocate and close at the same time.",
      capability = MEMORY)
  void countersAreExactUnderConcurrency() throws Exception {
    eachSpace(
        space -> {
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
        });
  }

  @Requirement(
      id = "MEM-012",
      text = "Closing an allocation again throws MemoryException and changes no counter.",
      capability = MEMORY)
  void closingAgainIsTold() throws Exception {
    eachSpace(
        space -> {
          long used = space.used();
          Allocation allocation = space.allocate(100);
          allocation.close();
          assertThrows(MemoryException.class, allocation::close);
          assertThrows(MemoryException.class, allocation::close);
          assertEquals(used, space.used());
        });
  }

  @Requirement(
      id = "MEM-013",
      text = "Of several threads that close an allocation at the same time one does.",
      capability = MEMORY)
  void oneOfSeveralClosersDoes() throws Exception {
    eachSpace(
        space -> {
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
        });
  }

  @Requirement(
      id = "MEM-014",
      text =
          "A closed allocation is not open, still tells its bytes, and asking for its segment"
              + " throws IllegalStateException.",
      capability = MEMORY)
  void closedAllocationHasNoSegment() throws Exception {
    eachSpace(
        space -> {
          Allocation allocation = space.allocate(100);
          allocation.close();
          assertFalse(allocation.isOpen());
          assertEquals(100, allocation.bytes());
          assertThrows(IllegalStateException.class, allocation::segment);
        });
  }

  @Requirement(
      id = "MEM-015",
      text = "Using a segment, or a slice of it, after its allocation was closed throws.",
      capability = MEMORY)
  void useAfterCloseThrows() throws Exception {
    eachHostSpace(
        space -> {
          Allocation allocation = space.allocate(100);
          MemorySegment segment = allocation.segment();
          MemorySegment slice = segment.asSlice(8, 16);
          allocation.close();
          assertThrows(
              RuntimeException.class, () -> segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
          assertThrows(RuntimeException.class, () -> slice.get(ValueLayout.JAVA_BYTE, 0));
        });
  }

  private void eachHostSpace(SpaceCheck check) throws Exception {
    List<MemorySpace> spaces =
        spaces().stream().filter(s -> s.properties().hostAccessible()).toList();
    if (spaces.isEmpty()) {
      throw new NotRun("the host can access none of the spaces");
    }
    for (MemorySpace space : spaces) {
      check.check(space);
    }
  }

  @Requirement(
      id = "MEM-016",
      text = "Any thread may use and close an allocation.",
      capability = MEMORY)
  void anyThreadMayUseAndClose() throws Exception {
    for (Place place : Place.of(backend())) {
      Place.Block block = place.block(new byte[64]);
      byte[] content = {1, 2, 3};
      Together.run(1, _ -> block.write(Arrays.copyOf(content, 64)));
      Together.run(1, _ -> assertEquals(3, block.read()[2]));
      Together.run(1, _ -> block.close());
    }
  }

  @Requirement(
      id = "MEM-017",
      text = "Closing while another thread uses the memory makes that use fail and does not wait.",
      capability = MEMORY)
  void closingDoesNotWaitForUsers() throws Exception {
    eachHostSpace(
        space -> {
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
        });
  }

  @Requirement(
      id = "MEM-018",
      text = "The owner of a segment is the live allocation that the segment lies in.",
      capability = MEMORY)
  void ownerOfSlicesIsFound() throws Exception {
    eachSpace(
        space -> {
          try (Allocation before = space.allocate(256);
              Allocation allocation = space.allocate(1000);
              Allocation after = space.allocate(256)) {
            for (Allocation each : List.of(before, allocation, after)) {
              assertEquals(each.segment(), space.owner(each.segment()).segment());
            }
            for (long offset : new long[] {0, 1, 500, 999}) {
              Allocation owner = space.owner(part(allocation.segment(), offset));
              assertEquals(allocation.segment(), owner.segment(), () -> "at offset " + offset);
            }
          }
        });
  }

  private static MemorySegment part(MemorySegment segment, long offset) {
    return segment.byteSize() == 0
        ? MemorySegment.ofAddress(segment.address() + offset)
        : segment.asSlice(offset, 1);
  }

  @Requirement(
      id = "MEM-019",
      text =
          "The owner of a segment that is not of this space, or whose allocation is closed, throws"
              + " MemoryException.",
      capability = MEMORY)
  void strangersHaveNoOwner() throws Exception {
    eachSpace(
        space -> {
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
        });
  }

  @Requirement(
      id = "MEM-020",
      text =
          "Asking for more than there is throws MemoryException that says how much was asked for,"
              + " is used and is left; nothing is allocated then.",
      capability = MEMORY)
  void exhaustionIsTold() throws Exception {
    eachSpace(
        space -> {
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
        });
  }

  @Requirement(
      id = "MEM-021",
      text = "What is said to be available is not negative.",
      capability = MEMORY)
  void availableIsNotNegative() throws Exception {
    eachSpace(
        space -> {
          try (Allocation _ = space.allocate(1 << 20)) {
            assertTrue(space.available() >= 0, () -> "available: " + space.available());
          }
        });
  }

  @Requirement(
      id = "MEM-022",
      text =
          "The live allocations are listed with their bytes and addresses until they are closed.",
      capability = MEMORY)
  void liveAllocationsAreListed() throws Exception {
    eachSpace(
        space -> {
          List<Allocation> held =
              List.of(space.allocate(10), space.allocate(0), space.allocate(30));
          for (Allocation allocation : held) {
            assertEquals(1, entries(space, allocation.segment().address(), allocation.bytes()));
          }
          for (Allocation allocation : held) {
            long address = allocation.segment().address();
            allocation.close();
            assertEquals(0, entries(space, address, allocation.bytes()));
          }
        });
  }

  private static long entries(MemorySpace space, long address, long bytes) {
    return space.live().stream()
        .filter(live -> live.address() == address && live.bytes() == bytes)
        .count();
  }

  @Requirement(
      id = "MEM-023",
      text =
          "A live allocation has the stack that allocated it if -Drialto.leaks=true, and none if"
              + " not.",
      capability = MEMORY)
  void leakSitesAreKeptWhenAskedFor() throws Exception {
    eachSpace(
        space -> {
          try (Allocation allocation = space.allocate(77)) {
            long address = allocation.segment().address();
            List<StackTraceElement> site =
                space.live().stream()
                    .filter(live -> live.address() == address)
                    .findFirst()
                    .orElseThrow()
                    .site();
            boolean here =
                site.stream()
                    .anyMatch(f -> f.getClassName().startsWith(MemorySpaceTck.class.getName()));
            assertEquals(Boolean.getBoolean("rialto.leaks"), here, () -> "site: " + site);
            assertTrue(here || site.isEmpty(), () -> "site: " + site);
          }
        });
  }
}
