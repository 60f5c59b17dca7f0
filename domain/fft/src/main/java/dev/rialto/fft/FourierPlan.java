package dev.rialto.fft;

import dev.rialto.array.Array;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.RealArray;
import dev.rialto.array.Team;
import dev.rialto.exchange.ExchangeReport;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.fft.stage.Choices;
import dev.rialto.fft.stage.DevicePlace;
import dev.rialto.fft.stage.Execution;
import dev.rialto.fft.stage.Execution.Direction;
import dev.rialto.fft.stage.Itinerary;
import dev.rialto.fft.stage.Operands;
import dev.rialto.fft.stage.Stages;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
 * closed, which waits for no rank; ranks that wait for this one are told.
 */
public final class FourierPlan implements AutoCloseable {
  private final Distribution input;
  private final Distribution output;
  private final DType inputType;
  private final DType outputType;
  private final int rank;
  private final FourierSettings settings;
  private final double predicted;
  private final @Nullable DevicePlace place;
  private final Execution execution;
  private final ModeKernels modeKernels = new ModeKernels();

  FourierPlan(
      Itinerary itinerary,
      Stages stages,
      int rank,
      @Nullable Exchanger exchanger,
      boolean ownsExchanger,
      FourierSettings settings,
      @Nullable DevicePlace place) {
    this.input = itinerary.input();
    this.output = itinerary.output();
    this.inputType = itinerary.inputType();
    this.outputType = itinerary.outputType();
    this.rank = rank;
    this.settings = settings;
    this.predicted = stages.seconds(itinerary.forward());
    this.place = place;
    this.execution = new Execution(itinerary, stages, rank, exchanger, ownsExchanger, place);
  }

  /** Begins a plan for complex arrays; {@code precision} is that of their parts. */
  public static FourierPlanBuilder complex(DType precision, long... shape) {
    return new FourierPlanBuilder(Choices.Family.COMPLEX, precision, Shape.of(shape));
  }

  /**
   * Begins a plan from real arrays to the first half of their spectrum: the last axis that is
   * transformed has n/2+1 complex results.
   */
  public static FourierPlanBuilder real(DType precision, long... shape) {
    return new FourierPlanBuilder(Choices.Family.HALF, precision, Shape.of(shape));
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
    return new FourierPlanBuilder(Choices.Family.REAL, precision, Shape.of(shape)).kind(kind);
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
    return inputType.bytes(input.localCount(rank));
  }

  /** Returns the bytes of this rank's part of the output. */
  public long outputBytes() {
    return outputType.bytes(output.localCount(rank));
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
    return execution.aux().bytes();
  }

  /** Returns the bytes of memory that the plan has for other processes to read from. */
  public long sharedBytes() {
    return execution.aux().sharedBytes();
  }

  /**
   * Returns the bytes that the plan has now for messages, for tables of chirps and for arrays
   * without their halos. They are allocated when they are first needed, so that after an execution
   * in each direction they are all there.
   */
  public long bufferBytes() {
    return execution.bufferBytes();
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
    execution.useAux(memory);
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
    execution.run(Direction.FORWARD, in, out, true);
  }

  /** Transforms an array back: from one like the output to one like the input. Collective. */
  public void inverse(Array in, Array out) {
    execution.run(Direction.INVERSE, in, out, true);
  }

  /**
   * Begins to transform an array, up to the first move, and lets it go on; {@link #await} does the
   * rest. In between other fields can be begun with plans of their own, so that one's messages
   * travel while another computes. Until then the arrays are left as they are and open.
   */
  public void startForward(Array in, Array out) {
    execution.run(Direction.FORWARD, in, out, false);
  }

  /** Begins to transform an array back; see {@link #startForward(Array, Array)}. */
  public void startInverse(Array in, Array out) {
    execution.run(Direction.INVERSE, in, out, false);
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
    execution.run(Direction.FORWARD, in, out, true);
  }

  /** Transforms back: from arrays like the output to arrays like the input. */
  public void inverse(MemorySegment in, MemorySegment out) {
    execution.run(Direction.INVERSE, in, out, true);
  }

  /** Begins to transform; see {@link #startForward(Array, Array)}. */
  public void startForward(MemorySegment in, MemorySegment out) {
    execution.run(Direction.FORWARD, in, out, false);
  }

  /** Begins to transform back; see {@link #startForward(Array, Array)}. */
  public void startInverse(MemorySegment in, MemorySegment out) {
    execution.run(Direction.INVERSE, in, out, false);
  }

  /**
   * Ends what was started.
   *
   * @throws IllegalStateException if nothing was, or its memory was freed meanwhile
   */
  public void await() {
    execution.await();
  }

  /**
   * Returns what the moves of the last execution sent from this rank, in their order: how many
   * bytes and, with a codec, the largest error. Moves that read the memory of other ranks directly
   * are not among them.
   */
  public List<ExchangeReport> reports() {
    return execution.reports();
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
    execution.forward().forEach(stage -> text.append("    ").append(stage).append('\n'));
    text.append("  output ").append(output).append('\n');
    text.append(execution.costs());
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
    execution.close();
    modeKernels.close();
  }

  @Override
  public String toString() {
    return execution.toString();
  }
}
