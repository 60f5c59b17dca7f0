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
  private volatile boolean closed;

  // What the merge buffer holds; only steps in order touch these.
  private @Nullable Node merged;
  private @Nullable Context mergeSource;
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

  /** Lets the merge buffer be the memory of a context, of this or another device. */
  void mergeFrom(Node node, MemorySegment memory, Context source) {
    source.requireOpen();
    merged = node;
    mergeMemory = memory;
    mergeSource = source;
  }

  /** Copies memory into the merge buffer, which grows as needed. */
  void mergeCopyOf(Node node, MemorySegment memory, Context source) {
    source.requireOpen();
    Allocation copy = mergeCopy;
    if (copy == null || copy.bytes() < node.bytes()) {
      if (copy != null) {
        copy.close();
      }
      copy = place.memory().allocate(node.bytes());
      mergeCopy = copy;
    }
    place.bring(source.device().place(), memory, copy.segment(), node.bytes());
    merged = node;
    mergeMemory = copy.segment();
    mergeSource = null;
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
    if (mergeSource != null && !mergeSource.isOpen()) {
      throw new IllegalStateException(
          "the merge buffer of "
              + name()
              + " is memory of a context on "
              + mergeSource.device()
              + " that is closed; transfer "
              + node
              + " again");
    }
    return mergeMemory;
  }

  /** Waits for every step that has started, also one that another thread is queuing now. */
  void drain() {
    if (!closed) {
      place.inOrder(() -> {});
      await();
    }
  }

  void close() {
    closed = true;
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
