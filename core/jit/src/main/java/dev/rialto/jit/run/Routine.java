package dev.rialto.jit.run;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Node;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.Work;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
  private static final System.Logger LOGGER = System.getLogger("dev.rialto.jit");

  private final Compiled compiled;
  private final Context context;
  private final Place place;
  private final List<Procedure> procedures;
  private final Map<StaticIndex, Long> bindings = new LinkedHashMap<>();
  private final Optional<Node> merged;
  private final NodeMemory.Loan[] lent;
  private final boolean awaited;
  private final RoutineMemory scratch;
  private volatile @Nullable Linked linked;
  private volatile boolean closed;

  /**
   * The program with all its memory.
   *
   * @param work what a run is
   * @param bodies a procedure each
   * @param merge the merge buffer that it reads, or null
   */
  private record Linked(Work work, List<RangeBody> bodies, @Nullable Buffer merge) {}

  Routine(Compiled compiled, Context context) {
    this.compiled = compiled;
    this.context = context;
    Lowered lowered = compiled.lowered();
    this.procedures = lowered.procedures();
    lowered.statics().forEach(index -> bindings.put(index, 0L));
    this.merged = lowered.merged().stream().findFirst();
    this.lent =
        lowered.context().stream()
            .filter(context::isBound)
            .map(context::memory)
            .toArray(NodeMemory.Loan[]::new);
    this.awaited = Arrays.stream(lent).anyMatch(NodeMemory.Loan::isAwaited);
    this.place = context.device().place();
    this.scratch = new RoutineMemory(lowered, context.device());
    try {
      var _ = compiled.code();
      this.linked = merged.isEmpty() ? link(null) : null;
    } catch (RuntimeException e) {
      scratch.close();
      throw e;
    }
  }

  private Linked link(@Nullable Buffer merge) {
    Work work = context.device().client().work(name(), uses(merge));
    List<RangeBody> bodies = new ArrayList<>();
    for (int i = 0; i < procedures.size(); i++) {
      List<MemorySegment> buffers = new ArrayList<>();
      for (Slot slot : compiled.lowered().slots().get(i)) {
        buffers.add(
            work.memory(
                requireNonNull(
                    switch (slot) {
                      case Slot.Merge _ -> merge;
                      case Slot.Statics _ -> scratch.statics();
                      case Slot.OfNode(Node node) -> memory(node);
                    })));
        requireAligned(slot, buffers.getLast());
      }
      bodies.add(place.bind(compiled.code(), compiled.first() + i, buffers, work));
    }
    return new Linked(work, bodies, merge);
  }

  /** Refuses a part that begins within an element: a GPU that reads one is lost to its process. */
  private static void requireAligned(Slot slot, MemorySegment memory) {
    if (slot instanceof Slot.OfNode(Node node) && memory.address() % node.type().alignment() != 0) {
      throw new IllegalArgumentException(
          "node %s of %s is memory that begins within an element; begin it at a multiple of %d bytes"
              .formatted(node, node.type(), node.type().alignment()));
    }
  }

  private Buffer memory(Node node) {
    Buffer own = scratch.of(node);
    return own != null ? own : context.memory(node).buffer();
  }

  private Map<Buffer, Access> uses(@Nullable Buffer merge) {
    Map<Buffer, Access> uses = new LinkedHashMap<>();
    // What is in them before a run does not matter.
    scratch.buffers().forEach(buffer -> uses.put(buffer, Access.WRITE));
    Set<Node> read = inputs();
    Set<Node> written = compiled.program().assigned();
    for (Node node : compiled.lowered().context()) {
      uses.put(
          context.memory(node).buffer(),
          !written.contains(node)
              ? Access.READ
              : read.contains(node) ? Access.READ_WRITE : Access.WRITE);
    }
    if (merge != null) {
      uses.merge(merge, Access.READ, (_, _) -> Access.READ_WRITE);
    }
    return uses;
  }

  /** Returns the program with the merge buffer as it is now. */
  private Linked linked() {
    Linked now = linked;
    Buffer merge = merged.isPresent() ? context.device().merged(merged.get()) : null;
    if (now == null || now.merge() != merge) {
      now = link(merge);
      linked = now;
    }
    return now;
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
    return merged;
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
          "static index %s of routine %s is %s, but goes from 0 to %s"
              .formatted(index, name(), value, index.size() - 1));
    }
    synchronized (bindings) {
      bindings.put(index, value);
    }
    return this;
  }

  /**
   * Queues a run and returns; with a {@code sync} back end, or if it uses an array of the host, it
   * is done then.
   *
   * @throws IllegalStateException if this, its context or its program is closed, or the merge
   *     buffer that it reads is not there
   * @throws ArithmeticException if the settings have checks and a node becomes NaN or infinite,
   *     with the node, the index and the statement
   */
  public void run() {
    requireOpen();
    for (NodeMemory.Loan each : lent) {
      each.requireUsable();
    }
    long[] values;
    synchronized (bindings) {
      values = bindings.values().stream().mapToLong(Long::longValue).toArray();
    }
    Linked now = linked();
    if (context.device().backend().checks()) {
      runChecked(now, values);
      return;
    }
    if (LOGGER.isLoggable(Level.TRACE)) {
      LOGGER.log(Level.TRACE, "run " + name() + " on " + context.device());
    }
    place.inOrder(now.work(), () -> execute(now, values, 0, procedures.size()));
    context.queued(now.work());
    compiled.queued(context.device(), now.work());
    if (awaited) {
      context.device().await();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("routine " + name() + " is closed; link it again");
    }
    if (!context.isOpen()) {
      throw new IllegalStateException(
          ("routine %s cannot run: the context on %s that holds its nodes is closed; link it "
                  + "into an open one")
              .formatted(name(), context.device()));
    }
    compiled.requireOpen();
  }

  /**
   * Runs step by step, waits, and looks at what each wrote.
   *
   * @throws ArithmeticException if a number is not finite
   */
  private void runChecked(Linked now, long[] values) {
    Map<Node, Integer> assigned = new HashMap<>();
    for (int i = 0; i < procedures.size(); i++) {
      int step = i;
      place.inOrder(now.work(), () -> execute(now, values, step, step + 1));
      context.queued(now.work());
      compiled.queued(context.device(), now.work());
      context.device().await();
      for (Node node : written(i)) {
        double[] found = NodeValues.read(node, context.device().client().read(memory(node)));
        int time = assigned.merge(node, 1, Integer::sum);
        LOGGER.log(Level.DEBUG, () -> name() + ": " + NodeStatistics.of(node, found));
        int wrong =
            node.type().kind() != DType.Kind.INTEGER ? NodeStatistics.firstWrong(found) : -1;
        if (wrong >= 0) {
          throw new ArithmeticException(
              "program %s: %s%s is %s%s"
                  .formatted(
                      name(),
                      node,
                      NodeStatistics.index(node, wrong),
                      found[wrong],
                      compiled.program().statement(node, time)));
        }
      }
    }
  }

  /** The nodes that a procedure writes. */
  private Set<Node> written(int procedure) {
    List<Slot> slots = compiled.lowered().slots().get(procedure);
    List<dev.rialto.spi.code.Buffer> parameters = procedures.get(procedure).parameters();
    Set<Node> nodes = new LinkedHashSet<>();
    Set<dev.rialto.spi.code.Buffer> stored = Ir.stored(procedures.get(procedure).body());
    for (int i = 0; i < slots.size(); i++) {
      if (stored.contains(parameters.get(i)) && slots.get(i) instanceof Slot.OfNode(Node node)) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  /** Checks again that this is open: it may have been closed since the run was queued. */
  private void execute(Linked now, long[] values, int first, int end) {
    requireOpen();
    Buffer statics = scratch.statics();
    if (statics != null) {
      MemorySegment target = now.work().memory(statics);
      place.copy(MemorySegment.ofArray(values), target, 8L * values.length, now.work());
    }
    Executor executor = context.device().backend().executor();
    for (int i = first; i < end; i++) {
      if (procedures.get(i).items() > 0) {
        place.run(procedures.get(i), now.bodies().get(i), executor);
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
      }
    }
  }
}
