package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Something that runs routines in order: a stream of a device of the runtime, and code for it.
 * Thread-safe.
 */
public final class VirtualDevice {
  private static final MemorySegment ZERO = MemorySegment.ofArray(new byte[1]).asReadOnly();

  private final JitBackend backend;
  private final int ordinal;
  private final int subordinal;
  private final ComputeClient client;
  private final ComputeStream stream;
  private final Place place;
  private volatile boolean closed;

  /**
   * The content of the merge buffer.
   *
   * @param node which node
   * @param buffer where it is
   * @param source whose memory that is; null if it is a copy
   */
  private record Merged(Node node, Buffer buffer, @Nullable Context source) {}

  private volatile @Nullable Merged merged;
  private @Nullable Buffer mergeCopy;

  VirtualDevice(
      JitBackend backend, int ordinal, int subordinal, ComputeClient client, boolean sync) {
    this.backend = backend;
    this.ordinal = ordinal;
    this.subordinal = subordinal;
    this.stream = client.openStream();
    this.client = client.withStream(stream);
    this.place = backend.runsOnHost() ? new HostPlace(sync) : new DevicePlace(stream, sync);
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

  /** Returns what gives this device its memory and its stream, in order with its routines. */
  public ComputeClient client() {
    return client;
  }

  /** Returns whether everything asked of it is done. */
  public boolean isIdle() {
    return stream.isIdle();
  }

  /**
   * Waits until everything asked of it is done.
   *
   * @throws dev.rialto.spi.error.DeviceException if something failed; its cause is the failure
   */
  public void await() {
    stream.sync();
  }

  /** Makes an empty context. */
  public Context context() {
    return new Context(this, null);
  }

  Place place() {
    return place;
  }

  /** Makes a buffer of zeros, in order with what runs here. */
  Buffer zeros(String name, long bytes) {
    Buffer buffer = client.empty(name, bytes);
    if (bytes > 0) {
      client.fill(buffer, ZERO);
    }
    return buffer;
  }

  /** Returns whether code here can use another device's memory where it is. */
  boolean reads(VirtualDevice other) {
    return client.device().spi().memory().equals(other.client.device().spi().memory());
  }

  /** Lets the merge buffer be the memory of a context, of this or another device. */
  void mergeFrom(Node node, Context source) {
    merged = new Merged(node, source.buffer(node), source);
  }

  /** Copies memory into the merge buffer, which grows as needed. */
  synchronized void mergeCopyOf(Node node, Context source) {
    Buffer from = source.buffer(node);
    Buffer copy = mergeCopy;
    if (copy == null || copy.bytes() < node.bytes()) {
      if (copy != null) {
        copy.close();
      }
      copy = client.empty("merge buffer of " + name(), node.bytes());
      mergeCopy = copy;
    }
    source.device().client.copy(from, client, copy);
    merged = new Merged(node, copy, null);
  }

  /**
   * Returns where a node is that was merged.
   *
   * @throws IllegalStateException if it was not, or its memory is closed
   */
  Buffer merged(Node node) {
    Merged now = merged;
    if (now == null || now.node() != node) {
      throw new IllegalStateException(
          ("the merge buffer of %s holds %s, but the routine reads %s.merge; transfer it "
                  + "first")
              .formatted(name(), now == null ? "nothing" : now.node(), node));
    }
    if (now.source() != null && !now.source().isOpen()) {
      throw new IllegalStateException(
          ("the merge buffer of %s is memory of a context on %s that is closed; transfer %s "
                  + "again")
              .formatted(name(), now.source().device(), node));
    }
    return now.buffer();
  }

  /** Waits for every step that has started, also one that another thread is adding now. */
  void drain() {
    if (!closed) {
      place.settle();
      await();
    }
  }

  synchronized void close() {
    closed = true;
    try {
      stream.close();
    } finally {
      merged = null;
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
