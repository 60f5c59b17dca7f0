package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Something that runs routines in order: a physical device, or a virtual one that shares its cores.
 * Thread-safe.
 */
public final class Device {
  private final JitBackend backend;
  private final int ordinal;
  private final int subordinal;
  private final Place place;

  private volatile @Nullable Device streamsFrom;

  // What the merge buffer holds; only steps in order touch these.
  private @Nullable Node merged;
  private MemorySegment mergeMemory = MemorySegment.NULL;
  private @Nullable Allocation mergeCopy;

  Device(JitBackend backend, int ordinal, int subordinal, Place place) {
    this.backend = backend;
    this.ordinal = ordinal;
    this.subordinal = subordinal;
    this.place = place;
  }

  /** Returns the back end. */
  public JitBackend backend() {
    return backend;
  }

  /** Returns the physical device's number, from 0. */
  public int ordinal() {
    return ordinal;
  }

  /** Returns the virtual device's number on its physical device, from 0. */
  public int subordinal() {
    return subordinal;
  }

  /** Returns a name, such as {@code sync_cc:0.1}. */
  public String name() {
    return backend.name() + ":" + ordinal + "." + subordinal;
  }

  /** Returns whether everything asked of it is done. */
  public boolean isIdle() {
    return stream().isIdle();
  }

  /**
   * Waits until everything asked of it is done.
   *
   * @throws dev.rialto.spi.error.DeviceException if something failed; its cause is the failure
   */
  public void await() {
    stream().await();
  }

  /** Makes an empty context. */
  public Context context() {
    return new Context(this, null);
  }

  Stream stream() {
    return place.stream();
  }

  Place place() {
    return place;
  }

  /** The device whose memory is the merge buffer; it must wait for those who read it. */
  @Nullable Device streamsFrom() {
    return streamsFrom;
  }

  void streamsFrom(@Nullable Device source) {
    streamsFrom = source;
  }

  /** Lets the merge buffer be another device's memory. */
  void mergeFrom(Node node, MemorySegment memory) {
    merged = node;
    mergeMemory = memory;
  }

  /** Copies memory into the merge buffer, which grows as needed. */
  void mergeCopyOf(Node node, MemorySegment memory) {
    Allocation copy = mergeCopy;
    if (copy == null || copy.bytes() < node.bytes()) {
      if (copy != null) {
        copy.close();
      }
      copy = place.memory().allocate(node.bytes());
      mergeCopy = copy;
    }
    place.copy(memory, copy.segment(), node.bytes());
    mergeFrom(node, copy.segment());
  }

  MemorySegment merged(Node node) {
    if (merged != node) {
      throw new IllegalStateException(
          "the merge buffer of "
              + name()
              + " holds "
              + (merged == null ? "nothing" : merged)
              + ", but the routine reads "
              + node
              + ".merge; transfer it first");
    }
    return mergeMemory;
  }

  void close() {
    try {
      stream().close();
    } finally {
      if (mergeCopy != null) {
        mergeCopy.close();
        mergeCopy = null;
      }
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
