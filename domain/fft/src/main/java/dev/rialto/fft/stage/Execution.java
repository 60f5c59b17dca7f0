package dev.rialto.fft.stage;

import dev.rialto.array.Array;
import dev.rialto.exchange.DirectReads;
import dev.rialto.exchange.ExchangeReport;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.RunState;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.data.DType;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The executions of a plan: its stages in either direction, one after another, on memory that is
 * checked before and kept alive meanwhile. What ranks share is told of a failure.
 */
public final class Execution implements AutoCloseable {
  /** From the input to the output, or back. */
  public enum Direction {
    /** To the output. */
    FORWARD,
    /** To the input. */
    INVERSE
  }

  private final Distribution input;
  private final Distribution output;
  private final DType inputType;
  private final DType outputType;
  private final long inputBytes;
  private final long outputBytes;
  private final List<Stage> forward;
  private final List<Stage> inverse;
  private final Route[] routes;
  private final @Nullable Exchanger exchanger;

  /** Whether the exchanger is the plan's own, not that of a team. */
  private final boolean ownsExchanger;

  private final @Nullable DirectReads reads;
  private final AuxiliaryMemory aux;
  private final @Nullable DevicePlace place;
  private final RunState state = new RunState(this);
  private final Operands operands;

  /** Parts of an execution; each is run while no memory of it can be freed. */
  private final Runnable starting = this::startRoute;

  private final Runnable awaiting = this::awaitRoute;
  private final Runnable executing = this::executeRoute;
  private final Runnable holdingAux = this::holdAux;
  private Runnable part = executing;

  private MemorySegment in = MemorySegment.NULL;
  private MemorySegment out = MemorySegment.NULL;
  private Route route;

  /** The array that what was started is for; null if that is memory. */
  private @Nullable Array target;

  /** Makes the stages. Collective where ranks share memory. */
  public Execution(
      Itinerary itinerary,
      Stages stages,
      int rank,
      @Nullable Exchanger exchanger,
      boolean ownsExchanger,
      @Nullable DevicePlace place) {
    this.place = place;
    this.operands = new Operands(place);
    this.input = itinerary.input();
    this.output = itinerary.output();
    this.inputType = itinerary.inputType();
    this.outputType = itinerary.outputType();
    this.inputBytes = inputType.bytes(input.localCount(rank));
    this.outputBytes = outputType.bytes(output.localCount(rank));
    this.forward = stages.of(itinerary.forward());
    this.inverse = stages.of(itinerary.inverse());
    this.exchanger = exchanger;
    this.ownsExchanger = ownsExchanger;
    this.reads = stages.reads();
    Route.Copy copy =
        place != null ? place::copy : (from, to, n) -> MemorySegment.copy(from, 0, to, 0, n);
    this.routes =
        new Route[] {
          new Route(forward, false, copy),
          new Route(forward, true, copy),
          new Route(inverse, false, copy),
          new Route(inverse, true, copy)
        };
    this.route = routes[0];
    this.aux = new AuxiliaryMemory(routes, List.of(forward, inverse), exchanger, place);
  }

  /** Returns the stages to the output. */
  public List<Stage> forward() {
    return forward;
  }

  /** Returns the memory between stages. */
  public AuxiliaryMemory aux() {
    return aux;
  }

  /** Returns the bytes that stages and operands have allocated. */
  public long bufferBytes() {
    return operands.bufferBytes()
        + Stream.concat(forward.stream(), inverse.stream()).mapToLong(Stage::bufferBytes).sum();
  }

  /** Describes passes and memory, for people. */
  public String costs() {
    long collective = forward.stream().filter(Stage::isCollective).count();
    return "  %d passes over memory, %d of them with other ranks; auxiliary memory %,d bytes, shared %,d, buffers now %,d%n"
        .formatted(forward.size(), collective, aux.bytes(), aux.sharedBytes(), bufferBytes());
  }

  /** Returns what the moves of the last execution sent from this rank. */
  public List<ExchangeReport> reports() {
    return route.reports();
  }

  /** Uses the caller's memory between stages. */
  public void useAux(MemorySegment memory) {
    state.enter("useAux");
    try {
      check(memory, aux.bytes(), true, "auxiliary memory");
      aux.use(memory);
    } finally {
      state.leave(false);
    }
  }

  /** Transforms arrays, to the end or up to the first move. */
  public void run(Direction direction, Array from, Array to, boolean whole) {
    to.team()
        .exclusively(
            this,
            () -> {
              transform(direction, from, to, whole);
              return to;
            });
  }

  private void transform(Direction direction, Array from, Array to, boolean whole) {
    // The operands' copies are the plan's: another thread that is refused leaves them alone.
    state.enter("start");
    boolean started = false;
    try {
      boolean back = direction == Direction.INVERSE;
      MemorySegment read =
          back
              ? operands.read(from, to, output, outputType, "Output")
              : operands.read(from, to, input, inputType, "Input");
      MemorySegment written =
          back
              ? operands.write(to, input, inputType, "Input")
              : operands.write(to, output, outputType, "Output");
      begin(direction, Operands.isOneMemory(from, to) ? written : read, written, whole);
      started = !whole;
      if (started) {
        target = to;
      } else {
        operands.store(to, written);
      }
    } finally {
      if (!started) {
        operands.release();
      }
      state.leave(started);
    }
  }

  /** Transforms memory, to the end or up to the first move. */
  public void run(Direction direction, MemorySegment from, MemorySegment to, boolean whole) {
    state.enter("start");
    boolean started = false;
    try {
      begin(direction, from, to, whole);
      started = !whole;
    } finally {
      state.leave(started);
    }
  }

  private void begin(Direction direction, MemorySegment from, MemorySegment to, boolean whole) {
    boolean ahead = direction == Direction.FORWARD;
    long fromBytes = ahead ? inputBytes : outputBytes;
    long toBytes = ahead ? outputBytes : inputBytes;
    check(from, fromBytes, false, "input");
    check(to, toBytes, true, "output");
    if (place == null) {
      HostMemory.requireSameOrApart(from, fromBytes, to, toBytes);
      aux.requireApart(from, fromBytes, "input");
      aux.requireApart(to, toBytes, "output");
    }
    aux.require();
    boolean aliased = from.address() == to.address() && fromBytes > 0;
    route = routes[(ahead ? 0 : 2) + (aliased ? 1 : 0)];
    in = from;
    out = to;
    call(whole ? executing : starting);
  }

  private void check(MemorySegment memory, long bytes, boolean written, String role) {
    if (place != null) {
      place.kernels().check(memory, bytes, written, role);
      return;
    }
    if (written) {
      HostMemory.requireWritable(memory, bytes, role);
    } else {
      HostMemory.requireReadable(memory, bytes, role);
    }
    if (bytes > 0) {
      HostMemory.requireNative(memory, role);
    }
  }

  /** Runs a part of an execution while no memory of the caller's can be freed. */
  private void call(Runnable how) {
    try {
      part = how;
      if (place == null) {
        HostMemory.holding(in, out, aux.isCallers() ? holdingAux : how);
      } else {
        how.run();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  private void holdAux() {
    aux.holding(part);
  }

  private void startRoute() {
    route.start(in, out);
  }

  private void awaitRoute() {
    route.await();
    if (place != null) {
      place.stream().await();
    }
  }

  private void executeRoute() {
    startRoute();
    awaitRoute();
  }

  /** Has this plan only be closed from now on, and tells the ranks that wait for this one. */
  private void fail(Throwable cause) {
    if (!state.fail(cause)) {
      return;
    }
    try {
      if (exchanger != null) {
        exchanger.fail(cause);
      }
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  /** Ends what was started. */
  public void await() {
    state.resume("await");
    try {
      state.requireStillThere(in, "input");
      state.requireStillThere(out, "output");
    } catch (IllegalStateException e) {
      fail(e);
      throw e;
    }
    Array result = target;
    target = null;
    try {
      call(awaiting);
      if (result != null) {
        operands.store(result, out);
      }
    } finally {
      operands.release();
      state.leave(false);
    }
  }

  @Override
  public void close() {
    if (state.isClosed()) {
      return;
    }
    boolean failed = !state.close();
    operands.close();
    if (reads != null) {
      // First, so that a rank that still transforms is told.
      reads.close();
    }
    forward.forEach(Stage::close);
    inverse.forEach(Stage::close);
    if (failed && exchanger != null) {
      return;
    }
    aux.close();
    if (exchanger != null && ownsExchanger) {
      exchanger.close();
    }
    if (place != null) {
      place.close();
    }
  }

  @Override
  public String toString() {
    return "transform of %s %s".formatted(inputType, input.shape());
  }
}
