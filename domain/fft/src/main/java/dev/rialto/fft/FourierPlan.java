package dev.rialto.fft;

import dev.rialto.array.Array;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.RealArray;
import dev.rialto.array.Team;
import dev.rialto.exchange.DirectReads;
import dev.rialto.exchange.ExchangeReport;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.RunState;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Transforms an array of any number of axes, on one rank or distributed over many.
 *
 * {@snippet :
 * try (F64Array field = team.f64(256, 256, 256);
 *     FourierPlan plan = FourierPlan.real(field).build();
 *     ComplexArray modes = plan.newModes(team)) {
 *   plan.forward(field, modes);
 *   plan.inverse(modes, field);
 * }
 * }
 *
 * <p>Axes are transformed where they are local, the last one first; in between the array is moved
 * to a grid that makes others local. Arrays are row-major, the last axis contiguous, and sums are
 * those of {@link Kind}; with {@link Normalization#INVERSE} that is what NumPy computes.
 *
 * <p>Executing allocates nothing and leaves the input as it is. Input and output may be the same
 * memory, if it is large enough for both; any other overlap is refused. They may be in any arena,
 * confined ones too: a call keeps them from being freed while it lasts, and no other rank reads
 * them afterwards. Between a start and its await they stay the caller's to keep open; an await
 * refuses memory that was freed. All ranks start and await their plans in the same order.
 *
 * <p>Used by one thread at a time; a second one, and closing meanwhile, are refused. Owned by the
 * caller, and closing is collective. A plan whose execution has failed on this rank can only be
 * closed, which waits for nobody; ranks that wait for this one are told.
 */
public final class FourierPlan implements AutoCloseable {
  private static final int FORWARD = 0;
  private static final int INVERSE = 2;

  private final Distribution input;
  private final Distribution output;
  private final DType inputType;
  private final DType outputType;
  private final int rank;
  private final long inputBytes;
  private final long outputBytes;
  private final List<Stage> forward;
  private final List<Stage> inverse;
  private final Route[] routes;
  private final @Nullable Exchanger exchanger;

  /** Whether the exchanger is the plan's own, not that of a team. */
  private final boolean ownsExchanger;

  private final @Nullable DirectReads reads;
  private final FourierSettings settings;
  private final double predicted;
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

  private final ModeKernels modeKernels = new ModeKernels();

  FourierPlan(
      Itinerary itinerary,
      Stages stages,
      int rank,
      @Nullable Exchanger exchanger,
      boolean ownsExchanger,
      FourierSettings settings,
      @Nullable DevicePlace place) {
    this.place = place;
    this.operands = new Operands(place);
    this.input = itinerary.input();
    this.output = itinerary.output();
    this.inputType = itinerary.inputType();
    this.outputType = itinerary.outputType();
    this.rank = rank;
    this.inputBytes = inputType.bytes(input.localCount(rank));
    this.outputBytes = outputType.bytes(output.localCount(rank));
    this.forward = stages.of(itinerary.forward());
    this.inverse = stages.of(itinerary.inverse());
    this.exchanger = exchanger;
    this.ownsExchanger = ownsExchanger;
    this.reads = stages.reads();
    this.settings = settings;
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
    this.predicted = stages.seconds(itinerary.forward());
    this.aux = new AuxiliaryMemory(routes, List.of(forward, inverse), exchanger, place);
  }

  /** Begins a plan for complex arrays; {@code precision} is that of their parts. */
  public static FourierPlanBuilder complex(DType precision, long... shape) {
    return new FourierPlanBuilder(FourierPlanBuilder.Family.COMPLEX, precision, Shape.of(shape));
  }

  /**
   * Begins a plan from real arrays to the first half of their spectrum: the last axis that is
   * transformed has n/2+1 complex results.
   */
  public static FourierPlanBuilder real(DType precision, long... shape) {
    return new FourierPlanBuilder(FourierPlanBuilder.Family.HALF, precision, Shape.of(shape));
  }

  /** Begins a plan for arrays like one of complex numbers, on the ranks of its team. */
  public static FourierPlanBuilder complex(ComplexArray like) {
    DType precision = like.type() == DType.C128 ? DType.F64 : DType.F32;
    return complex(precision, like.shape().extents()).like(like);
  }

  /** Begins a plan for arrays like one of real numbers; see {@link #real(DType, long...)}. */
  public static FourierPlanBuilder real(RealArray like) {
    return real(like.type(), like.shape().extents()).like(like);
  }

  /** Begins a plan from real arrays to real arrays: cosine, sine or Hartley transforms. */
  public static FourierPlanBuilder realToReal(DType precision, Kind kind, long... shape) {
    return new FourierPlanBuilder(FourierPlanBuilder.Family.REAL, precision, Shape.of(shape))
        .kind(kind);
  }

  /**
   * Begins a plan for arrays like one of real numbers; see {@link #realToReal(DType, Kind,
   * long...)}.
   */
  public static FourierPlanBuilder realToReal(RealArray like, Kind kind) {
    return realToReal(like.type(), kind, like.shape().extents()).like(like);
  }

  /** Returns how the input of {@link #forward} is distributed. */
  public Distribution input() {
    return input;
  }

  /** Returns how the output of {@link #forward} is distributed. */
  public Distribution output() {
    return output;
  }

  /**
   * Returns the grid in which the input of {@link #forward} is distributed.
   *
   * @throws IllegalStateException if the caller has given lists of owners instead
   */
  public Grid inputGrid() {
    return grid(input, "input");
  }

  /**
   * Returns the grid in which the output of {@link #forward} is distributed.
   *
   * @throws IllegalStateException if the caller has given lists of owners instead
   */
  public Grid outputGrid() {
    return grid(output, "output");
  }

  private static Grid grid(Distribution array, String role) {
    if (array instanceof Grid grid) {
      return grid;
    }
    throw new IllegalStateException(
        "the %s is distributed by owners, in no grid; ask %s()".formatted(role, role));
  }

  /** Returns the type of the elements that {@link #forward} reads. */
  public DType inputType() {
    return inputType;
  }

  /** Returns the type of the elements that {@link #forward} writes. */
  public DType outputType() {
    return outputType;
  }

  /** Returns the extents of this rank's part of the input; a list's is their number. */
  public Shape localInput() {
    return local(input);
  }

  /** Returns the extents of this rank's part of the output; a list's is their number. */
  public Shape localOutput() {
    return local(output);
  }

  private Shape local(Distribution array) {
    return array instanceof Grid grid ? grid.localShape(rank) : Shape.of(array.localCount(rank));
  }

  /** Returns the bytes of this rank's part of the input. */
  public long inputBytes() {
    return inputBytes;
  }

  /** Returns the bytes of this rank's part of the output. */
  public long outputBytes() {
    return outputBytes;
  }

  /** Makes an array that {@link #forward(Array, Array)} reads. Collective. */
  public Array newInput(Team team) {
    return newArray(team, input, inputType);
  }

  /** Makes an array that {@link #forward(Array, Array)} writes. Collective. */
  public Array newOutput(Team team) {
    return newArray(team, output, outputType);
  }

  /**
   * Makes an array for the complex results of {@link #forward(Array, Array)}. Collective.
   *
   * @throws IllegalStateException if results are real; see {@link #newOutput}
   */
  public ComplexArray newModes(Team team) {
    if (outputType.kind() != DType.Kind.COMPLEX) {
      throw new IllegalStateException("the results of " + this + " are real; use newOutput");
    }
    return (ComplexArray) newOutput(team);
  }

  private Array newArray(Team team, Distribution distribution, DType type) {
    IndexSpace space =
        team.space(distribution.shape().extents()).divided(Decomposition.of(distribution));
    ComputeClient client = place == null ? null : place.client();
    return (place == null ? space.onHost() : client == null ? space : space.on(client)).array(type);
  }

  /** Allocates an input, zeroed and aligned to 64 bytes. */
  public MemorySegment allocateInput(Arena arena) {
    return arena.allocate(inputBytes(), 64);
  }

  /** Allocates an output, zeroed and aligned to 64 bytes. */
  public MemorySegment allocateOutput(Arena arena) {
    return arena.allocate(outputBytes(), 64);
  }

  /**
   * Returns the bytes of memory that executing needs besides input, output, {@link #sharedBytes}
   * and {@link #bufferBytes}: what the caller can give with {@link #useAux}.
   */
  public long auxBytes() {
    return aux.bytes();
  }

  /** Returns the bytes of memory that the plan has for other processes to read from. */
  public long sharedBytes() {
    return aux.sharedBytes();
  }

  /**
   * Returns the bytes that the plan has now for messages, for tables of chirps and for arrays
   * without their halos. They are allocated when they are first needed, so that after an execution
   * in each direction they are all there.
   */
  public long bufferBytes() {
    return operands.bufferBytes()
        + Stream.concat(forward.stream(), inverse.stream()).mapToLong(Stage::bufferBytes).sum();
  }

  /** Returns what the plan was made with, to make another like it, in this process or a later. */
  public FourierSettings settings() {
    return settings;
  }

  /**
   * Uses the caller's memory instead of the plan's own, which it allocates at the first execution
   * otherwise. Its content is lost with each execution.
   *
   * @throws IndexOutOfBoundsException if it has fewer than {@link #auxBytes} bytes
   * @throws IllegalStateException if an execution is under way
   */
  public void useAux(MemorySegment memory) {
    state.enter("useAux");
    try {
      check(memory, auxBytes(), true, "auxiliary memory");
      aux.use(memory);
    } finally {
      state.leave(false);
    }
  }

  /**
   * Transforms an array. Collective. A halo stays as it is; that of the output is not updated.
   * Arrays on a device are transformed there, by a plan that was made from one.
   *
   * @param in of the plan's input type, divided as its {@link #input}
   * @param out of the plan's output type, divided as its {@link #output}; may be the input if types
   *     and divisions are the same
   * @throws IllegalArgumentException if an array is of another type or divided in another way
   */
  public void forward(Array in, Array out) {
    transform(FORWARD, in, out, executing);
  }

  /** Transforms an array back: from one like the output to one like the input. Collective. */
  public void inverse(Array in, Array out) {
    transform(INVERSE, in, out, executing);
  }

  /**
   * Begins to transform an array, up to the first move, and lets it go on; {@link #await} does the
   * rest. In between other fields can be begun with plans of their own, so that one's messages
   * travel while another computes. Until then the arrays are left as they are and open.
   */
  public void startForward(Array in, Array out) {
    transform(FORWARD, in, out, starting);
  }

  /** Begins to transform an array back; see {@link #startForward(Array, Array)}. */
  public void startInverse(Array in, Array out) {
    transform(INVERSE, in, out, starting);
  }

  private void transform(int direction, Array from, Array to, Runnable how) {
    to.team()
        .exclusively(
            this,
            () -> {
              transformInside(direction, from, to, how);
              return to;
            });
  }

  private void transformInside(int direction, Array from, Array to, Runnable how) {
    // The operands' copies are the plan's: another thread that is refused leaves them alone.
    state.enter("start");
    boolean started = false;
    try {
      boolean back = direction == INVERSE;
      MemorySegment read =
          back
              ? operands.read(from, to, output, outputType, "Output")
              : operands.read(from, to, input, inputType, "Input");
      MemorySegment written =
          back
              ? operands.write(to, input, inputType, "Input")
              : operands.write(to, output, outputType, "Output");
      begin(direction, Operands.isOneMemory(from, to) ? written : read, written, how);
      started = how.equals(starting);
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

  /** Checks that an array is like the plan's results, wherever it is. */
  void requireOutput(Array array) {
    Operands.checkLayout(array, output, outputType, "Output");
  }

  /** Returns the kernels that work on the plan's results on a device. */
  ModeKernels modeKernels() {
    return modeKernels;
  }

  /**
   * Transforms.
   *
   * @throws IndexOutOfBoundsException if a memory is too small
   * @throws IllegalArgumentException if the output is read-only, a memory is on the Java heap, or
   *     they overlap in part
   * @throws IllegalStateException if a memory was freed, an execution is under way, or this is
   *     closed or has failed
   * @throws WrongThreadException if a memory is confined to another thread
   */
  public void forward(MemorySegment in, MemorySegment out) {
    start(FORWARD, in, out, executing);
  }

  /** Transforms back: from arrays like the output to arrays like the input. */
  public void inverse(MemorySegment in, MemorySegment out) {
    start(INVERSE, in, out, executing);
  }

  /** Begins to transform; see {@link #startForward(Array, Array)}. */
  public void startForward(MemorySegment in, MemorySegment out) {
    start(FORWARD, in, out, starting);
  }

  /** Begins to transform back; see {@link #startForward(Array, Array)}. */
  public void startInverse(MemorySegment in, MemorySegment out) {
    start(INVERSE, in, out, starting);
  }

  private void start(int direction, MemorySegment from, MemorySegment to, Runnable how) {
    state.enter("start");
    boolean started = false;
    try {
      begin(direction, from, to, how);
      started = how.equals(starting);
    } finally {
      state.leave(started);
    }
  }

  private void begin(int direction, MemorySegment from, MemorySegment to, Runnable how) {
    long fromBytes = direction == FORWARD ? inputBytes() : outputBytes();
    long toBytes = direction == FORWARD ? outputBytes() : inputBytes();
    check(from, fromBytes, false, "input");
    check(to, toBytes, true, "output");
    if (place == null) {
      HostMemory.requireSameOrApart(from, fromBytes, to, toBytes);
      aux.requireApart(from, fromBytes, "input");
      aux.requireApart(to, toBytes, "output");
    }
    aux.require();
    boolean aliased = from.address() == to.address() && fromBytes > 0;
    route = routes[direction + (aliased ? 1 : 0)];
    in = from;
    out = to;
    call(how);
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

  /**
   * Ends what was started.
   *
   * @throws IllegalStateException if nothing was, or its memory was freed meanwhile
   */
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

  /**
   * Returns what the moves of the last execution sent from this rank, in their order: how many
   * bytes and, with a codec, the largest error. Moves that read the memory of other ranks directly
   * are not among them.
   */
  public List<ExchangeReport> reports() {
    return route.reports();
  }

  /** Describes for people what executing does on this rank. */
  public String explain() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s %s to %s %s on %d rank%s%n"
            .formatted(
                inputType,
                input.shape(),
                outputType,
                output.shape(),
                input.ranks(),
                input.ranks() == 1 ? "" : "s"));
    text.append("  input  ").append(input).append('\n');
    for (Stage stage : forward) {
      text.append("    ").append(stage).append('\n');
    }
    text.append("  output ").append(output).append('\n');
    long collective = forward.stream().filter(Stage::isCollective).count();
    text.append(
        "  %d passes over memory, %d of them with other ranks; auxiliary memory %,d bytes, shared %,d, buffers now %,d%n"
            .formatted(forward.size(), collective, auxBytes(), sharedBytes(), bufferBytes()));
    text.append(
        settings.seconds() > 0
            ? "  measured %.3g ms, forward and inverse, when it was tuned%n"
                .formatted(settings.seconds() * 1e3)
            : "  predicted %.3g ms in each direction; not measured%n".formatted(predicted * 1e3));
    return text.toString();
  }

  /**
   * Gives everything back. Collective, but not after a failure: what ranks share, and memory that
   * messages may still be using, go with the world then. Closing again does nothing.
   *
   * @throws IllegalStateException if a transform is under way; then nothing is closed
   */
  @Override
  public void close() {
    if (state.isClosed()) {
      return;
    }
    boolean failed = !state.close();
    operands.close();
    modeKernels.close();
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
