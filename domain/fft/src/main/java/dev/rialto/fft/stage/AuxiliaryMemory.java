package dev.rialto.fft.stage;

import dev.rialto.exchange.Exchanger;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a plan besides input and output: two arrays between stages, and a workspace. It is
 * the caller's, or else the plan's own; the arrays are in memory that other processes reach where
 * those read them.
 */
public final class AuxiliaryMemory implements AutoCloseable {
  private final Route[] routes;
  private final @Nullable DevicePlace place;
  private final @Nullable Exchanger exchanger;
  private final long[] parts = new long[3];

  /** The two arrays where other processes read them; else empty. */
  private final MemorySegment[] shared;

  private boolean given;
  private MemorySegment callers = MemorySegment.NULL;
  private @Nullable Resource own;

  /** Finds out what is needed, and allocates what others read. Collective where they do. */
  public AuxiliaryMemory(
      Route[] routes,
      List<List<Stage>> directions,
      @Nullable Exchanger exchanger,
      @Nullable DevicePlace place) {
    this.routes = routes;
    this.place = place;
    this.exchanger = exchanger;
    for (Route route : routes) {
      for (int which = 0; which < 2; which++) {
        parts[which] = Math.max(parts[which], rounded(route.auxBytes(which)));
      }
    }
    boolean reads = false;
    for (List<Stage> each : directions) {
      for (Stage stage : each) {
        parts[2] = Math.max(parts[2], rounded(stage.workspaceBytes()));
        reads |= stage.isReadByPeers();
      }
    }
    this.shared =
        reads && exchanger != null
            ? new MemorySegment[] {
              exchanger.allocateShared(parts[0]), exchanger.allocateShared(parts[1])
            }
            : new MemorySegment[0];
    if (shared.length > 0) {
      parts[0] = 0;
      parts[1] = 0;
    }
  }

  private static long rounded(long bytes) {
    return Math.ceilDiv(bytes, 64) * 64;
  }

  public long bytes() {
    return parts[0] + parts[1] + parts[2];
  }

  /** Returns the bytes that other processes read from. */
  public long sharedBytes() {
    return Arrays.stream(shared).mapToLong(MemorySegment::byteSize).sum();
  }

  /** Uses the caller's memory. */
  public void use(MemorySegment memory) {
    freeOwn();
    callers = memory;
    take(memory);
  }

  /** Allocates, unless there is memory. */
  public void require() {
    if (given) {
      return;
    }
    long bytes = Math.max(bytes(), 1);
    Resource lent =
        place == null ? Devices.host().lend("scratch of transforms", bytes) : place.allocate(bytes);
    own = lent;
    take(lent.segment());
  }

  private void take(MemorySegment memory) {
    boolean here = shared.length == 0;
    MemorySegment first = here ? part(memory, 0, parts[0]) : shared[0];
    MemorySegment second = here ? part(memory, parts[0], parts[1]) : shared[1];
    MemorySegment work = part(memory, parts[0] + parts[1], parts[2]);
    for (Route route : routes) {
      route.aux(first, second, work);
    }
    given = true;
  }

  /** Memory of a device has no size that could be divided. */
  private MemorySegment part(MemorySegment memory, long offset, long bytes) {
    return place == null
        ? memory.asSlice(offset, bytes)
        : MemorySegment.ofAddress(memory.address() + offset);
  }

  /** Returns whether it is the caller's, who may free it. */
  public boolean isCallers() {
    return callers.byteSize() > 0;
  }

  /** Runs work while the caller cannot free it. */
  public void holding(Runnable work) {
    HostMemory.holding(callers, callers, work);
  }

  /** Checks that an array has no byte in common with the caller's auxiliary memory. */
  public void requireApart(MemorySegment memory, long bytes, String role) {
    long distance = memory.address() - callers.address();
    if (isCallers() && distance < bytes() && -distance < bytes) {
      throw new IllegalArgumentException(
          role + " overlaps the auxiliary memory; give memory that is apart");
    }
  }

  /** Frees what is the plan's own. Collective where others read it, but not after a failure. */
  @Override
  public void close() {
    freeOwn();
    if (exchanger != null) {
      Arrays.stream(shared).forEach(exchanger::freeShared);
    }
  }

  private void freeOwn() {
    if (own != null) {
      own.close();
      own = null;
    }
    callers = MemorySegment.NULL;
    given = false;
  }
}
