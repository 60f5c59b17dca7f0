package dev.rialto.jit.run;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Node;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.RangeBody;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A program linked into a context. Each run is queued on the device, with the values that the
 * static indices have at that moment. Runs of one routine from several threads are queued one by
 * one.
 */
public final class Routine implements AutoCloseable {
  private final Compiled compiled;
  private final String label;
  private final Context context;
  private final Place place;
  private final List<Procedure> procedures;
  private final RangeBody[] bodies;
  private final Map<StaticIndex, Long> bindings = new LinkedHashMap<>();
  private final Scratch scratch;
  private final @Nullable Allocation statics;
  private MemorySegment boundMerge = MemorySegment.NULL;
  private volatile boolean closed;

  Routine(Compiled compiled, Context context) {
    this.compiled = compiled;
    this.label = "routine " + compiled.name();
    this.context = context;
    Lowered lowered = compiled.lowered();
    this.procedures = lowered.procedures();
    this.bodies = new RangeBody[procedures.size()];
    lowered.statics().forEach(index -> bindings.put(index, 0L));
    this.place = context.device().place();
    var memory = place.memory();
    this.statics = bindings.isEmpty() ? null : memory.allocate(8L * bindings.size());
    this.scratch = new Scratch(lowered, memory);
    for (int i = 0; i < bodies.length; i++) {
      if (!readsMerge(i)) {
        bodies[i] = bind(i, MemorySegment.NULL);
      }
    }
  }

  private boolean readsMerge(int procedure) {
    return compiled.lowered().slots().get(procedure).stream()
        .anyMatch(s -> s instanceof Slot.Merge);
  }

  private RangeBody bind(int procedure, MemorySegment merge) {
    List<MemorySegment> buffers = new ArrayList<>();
    for (Slot slot : compiled.lowered().slots().get(procedure)) {
      buffers.add(
          switch (slot) {
            case Slot.Merge _ -> merge;
            case Slot.Statics _ -> requireNonNull(statics).segment();
            case Slot.OfNode(Node node) -> {
              MemorySegment own = scratch.of(node);
              yield own != null ? own : context.buffer(node);
            }
          });
    }
    Code code = compiled.code();
    return place.bind(code, compiled.first() + procedure, buffers);
  }

  /** Returns the name. */
  public String name() {
    return compiled.name();
  }

  /** Returns the context that holds everything this routine reads and writes. */
  public Context context() {
    return context;
  }

  /** Returns the nodes whose contents matter to it. */
  public Set<Node> inputs() {
    return compiled.program().inputs();
  }

  /** Returns the nodes of the context that it writes. */
  public Set<Node> outputs() {
    Set<Node> outputs = compiled.program().assigned();
    outputs.retainAll(compiled.lowered().context());
    return outputs;
  }

  /** Returns the node that it reads from the merge buffer. */
  public Optional<Node> merged() {
    return compiled.lowered().merged().stream().findFirst();
  }

  /** Fills all inputs with random numbers from 0 to 1, to try a program out; waits. */
  public void randomInputs(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (Node node : inputs()) {
      int parts = node.type().kind() == DType.Kind.COMPLEX ? 2 : 1;
      context.write(
          node, random.doubles(Math.multiplyExact(node.shape().count(), parts)).toArray());
    }
  }

  /**
   * Sets a static index for the runs from now on.
   *
   * @throws IllegalArgumentException if the program has no such index or the value is out of range
   */
  public Routine bind(StaticIndex index, long value) {
    if (!bindings.containsKey(index)) {
      throw new IllegalArgumentException(
          "routine " + name() + " has no static index " + index + "; it has " + bindings.keySet());
    }
    if (value < 0 || value >= index.size()) {
      throw new IllegalArgumentException(
          "static index "
              + index
              + " of routine "
              + name()
              + " is "
              + value
              + ", but goes from 0 to "
              + (index.size() - 1));
    }
    synchronized (bindings) {
      bindings.put(index, value);
    }
    return this;
  }

  /**
   * Queues a run and returns; with a {@code sync} back end it is done then.
   *
   * @throws IllegalStateException if this, its context or its program is closed
   */
  public void run() {
    requireOpen();
    long[] values;
    synchronized (bindings) {
      values = bindings.values().stream().mapToLong(Long::longValue).toArray();
    }
    Device device = context.device();
    place.inOrder(() -> execute(values));
    Pending pending = place.pending(label);
    if (pending != null) {
      context.queued(pending);
      compiled.queued(pending);
    }
    Device source = merged().isPresent() ? device.streamsFrom() : null;
    if (source != null) {
      source.stream().waitFor(device.stream().record());
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("routine " + name() + " is closed; link it again");
    }
    if (!context.isOpen()) {
      throw new IllegalStateException(
          "routine "
              + name()
              + " cannot run: the context on "
              + context.device()
              + " that holds its nodes is closed; link it into an open one");
    }
    compiled.requireOpen();
  }

  /** What was open when the run was queued may be closed now. */
  private void execute(long[] values) {
    requireOpen();
    if (statics != null) {
      place.copy(MemorySegment.ofArray(values), statics.segment(), 8L * values.length);
    }
    Optional<Node> merged = merged();
    if (merged.isPresent()) {
      MemorySegment merge = context.device().merged(merged.get());
      if (merge.address() != boundMerge.address()) {
        boundMerge = merge;
        for (int i = 0; i < bodies.length; i++) {
          if (readsMerge(i)) {
            bodies[i] = bind(i, merge);
          }
        }
      }
    }
    if (merged.isPresent() && boundMerge.isNative()) {
      // The memory of another device's context, which that device's user may close meanwhile.
      HostMemory.holding(boundMerge, boundMerge, this::runAll);
    } else {
      runAll();
    }
  }

  private void runAll() {
    Executor executor = context.device().backend().executor();
    for (int i = 0; i < bodies.length; i++) {
      if (procedures.get(i).items() > 0) {
        place.run(procedures.get(i), bodies[i], executor);
      }
    }
  }

  /** Waits, and frees what the routine itself holds. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    try {
      context.device().drain();
    } finally {
      closed = true;
      try {
        // For a run that another thread has queued meanwhile.
        context.device().drain();
      } finally {
        scratch.close();
        if (statics != null) {
          statics.close();
        }
      }
    }
  }
}
