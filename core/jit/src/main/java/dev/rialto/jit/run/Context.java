package dev.rialto.jit.run;

import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.Work;
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
  /** The way of a node from another device. */
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

  private static final System.Logger LOGGER = System.getLogger("dev.rialto.jit");

  private final VirtualDevice device;
  private final @Nullable Context parent;
  private final Map<Node, NodeMemory.Loan> own = new LinkedHashMap<>();
  private final Set<Node> written = ConcurrentHashMap.newKeySet();
  private final Set<Node> bound = new LinkedHashSet<>();
  private final Map<Node, String> kept = new LinkedHashMap<>();
  private @Nullable Node merged;
  private volatile boolean closed;
  private volatile @Nullable Work pending;

  Context(VirtualDevice device, @Nullable Context parent) {
    this.device = device;
    this.parent = parent;
    this.merged = parent == null ? null : parent.merged;
  }

  /** Returns the device. */
  public VirtualDevice device() {
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
   * Returns a node's memory, which is this context's: it is read and written in order with
   * routines, by clients of the same device.
   *
   * @throws IllegalArgumentException if the node is not here
   * @throws IllegalStateException if this or a context it was made from is closed
   */
  public Buffer buffer(Node node) {
    NodeMemory.Loan memory = memory(node);
    memory.requireUsable();
    return memory.buffer();
  }

  /** Returns a node's memory, whether or not it may be used now. */
  NodeMemory.Loan memory(Node node) {
    requireOpen();
    for (Context context = this; context != null; context = context.parent) {
      NodeMemory.Loan memory = context.own.get(node);
      if (memory != null) {
        return memory;
      }
    }
    throw new IllegalArgumentException(
        ("node %s is not in the context on %s, which holds %s; link a routine that uses it, "
                + "or allocate it")
            .formatted(node, device, nodes()));
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

  /** Remembers the routine that was run last on the memory of this line of contexts. */
  void queued(Work routine) {
    for (Context context = this; context != null; context = context.parent) {
      context.pending = routine;
    }
  }

  /**
   * Returns a child that also holds {@code nodes}, zeros at first.
   *
   * @throws IllegalStateException if this or a context it was made from is closed
   * @throws dev.rialto.spi.error.MemoryException if there is not enough memory, with a table of who
   *     holds what
   */
  public Context with(Set<Node> nodes) {
    return with(nodes, "");
  }

  /**
   * Returns a child that also holds {@code nodes}.
   *
   * @param owner follows the names of nodes in tables of who holds memory
   */
  Context with(Set<Node> nodes, String owner) {
    requireOpen();
    Context child = new Context(device, this);
    try {
      for (Node node : nodes) {
        if (!child.holds(node)) {
          Buffer zeros = device.zeros("node " + node + owner, node.bytes());
          child.own.put(node, new OwnedMemory(zeros));
        }
      }
    } catch (RuntimeException e) {
      child.close();
      throw e;
    }
    return child;
  }

  /**
   * Returns a child in which nodes are memory that is there already: what programs write to them is
   * written there, in order with what the memory's owner does before and after. It stays the
   * owner's, who keeps it as long as the child is open.
   *
   * <p>A routine that uses an array of the host is over when {@link Routine#run} returns; on other
   * devices, kernels and copies wait for it there.
   *
   * @throws IllegalArgumentException if the type, the shape or the place of one does not fit, or
   *     two nodes would share memory
   * @throws IllegalStateException if a node is here already, or something is closed
   */
  public Context with(Map<Node, ? extends NodeMemory> memory) {
    requireOpen();
    Context child = new Context(device, this);
    try {
      memory.forEach(child::bind);
    } catch (RuntimeException e) {
      child.close();
      throw e;
    }
    return child;
  }

  private void bind(Node node, NodeMemory memory) {
    if (holds(node)) {
      throw new IllegalStateException(
          "node " + node + " is in the context on " + device + " already; bind it before it is");
    }
    NodeMemory.Loan loan = memory.lend(node, device.client().device());
    for (Node other : nodes()) {
      if (loan.buffer().overlaps(memory(other).buffer())) {
        loan.close();
        throw new IllegalArgumentException(
            "nodes " + other + " and " + node + " would share memory; give each its own");
      }
    }
    bound.add(node);
    own.put(node, loan);
  }

  /** Returns whether a node of this line of contexts is memory from outside. */
  boolean isBound(Node node) {
    return bound.contains(node) || (parent != null && parent.isBound(node));
  }

  /** Returns whether operations on a node have to be over before the host goes on. */
  private boolean isAwaited(Node node) {
    return holds(node) && memory(node).isAwaited();
  }

  /**
   * Copies host memory, which is the caller's again on return, into a node.
   *
   * @throws IllegalArgumentException if the node is not hosted, not here, or of another size
   * @throws IllegalStateException if it is constant and was written here before, or this or the
   *     memory is closed
   */
  public void fromHost(Node node, MemorySegment host) {
    Buffer buffer = hosted(node, host);
    wrote(node);
    device.client().write(buffer, host);
  }

  /**
   * Waits for a node, and copies it into host memory.
   *
   * @throws IllegalArgumentException as {@link #fromHost} does, or if the memory is read-only
   * @throws dev.rialto.spi.error.DeviceException if what should have written the node failed
   */
  public void toHost(Node node, MemorySegment host) {
    device.client().read(hosted(node, host), host);
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

  private Buffer hosted(Node node, MemorySegment host) {
    if (!Mode.onHost().containsAll(node.modes())) {
      throw new IllegalArgumentException(
          "node " + node + " is not hosted; make it with Node.hosted, or as an input or output");
    }
    Buffer buffer = buffer(node);
    if (host.byteSize() != node.bytes()) {
      throw new IllegalArgumentException(
          "node %s of shape %s and type %s takes %s bytes, but the host memory has %s"
              .formatted(node, node.shape(), node.type(), node.bytes(), host.byteSize()));
    }
    return buffer;
  }

  /** Sets the elements of a node of floating-point or integer type. */
  public void write(Node node, double... values) {
    MemorySegment host = NodeValues.of(node, values);
    Buffer buffer = buffer(node);
    wrote(node);
    device.client().write(buffer, host);
  }

  /** Waits, and returns the elements of a node; complex ones as pairs. */
  public double[] read(Node node) {
    return NodeValues.read(node, device.client().read(buffer(node)));
  }

  /** Waits, and returns what the elements of a node are like. */
  public NodeStatistics statistics(Node node) {
    return NodeStatistics.of(node, read(node));
  }

  /** Waits, and logs what the elements of a node are like, to {@code dev.rialto.jit}. */
  public void log(Node node) {
    LOGGER.log(System.Logger.Level.INFO, () -> statistics(node).toString());
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
    boolean awaited = source.isAwaited(node);
    if (how == Merge.NONE) {
      source.device.client().copy(source.buffer(node), device.client(), buffer(node));
      awaited |= isAwaited(node);
    } else if (how == Merge.STREAMING && !awaited && device.reads(source.device)) {
      device.mergeFrom(node, source);
    } else {
      device.mergeCopyOf(node, source);
    }
    if (awaited) {
      device.await();
    }
    if (how == Merge.NONE) {
      return this;
    }
    Context child = new Context(device, this);
    child.merged = node;
    return child;
  }

  /**
   * Frees what this context added, and ends the loan of what it bound. Closing again does nothing.
   *
   * @throws IllegalStateException if a routine that uses this context has not ended; then it stays
   *     open
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    Work last = pending;
    if (last != null && last.isPending()) {
      throw new IllegalStateException(
          ("the context on %s cannot be closed while routine %s runs there; await the device "
                  + "first")
              .formatted(device, last.name()));
    }
    // A step that starts from now on sees this; draining waits for one that has started before.
    closed = true;
    try {
      device.drain();
    } finally {
      own.values().forEach(NodeMemory.Loan::close);
      own.clear();
    }
  }
}
