package dev.rialto.tck.reference;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Somewhere to have test data: one of the backend's memory spaces, or plain host memory. */
public final class Place {
  private static final long ALIGNMENT = 64;

  private final BackendProvider backend;
  private final @Nullable MemorySpace space;

  private Place(BackendProvider backend, @Nullable MemorySpace space) {
    this.backend = backend;
    this.space = space;
  }

  /** Returns plain memory of the host. */
  public static Place host(BackendProvider backend) {
    return new Place(backend, null);
  }

  /**
   * Returns where kernels and transforms find their data: not in memory of another device than the
   * first, which does them.
   */
  public static List<Place> of(BackendProvider backend) {
    if (!backend.capabilities().contains(Capability.MEMORY)) {
      return List.of(host(backend));
    }
    return spaces(backend.devices().subList(0, 1))
        .filter(space -> space.properties().deviceAccessible())
        .map(space -> new Place(backend, space))
        .toList();
  }

  /** Returns the memory of all devices, staging included. */
  public static List<MemorySpace> spaces(BackendProvider backend) {
    return spaces(backend.devices()).toList();
  }

  private static Stream<MemorySpace> spaces(List<Device> devices) {
    return devices.stream()
        .flatMap(device -> Stream.of(device.memory(), device.staging()))
        .distinct();
  }

  /** Returns the host and all of the backend's own places. */
  public static List<Place> all(BackendProvider backend) {
    List<Place> places = new ArrayList<>(List.of(host(backend)));
    if (backend.capabilities().contains(Capability.MEMORY)) {
      spaces(backend).forEach(space -> places.add(new Place(backend, space)));
    }
    return places;
  }

  public Block block(byte[] content) {
    Block block = empty(content.length);
    block.write(content);
    return block;
  }

  /** Allocates a block with the content that new memory has. */
  public Block empty(long bytes) {
    return new Block(bytes);
  }

  private boolean hostAccessible() {
    return space == null || space.properties().hostAccessible();
  }

  @Override
  public String toString() {
    return space == null ? "host" : "space " + space.name();
  }

  /** Memory with content that can be looked at, wherever it lies. */
  public final class Block implements AutoCloseable {
    private final long bytes;
    private final Runnable giveBack;
    private final MemorySegment segment;

    private Block(long bytes) {
      this.bytes = bytes;
      if (space == null) {
        Arena arena = Arena.ofShared();
        giveBack = arena::close;
        segment = arena.allocate(bytes, ALIGNMENT);
      } else {
        Allocation allocation = space.allocate(bytes, ALIGNMENT);
        giveBack = allocation::close;
        segment = allocation.segment();
      }
    }

    public MemorySegment segment() {
      return segment;
    }

    public byte[] read() {
      if (hostAccessible()) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
      }
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocate(bytes, ALIGNMENT);
        backend.devices().getFirst().transfer().copy(segment, copy, bytes);
        return copy.toArray(ValueLayout.JAVA_BYTE);
      }
    }

    public void write(byte[] content) {
      if (hostAccessible()) {
        segment.copyFrom(MemorySegment.ofArray(content));
        return;
      }
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
        backend.devices().getFirst().transfer().copy(copy, segment, bytes);
      }
    }

    @Override
    public void close() {
      giveBack.run();
    }
  }
}
