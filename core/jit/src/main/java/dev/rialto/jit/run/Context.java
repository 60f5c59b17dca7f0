package dev.rialto.jit.run;

import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes in the memory of a device: a value with a lineage. Linking and transfers give child
 * contexts that see everything their ancestors hold. Closing one frees only what it added, and ends
 * the use of its descendants too. Thread-safe.
 */
public final class Context implements AutoCloseable {
  /** How a node comes from another device. */
  public enum Merge {
    /** Into the node of the same context. */
    NONE,
    /** Into the merge buffer, as a copy. */
    COPY,
    /**
     * Into the merge buffer, as the other device's memory itself; a copy where that is out of
     * reach.
     */
    STREAMING
  }

  private final Device device;
  private final @Nullable Context parent;
  private final Map<Node, Allocation> own = new LinkedHashMap<>();
  private final Set<Node> written = ConcurrentHashMap.newKeySet();
  private final Map<Node, String> kept = new LinkedHashMap<>();
  private @Nullable Node merged;
  private volatile boolean closed;
  private volatile @Nullable Pending pending;

  Context(Device device, @Nullable Context parent) {
    this.device = device;
    this.parent = parent;
    this.merged = parent == null ? null : parent.merged;
  }

  /** Returns the device. */
  public Device device() {
    return device;
  }

  /** Returns the context this was made from. */
  public Optional<Context> parent() {
    return Optional.ofNullable(parent);
  }

  /** Returns the node that the merge buffer holds in this context's line of events. */
  public Optional<Node> merged() {
    return Optional.ofNullable(merged);
  }

  /** Returns all nodes, ancestors' included. */
  public Set<Node> nodes() {
    Set<Node> nodes = parent == null ? new LinkedHashSet<>() : parent.nodes();
    nodes.addAll(own.keySet());
    return nodes;
  }

  /** Remembers the nodes that a program, linked into this context, computes for itself alone. */
  void keeps(Set<Node> nodes, String program) {
    nodes.forEach(node -> kept.put(node, program));
  }

  /** The program of this line of contexts that computes a node for itself alone. */
  @Nullable String keeper(Node node) {
    String program = kept.get(node);
    return program != null || parent == null ? program : parent.keeper(node);
  }

  /** Returns whether a node is here. */
  public boolean holds(Node node) {
    return own.containsKey(node) || (parent != null && parent.holds(node));
  }

  /**
   * Returns a node's memory, which is the device's: where that is not the host's, it has an address
   * and no size here. Reading it while the device works shows anything.
   *
   * @throws IllegalArgumentException if the node is not here
   * @throws IllegalStateException if this or a context it was made from is closed
   */
  public MemorySegment buffer(Node node) {
    requireOpen();
    for (Context context = this; context != null; context = context.parent) {
      Allocation allocation = context.own.get(node);
      if (allocation != null) {
        return allocation.segment();
      }
    }
    throw new IllegalArgumentException(
        "node "
            + node
            + " is not in the context on "
            + device
            + ", which holds "
            + nodes()
            + "; link a routine that uses it, or allocate it");
  }

  /**
   * Checks that this and the contexts it was made from are open.
   *
   * @throws IllegalStateException if one is closed
   */
  void requireOpen() {
    for (Context context = this; context != null; context = context.parent) {
      if (context.closed) {
        throw new IllegalStateException(
            (context == this ? "the context on " : "a context that this one was made from, on ")
                + device
                + " is closed; link the program into an open one");
      }
    }
  }

  boolean isOpen() {
    for (Context context = this; context != null; context = context.parent) {
      if (context.closed) {
        return false;
      }
    }
    return true;
  }

  /** Remembers the last operation that was queued on the memory of this line of contexts. */
  void queued(@Nullable Pending operation) {
    for (Context context = this; context != null; context = context.parent) {
      context.pending = operation;
    }
  }

  /** Does a step in order that uses memory of this context, which may be closed by then. */
  private void inOrder(String name, Runnable step) {
    device
        .place()
        .inOrder(
            () -> {
              requireOpen();
              step.run();
            });
    queued(device.place().pending(name));
  }

  /**
   * Returns a child that also holds {@code nodes}, zeros at first.
   *
   * @throws IllegalStateException if this or a context it was made from is closed
   */
  public Context with(Set<Node> nodes) {
    requireOpen();
    Context child = new Context(device, this);
    try {
      for (Node node : nodes) {
        if (!child.holds(node)) {
          child.own.put(node, device.place().memory().allocate(node.bytes()));
        }
      }
    } catch (RuntimeException e) {
      child.close();
      throw e;
    }
    return child;
  }

  /**
   * Copies host memory into a node. The memory must stay as it is until the device has been
   * awaited.
   *
   * @throws IllegalArgumentException if the node is not hosted, not here, or of another size
   * @throws IllegalStateException if it is constant and was written here before, or this or the
   *     memory is closed
   * @throws WrongThreadException if only another thread may use the memory
   */
  public void fromHost(Node node, MemorySegment host) {
    MemorySegment memory = hosted(node, host);
    wrote(node);
    inOrder("copy to " + node, () -> device.place().copy(host, memory, node.bytes()));
  }

  /**
   * Copies a node into host memory, which holds it once the device has been awaited.
   *
   * @throws IllegalArgumentException as {@link #fromHost} does, or if the memory is read-only
   */
  public void toHost(Node node, MemorySegment host) {
    MemorySegment memory = hosted(node, host);
    HostMemory.requireWritable(host, node.bytes(), "the host memory for " + node);
    inOrder("copy of " + node, () -> device.place().copy(memory, host, node.bytes()));
  }

  /** Remembers, where the node's memory is, that the host wrote it. */
  private void wrote(Node node) {
    Context holder = this;
    while (!holder.own.containsKey(node) && holder.parent != null) {
      holder = holder.parent;
    }
    if (!holder.written.add(node)) {
      node.restrict(Mode.not(Mode.CONSTANT), "the host wrote it again on " + device);
    }
  }

  private MemorySegment hosted(Node node, MemorySegment host) {
    if (!Mode.onHost().containsAll(node.modes())) {
      throw new IllegalArgumentException(
          "node " + node + " is not hosted; make it with Node.hosted, or as an input or output");
    }
    MemorySegment memory = buffer(node);
    if (host.byteSize() != node.bytes()) {
      throw new IllegalArgumentException(
          "node "
              + node
              + " of shape "
              + node.shape()
              + " and type "
              + node.type()
              + " takes "
              + node.bytes()
              + " bytes, but the host memory has "
              + host.byteSize());
    }
    String role = "the host memory for " + node;
    HostMemory.requireReadable(host, node.bytes(), role);
    if (!device.place().usesCallersThread()) {
      HostMemory.requireShared(host, role);
    }
    return memory;
  }

  /** Sets the elements of a node of floating-point or integer type, and waits. */
  public void write(Node node, double... values) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(Math.max(1, node.bytes()), 64);
      HostArrays.write(node, host, values);
      MemorySegment memory = buffer(node);
      wrote(node);
      inOrder("copy to " + node, () -> device.place().copy(host, memory, node.bytes()));
      device.await();
    }
  }

  /** Waits, and returns the elements of a node; complex ones as pairs. */
  public double[] read(Node node) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(Math.max(1, node.bytes()), 64);
      MemorySegment memory = buffer(node);
      inOrder("copy of " + node, () -> device.place().copy(memory, host, node.bytes()));
      device.await();
      return HostArrays.read(node, host);
    }
  }

  /**
   * Brings a node from another context, in order with what both devices do.
   *
   * @return this context, or for merge buffers a child that knows what was merged
   * @throws IllegalArgumentException if the node is not in {@code source}, or for {@link
   *     Merge#NONE} not here
   */
  public Context transfer(Node node, Merge how, Context source) {
    requireOpen();
    if (how == Merge.STREAMING && !device.place().reads(source.device.place())) {
      return transfer(node, Merge.COPY, source);
    }
    MemorySegment from = source.buffer(node);
    boolean apart = source.device != device;
    if (apart) {
      device.stream().waitFor(source.device.stream().record());
    }
    move(node, how, from, source);
    if (how != Merge.NONE) {
      device.streamsFrom(apart && how == Merge.STREAMING ? source.device : null);
    }
    if (apart && how != Merge.STREAMING) {
      source.device.stream().waitFor(device.stream().record());
    }
    if (how == Merge.NONE) {
      return this;
    }
    Context child = new Context(device, this);
    child.merged = node;
    return child;
  }

  private void move(Node node, Merge how, MemorySegment from, Context source) {
    String name = "transfer of " + node;
    switch (how) {
      case NONE -> {
        MemorySegment to = buffer(node);
        inOrder(name, () -> copyFrom(source, from, to, node.bytes()));
      }
      case COPY -> inOrder(name, () -> device.mergeCopyOf(node, from, source));
      case STREAMING -> inOrder(name, () -> device.mergeFrom(node, from, source));
    }
    source.queued(device.place().pending(name));
  }

  private void copyFrom(Context source, MemorySegment from, MemorySegment to, long bytes) {
    source.requireOpen();
    device.place().bring(source.device.place(), from, to, bytes);
  }

  /**
   * Frees what this context added. Closing again does nothing.
   *
   * @throws IllegalStateException if a routine or a copy that uses this context has not ended; then
   *     it stays open
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    Pending last = pending;
    if (last != null && !last.event().isDone()) {
      throw new IllegalStateException(
          "the context on "
              + device
              + " cannot be closed while "
              + last.name()
              + " runs there; await the device first");
    }
    // A step that starts from now on sees this; await waits for one that has started before.
    closed = true;
    try {
      device.drain();
    } finally {
      own.values().forEach(Allocation::close);
      own.clear();
    }
  }
}
