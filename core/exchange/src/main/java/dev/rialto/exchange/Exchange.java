package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A plan bound to a communicator, a type and a scheme: what is run, again and again.
 *
 * <p>Made by an {@link Exchanger}. Buffers, requests and windows are made at the first start and
 * anew after the scheme was changed, which is collective then. A run is {@link #start}, whatever
 * the caller computes meanwhile, and {@link #await}. In between the input must not be written and
 * what is received must be neither read nor written. A start does not wait for peers, except until
 * they have awaited the run before. Several exchanges may be under way at once, started in the same
 * order on all ranks.
 *
 * <p>Arrays may be other memory each time, and stay alive until the run has ended. Memory that was
 * freed is never touched: a call that works on addresses keeps the arenas from being closed while
 * it lasts, one that only copies pieces from segment to segment fails if they are, and an await
 * refuses memory that was freed since the start. Messages that a communicator has been given in
 * between are its to check. Input and output may be the same array; any other overlap is refused.
 * Ranks of one process read long messages from the sender's array itself, unless that is in a
 * confined arena, which only its own thread can keep alive; then they are copied once more.
 *
 * <p>An exchange that has failed can only be closed, which waits for no rank. Used by one thread at
 * a time; a second one, and closing while a run is under way, are refused.
 */
public final class Exchange implements AutoCloseable {
  private static final MemorySegment[] NONE = {};

  private final Exchanger exchanger;
  private final ExchangePlan plan;
  private final DType type;
  private final int vectors;
  private final Communicator comm;
  private final ExchangeOptions options;
  private final int tag;
  private final ArrayChecks arrays;
  private final MemorySegment[] oneInput = new MemorySegment[1];
  private final MemorySegment[] oneOutput = new MemorySegment[1];
  private final RunState state = new RunState(this);

  /** Each holds one input and output alive while the next, and at last the call's work, runs. */
  private final Runnable[] holders;

  private final Runnable working = this::work;

  /** The parts of a run that the call does. */
  private boolean starts;

  private boolean ends;

  /** Whether the caller keeps the arrays. */
  private boolean kept;

  private MemorySegment[] inputs = NONE;
  private MemorySegment[] outputs = NONE;
  private boolean overwrites;
  private boolean waits;
  private Scheme scheme;
  private String tile;
  private @Nullable Binding binding;
  private String boundTile = "";

  /** Whether there is a binding to the scheme and tile that are chosen. */
  private boolean isBound;

  Exchange(Exchanger exchanger, ExchangePlan plan, DType type, int vectors, int tag) {
    this.exchanger = exchanger;
    this.plan = plan;
    this.type = type;
    this.vectors = vectors;
    this.comm = exchanger.communicator();
    this.options = exchanger.options();
    this.tag = tag;
    this.arrays = new ArrayChecks(plan, type, vectors, options.kernels());
    this.holders = new Runnable[vectors];
    Arrays.setAll(holders, this::holder);
    this.scheme = Schemes.standard(plan, type, comm);
    this.tile = options.kernels().tiles().getFirst();
  }

  private Runnable holder(int vector) {
    return vector + 1 == vectors
        ? () -> HostMemory.holding(inputs[vector], outputs[vector], working)
        : () -> HostMemory.holding(inputs[vector], outputs[vector], holders[vector + 1]);
  }

  /** Returns the plan. */
  public ExchangePlan plan() {
    return plan;
  }

  /** Returns the elements' type. */
  public DType type() {
    return type;
  }

  /** Returns the scheme. */
  public Scheme scheme() {
    return scheme;
  }

  /** Chooses a scheme by its text; see {@link #scheme(Scheme)}. */
  public Exchange scheme(String text) {
    return scheme(Scheme.parse(text));
  }

  /**
   * Chooses a scheme, the same on all ranks. What depends on it is made anew at the next start.
   *
   * @return this
   * @throws UnsupportedOperationException if it cannot carry out the plan here, with the reason
   * @throws IllegalStateException if a run is under way
   */
  public Exchange scheme(Scheme chosen) {
    state.requireNotUnderWay("scheme", "choosing another scheme");
    chosen
        .refusal(plan, type, comm)
        .ifPresent(
            reason -> {
              throw new UnsupportedOperationException(
                  "scheme " + chosen + " cannot do " + plan.name() + ": " + reason);
            });
    scheme = chosen;
    isBound = isBoundTo(chosen, tile);
    return this;
  }

  /**
   * Chooses the tiles of the kernels; see {@link ExchangeKernels#tiles}. What depends on it is made
   * anew at the next start.
   *
   * @return this
   * @throws IllegalArgumentException if the kernels have no such tiles
   * @throws IllegalStateException if a run is under way
   */
  public Exchange tile(String size) {
    state.requireNotUnderWay("tile", "choosing another tile");
    ExchangeKernels _ = options.kernels().withTile(size);
    tile = size;
    isBound = isBoundTo(scheme, size);
    return this;
  }

  /**
   * Leaves it to the caller that no array is freed while a call lasts, as a team sees to it with
   * its arrays: calls do not hold them then. Peers that read them do.
   *
   * @return this
   */
  public Exchange keptByCaller() {
    kept = true;
    return this;
  }

  /** Begins a run with one array in and one out. */
  public void start(MemorySegment input, MemorySegment output) {
    state.enter("start");
    oneInput[0] = input;
    oneOutput[0] = output;
    begin(oneInput, oneOutput, false);
  }

  /**
   * Begins a run with several arrays.
   *
   * @throws IllegalStateException if a run is under way, this is closed or has failed, or an array
   *     was freed
   * @throws IllegalArgumentException if arrays are of the wrong number or kind, or overlap partly
   * @throws IndexOutOfBoundsException if an array is too small
   * @throws WrongThreadException if an array is confined to another thread
   */
  public void start(MemorySegment[] ins, MemorySegment[] outs) {
    state.enter("start");
    begin(ins, outs, false);
  }

  private void begin(MemorySegment[] ins, MemorySegment[] outs, boolean whole) {
    try {
      overwrites = arrays.check(ins, outs) && !plan.inPlaceSafe();
    } catch (RuntimeException | Error e) {
      // Nothing has moved.
      state.leave(false);
      throw e;
    }
    inputs = ins;
    outputs = outs;
    waits = true;
    call(true, whole);
  }

  /** Does a part of a run while no array that it uses by its address can be freed. */
  private void call(boolean start, boolean end) {
    try {
      starts = start;
      ends = end;
      if (kept || !bind().byAddress()) {
        work();
      } else {
        holders[0].run();
      }
      state.leave(!end);
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  private void work() {
    Binding bound = bind();
    if (starts) {
      bound.start(inputs, outputs, overwrites);
    }
    if (ends) {
      bound.await(inputs, outputs, waits);
    }
  }

  /** Can only be closed from now on, and says so to peers that wait. Does not wait. */
  void fail(Throwable cause) {
    if (!state.fail(cause)) {
      return;
    }
    exchanger.failed(cause);
    Binding bound = binding;
    if (bound != null) {
      try {
        bound.fail();
      } catch (RuntimeException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private boolean isBoundTo(Scheme wanted, String size) {
    return binding != null && binding.scheme().equals(wanted) && boundTile.equals(size);
  }

  private Binding bind() {
    Binding bound = binding;
    if (bound != null && isBound) {
      return bound;
    }
    unbind();
    ExchangeOptions tiled = options.withKernels(options.kernels().withTile(tile));
    bound = new Binding(plan, type, vectors, scheme, exchanger, tiled, tag);
    binding = bound;
    boundTile = tile;
    isBound = true;
    return bound;
  }

  private void unbind() {
    Binding bound = binding;
    binding = null;
    isBound = false;
    if (bound != null) {
      bound.close();
    }
  }

  /**
   * Ends a run: what was received is in place and the input is the caller's again.
   *
   * @throws IllegalStateException if no run is under way, or an array was freed since it began; or,
   *     with checks on, if memory was touched in the meantime
   * @throws dev.rialto.spi.error.CommunicationException if a peer failed
   */
  public void await() {
    await(true);
  }

  /**
   * Ends a run in the order of the kernels' stream: what is added to that from now on finds it as
   * after {@link #await}, and so does the next run. Where {@link #explain} says that messages are
   * in the order of a stream no rank waits; elsewhere this is {@link #await}.
   */
  public void awaitInStream() {
    await(false);
  }

  private void await(boolean wait) {
    state.resume("await");
    try {
      arrays.requireStillThere(state, inputs, outputs);
    } catch (IllegalStateException e) {
      fail(e);
      throw e;
    }
    waits = wait;
    call(false, true);
  }

  /** Starts and awaits. */
  public void run(MemorySegment input, MemorySegment output) {
    state.enter("run");
    oneInput[0] = input;
    oneOutput[0] = output;
    begin(oneInput, oneOutput, true);
  }

  /** Starts and awaits. */
  public void run(MemorySegment[] ins, MemorySegment[] outs) {
    state.enter("run");
    begin(ins, outs, true);
  }

  /** Describes for people what a run does on this rank. Collective, as a start is. */
  public String explain() {
    state.requireUsable("explain");
    return plan.explain(type) + "\n" + scheme + ": " + bind().way();
  }

  /** Returns whether a run is under way. */
  public boolean isStarted() {
    return state.isStarted();
  }

  /** Returns the bytes of buffers and windows that this has now. */
  public long bufferBytes() {
    return binding == null ? 0 : binding.bufferBytes();
  }

  /**
   * Returns what the last run sent.
   *
   * @throws IllegalStateException if there was none
   */
  public ExchangeReport report() {
    if (binding == null) {
      throw new IllegalStateException(this + " has not run; run it first");
    }
    return binding.report();
  }

  /**
   * Gives buffers, requests and windows back; the next start makes them anew. Collective.
   *
   * @throws IllegalStateException if a run is under way, or this is closed or has failed
   */
  public void release() {
    state.enter("release");
    try {
      unbind();
      state.leave(false);
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  /**
   * Gives buffers, requests and windows back, and leaves the exchanger. Collective. Closing again
   * does nothing.
   *
   * <p>After a failure nothing is given back: peers may be gone, so they are not waited for, and
   * messages under way may still use the buffers. They go with the world.
   *
   * @throws IllegalStateException if a run is under way; then nothing is closed
   */
  @Override
  public void close() {
    if (state.isClosed()) {
      return;
    }
    if (state.close() && !exchanger.hasFailed()) {
      try {
        unbind();
      } catch (RuntimeException | Error e) {
        exchanger.failed(e);
        throw e;
      }
    }
    exchanger.forget(this);
  }

  /** Checks that no run is under way. */
  void requireClosable() {
    state.requireNotUnderWay("close", "closing it");
  }

  @Override
  public String toString() {
    return plan.name() + " of " + type + (vectors == 1 ? "" : " x" + vectors) + " by " + scheme;
  }
}
