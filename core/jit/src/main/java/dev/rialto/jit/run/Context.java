package dev.rialto.jit.run;

import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.spi.memory.Allocation;
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
 * contexts that see everything their ancestors hold. Closing one frees only what it added; close
 * children before their parents. Thread-safe, except for closing.
 */
public final class Context implements AutoCloseable {
  /** How a node comes from another device. */
  public enum Merge {
    /** Into the node of the same context. */
    NONE,
    /** Into the merge buffer, as a copy. */
    COPY,
    /** Into the merge buffer, as the other device's memory itself. */
    STREAMING
  }

  private final Device device;
  private final @Nullable Context parent;
  private final Map<Node, Allocation> own = new LinkedHashMap<>();
  private final Set<Node> written = ConcurrentHashMap.newKeySet();
  private @Nullable Node merged;
  private boolean closed;

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

  /** Returns whether a node is here. */
  public boolean holds(Node node) {
    return own.containsKey(node) || (parent != null && parent.holds(node));
  }

  /**
   * Returns a node's memory, which is the device's: where that is not the host's, it has an address
   * and no size here. Reading it while the device works shows anything.
   *
   * @throws IllegalArgumentException if the node is not here
   */
  public MemorySegment buffer(Node node) {
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

  /** Returns a child that also holds {@code nodes}, zeros at first. */
  public Context with(Set<Node> nodes) {
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
   * @throws IllegalStateException if it is constant and was written here before
   */
  public void fromHost(Node node, MemorySegment host) {
    MemorySegment memory = hosted(node, host);
    wrote(node);
    device.place().inOrder(() -> device.place().copy(host, memory, node.bytes()));
  }

  /**
   * Copies a node into host memory, which holds it once the device has been awaited.
   *
   * @throws IllegalArgumentException as {@link #fromHost} does
   */
  public void toHost(Node node, MemorySegment host) {
    MemorySegment memory = hosted(node, host);
    device.place().inOrder(() -> device.place().copy(memory, host, node.bytes()));
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
    return memory;
  }

  /** Sets the elements of a node of floating-point or integer type, and waits. */
  public void write(Node node, double... values) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(Math.max(1, node.bytes()), 64);
      HostArrays.write(node, host, values);
      MemorySegment memory = buffer(node);
      wrote(node);
      device.place().inOrder(() -> device.place().copy(host, memory, node.bytes()));
      device.await();
    }
  }

  /** Waits, and returns the elements of a node; complex ones as pairs. */
  public double[] read(Node node) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(Math.max(1, node.bytes()), 64);
      MemorySegment memory = buffer(node);
      device.place().inOrder(() -> device.place().copy(memory, host, node.bytes()));
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
    MemorySegment from = source.buffer(node);
    boolean apart = source.device != device;
    if (apart) {
      device.stream().waitFor(source.device.stream().record());
    }
    move(node, how, from);
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

  private void move(Node node, Merge how, MemorySegment from) {
    switch (how) {
      case NONE -> {
        MemorySegment to = buffer(node);
        device.place().inOrder(() -> device.place().copy(from, to, node.bytes()));
      }
      case COPY -> device.place().inOrder(() -> device.mergeCopyOf(node, from));
      case STREAMING -> device.place().inOrder(() -> device.mergeFrom(node, from));
    }
  }

  /** Waits for the device and frees what this context added. Closing again does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try {
        device.await();
      } finally {
        own.values().forEach(Allocation::close);
        own.clear();
      }
    }
  }
}
