package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.DevicePeers;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
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
 * <p>Arrays may be other memory each time. Input and output may be the same array; any other
 * overlap is refused. An exchange that has failed can only be closed. Used by one thread at a time.
 */
public final class Exchange implements AutoCloseable {
  private enum State {
    IDLE,
    STARTED,
    FAILED,
    CLOSED
  }

  private final ExchangePlan plan;
  private final DType type;
  private final int vectors;
  private final Communicator comm;
  private final SharedMemory shared;
  private final DevicePeers peers;
  private final ExchangeOptions options;
  private final int tag;
  private final String[] inputNames;
  private final String[] outputNames;
  private final MemorySegment[] oneInput = new MemorySegment[1];
  private final MemorySegment[] oneOutput = new MemorySegment[1];
  private Scheme scheme;
  private String tile;
  private @Nullable Binding binding;
  private String boundTile = "";
  private State state = State.IDLE;

  Exchange(
      ExchangePlan plan,
      DType type,
      int vectors,
      Communicator comm,
      SharedMemory shared,
      DevicePeers peers,
      ExchangeOptions options,
      int tag) {
    this.plan = plan;
    this.type = type;
    this.vectors = vectors;
    this.comm = comm;
    this.shared = shared;
    this.peers = peers;
    this.options = options;
    this.tag = tag;
    this.inputNames = new String[vectors];
    this.outputNames = new String[vectors];
    Arrays.setAll(inputNames, i -> "input " + i);
    Arrays.setAll(outputNames, i -> "output " + i);
    this.scheme = Schemes.standard(plan, type, comm);
    this.tile = options.kernels().tiles().getFirst();
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
    requireNotStarted("scheme");
    chosen
        .refusal(plan, type, comm)
        .ifPresent(
            reason -> {
              throw new UnsupportedOperationException(
                  "scheme " + chosen + " cannot do " + plan.name() + ": " + reason);
            });
    scheme = chosen;
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
    requireNotStarted("tile");
    ExchangeKernels _ = options.kernels().withTile(size);
    tile = size;
    return this;
  }

  private void requireNotStarted(String what) {
    if (state == State.STARTED) {
      throw new IllegalStateException(
          this + " is under way; await it before choosing another " + what);
    }
  }

  /** Begins a run with one array in and one out. */
  public void start(MemorySegment input, MemorySegment output) {
    oneInput[0] = input;
    oneOutput[0] = output;
    begin(oneInput, oneOutput);
  }

  /**
   * Begins a run with several arrays.
   *
   * @throws IllegalStateException if a run is under way, or this is closed or has failed
   * @throws IllegalArgumentException if arrays are of the wrong number or kind, or overlap partly
   * @throws IndexOutOfBoundsException if an array is too small
   */
  public void start(MemorySegment[] inputs, MemorySegment[] outputs) {
    begin(inputs, outputs);
  }

  private void begin(MemorySegment[] inputs, MemorySegment[] outputs) {
    require(State.IDLE, "start");
    boolean aliased = check(inputs, outputs);
    try {
      bind().start(inputs, outputs, aliased && !plan.inPlaceSafe());
      state = State.STARTED;
    } catch (RuntimeException | Error e) {
      state = State.FAILED;
      throw e;
    }
  }

  /** Checks the arrays and returns whether input and output are the same. */
  private boolean check(MemorySegment[] inputs, MemorySegment[] outputs) {
    if (inputs.length != vectors || outputs.length != vectors) {
      throw new IllegalArgumentException(
          "%d arrays in and %d out; this exchange is for %d"
              .formatted(inputs.length, outputs.length, vectors));
    }
    long in = type.bytes(plan.inputCount());
    long out = type.bytes(plan.outputCount());
    boolean same = false;
    for (int i = 0; i < vectors; i++) {
      options.kernels().check(inputs[i], in, false, inputNames[i]);
      options.kernels().check(outputs[i], out, true, outputNames[i]);
      for (int j = 0; j < vectors; j++) {
        long apart = inputs[i].address() - outputs[j].address();
        if (apart < out && -apart < in) {
          if (i != j || apart != 0) {
            throw new IllegalArgumentException(
                "input %d overlaps output %d; give the same array or another".formatted(i, j));
          }
          same = true;
        }
      }
    }
    return same;
  }

  private Binding bind() {
    Binding bound = binding;
    if (bound != null && bound.scheme().equals(scheme) && boundTile.equals(tile)) {
      return bound;
    }
    release();
    ExchangeOptions tiled = options.withKernels(options.kernels().withTile(tile));
    bound = new Binding(plan, type, vectors, scheme, comm, shared, peers, tiled, tag);
    binding = bound;
    boundTile = tile;
    return bound;
  }

  /**
   * Ends a run: what was received is in place and the input is the caller's again.
   *
   * @throws IllegalStateException if no run is under way; or, with checks on, if memory was touched
   *     in the meantime
   * @throws dev.rialto.spi.error.CommunicationException if a peer failed
   */
  public void await() {
    await(true);
  }

  /**
   * Ends a run in the order of the kernels' stream: what is added to that from now on finds it as
   * after {@link #await}, and so does the next run. Where {@link #explain} says that messages are
   * in the order of a stream nobody waits; elsewhere this is {@link #await}.
   */
  public void awaitInStream() {
    await(false);
  }

  private void await(boolean waits) {
    require(State.STARTED, "await");
    try {
      binding.await(waits);
      state = State.IDLE;
    } catch (RuntimeException | Error e) {
      state = State.FAILED;
      throw e;
    }
  }

  /** Starts and awaits. */
  public void run(MemorySegment input, MemorySegment output) {
    start(input, output);
    await();
  }

  /** Starts and awaits. */
  public void run(MemorySegment[] inputs, MemorySegment[] outputs) {
    start(inputs, outputs);
    await();
  }

  private void require(State wanted, String call) {
    if (state == wanted) {
      return;
    }
    throw new IllegalStateException(
        call
            + ": "
            + this
            + switch (state) {
              case IDLE -> " is not under way; start it first";
              case STARTED -> " is under way already; await it first";
              case FAILED -> " has failed; close it";
              case CLOSED -> " is closed";
            });
  }

  /** Describes for people what a run does on this rank. Collective, as a start is. */
  public String explain() {
    return plan.explain(type) + "\n" + scheme + ": " + bind().way();
  }

  /** Returns whether a run has failed. */
  boolean hasFailed() {
    return state == State.FAILED;
  }

  /** Returns whether a run is under way. */
  public boolean isStarted() {
    return state == State.STARTED;
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
    require(State.IDLE, "release");
    Binding bound = binding;
    binding = null;
    if (bound != null) {
      bound.close();
    }
  }

  /**
   * Gives buffers, requests and windows back. Collective. Closing again does nothing.
   *
   * <p>After a failure nothing is given back: peers may be gone, so nobody waits for them, and
   * messages under way may still use the buffers. They go with the world.
   *
   * @throws IllegalStateException if a run is under way
   */
  @Override
  public void close() {
    if (state == State.CLOSED) {
      return;
    }
    State before = state;
    state = State.CLOSED;
    Binding bound = binding;
    binding = null;
    if (bound != null && before != State.FAILED) {
      bound.close();
    }
    if (before == State.STARTED) {
      throw new IllegalStateException(
          "close: " + plan.name() + " is under way; await it before closing it");
    }
  }

  @Override
  public String toString() {
    return plan.name() + " of " + type + (vectors == 1 ? "" : " x" + vectors) + " by " + scheme;
  }
}
