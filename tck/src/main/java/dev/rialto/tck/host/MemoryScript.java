package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemorySpace.LiveAllocation;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Draw;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random program of allocations; the model is an array of bytes for each that is live. */
final class MemoryScript {
  private static final int MOST = 3 << 20;

  @SuppressWarnings("ArrayRecordComponent") // The content is changed in place.
  private record Live(Allocation allocation, byte[] content) {}

  private final BackendProvider backend;
  private final MemorySpace space;
  private final Draw draw;
  private final Coverage coverage;
  private final List<Live> live = new ArrayList<>();
  private final long before;
  private final int listed;
  private long peak;

  MemoryScript(BackendProvider backend, MemorySpace space, long seed, Coverage coverage) {
    this.backend = backend;
    this.space = space;
    this.draw = new Draw(seed);
    this.coverage = coverage;
    this.before = space.used();
    this.listed = space.live().size();
    this.peak = space.peak();
  }

  void run(int steps) {
    try {
      for (int step = 0; step < steps; step++) {
        switch (draw.below(live.isEmpty() ? 1 : 6)) {
          case 0, 1 -> allocate();
          case 2 -> close(draw.of(live));
          default -> write(draw.of(live));
        }
        checkCounters();
      }
      live.forEach(this::checkContent);
      List.copyOf(live).forEach(this::close);
      checkCounters();
    } finally {
      live.forEach(each -> each.allocation.close());
    }
  }

  private void allocate() {
    long bytes = draw.once(8) ? 0 : draw.magnitude(draw.once(10) ? MOST : 1 << 14);
    long alignment = 1L << draw.below(17);
    Allocation allocation = space.allocate(bytes, alignment);
    Live each = new Live(allocation, new byte[(int) bytes]);
    live.add(each);
    MemorySegment segment = allocation.segment();
    assertSame(segment, allocation.segment(), "the segment, asked again");
    assertEquals(space.properties().hostAccessible() ? bytes : 0, segment.byteSize(), "its size");
    assertEquals(bytes, allocation.bytes(), "bytes");
    assertEquals(space, allocation.space(), "the space");
    assertTrue(allocation.isOpen(), "not open");
    long address = segment.address();
    long aligned = Math.max(alignment, space.properties().alignment());
    assertEquals(0, address % aligned, () -> "alignment to " + aligned);
    for (Live other : live) {
      long start = other.allocation.segment().address();
      assertTrue(
          other.equals(each)
              || bytes == 0
              || other.content.length == 0
              || start + other.content.length <= address
              || address + bytes <= start,
          () -> bytes + " bytes overlap others");
    }
    checkContent(each);
    coverage
        .addSize("allocate", bytes)
        .add("allocate", Coverage.Dimension.MEMORY, space.name())
        .add("allocate", Coverage.Dimension.FORM, "aligned " + alignment);
  }

  private void close(Live each) {
    live.remove(each);
    if (draw.once(2)) {
      checkContent(each);
    }
    MemorySegment segment = each.allocation.segment();
    each.allocation.close();
    assertFalse(each.allocation.isOpen(), "open after close");
    assertEquals(each.content.length, each.allocation.bytes(), "bytes after close");
    assertThrows(MemoryException.class, each.allocation::close, "closing again");
    assertThrows(IllegalStateException.class, each.allocation::segment, "the segment after close");
    if (segment.byteSize() > 0) {
      MemorySegment slice = segment.asSlice(segment.byteSize() - 1);
      assertThrows(
          RuntimeException.class, () -> slice.get(ValueLayout.JAVA_BYTE, 0), "a use after close");
    }
    assertThrows(MemoryException.class, () -> space.owner(segment), "the owner after close");
  }

  private void write(Live each) {
    int bytes = each.content.length;
    if (bytes == 0) {
      return;
    }
    int from = draw.below(bytes);
    int count = 1 + draw.below(bytes - from);
    byte[] part = new byte[count];
    new Random(draw.number()).nextBytes(part);
    MemorySegment target = at(each.allocation.segment(), from);
    if (space.properties().hostAccessible()) {
      MemorySegment.copy(part, 0, target, ValueLayout.JAVA_BYTE, 0, count);
    } else {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, part);
        backend.devices().getFirst().transfer().copy(copy, target, count);
      }
    }
    assertEquals(each.allocation.segment(), space.owner(target).segment(), "the owner of a slice");
    System.arraycopy(part, 0, each.content, from, count);
    if (draw.once(3)) {
      checkContent(each);
    }
  }

  private static MemorySegment at(MemorySegment segment, long offset) {
    return segment.byteSize() == 0
        ? MemorySegment.ofAddress(segment.address() + offset)
        : segment.asSlice(offset);
  }

  private void checkContent(Live each) {
    MemorySegment segment = each.allocation.segment();
    if (space.properties().hostAccessible()) {
      RankMemory.check(MemorySegment.ofArray(each.content), segment, "the content");
    } else if (backend.capabilities().contains(Capability.TRANSFER)) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocate(each.content.length);
        backend.devices().getFirst().transfer().copy(segment, copy, copy.byteSize());
        RankMemory.check(MemorySegment.ofArray(each.content), copy, "the content");
      }
    }
  }

  private void checkCounters() {
    long used = before + live.stream().mapToLong(each -> each.content.length).sum();
    assertEquals(used, space.used(), "used");
    peak = Math.max(peak, used);
    assertEquals(peak, space.peak(), "the peak");
    if (draw.once(20)) {
      List<LiveAllocation> all = space.live();
      assertEquals(listed + live.size(), all.size(), "live allocations");
      for (Live each : live) {
        long address = each.allocation.segment().address();
        assertTrue(
            all.stream()
                .anyMatch(it -> it.address() == address && it.bytes() == each.content.length),
            "a live allocation is not listed");
      }
    }
  }
}
