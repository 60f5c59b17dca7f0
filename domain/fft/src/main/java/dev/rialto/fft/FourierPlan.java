package dev.rialto.fft;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Transforms an array of any number of axes, on one rank or distributed over many.
 *
 * {@snippet :
 * try (FourierPlan plan = FourierPlan.complex(DType.F64, 256, 256, 256).on(comm).build();
 *     Arena arena = Arena.ofShared()) {
 *   MemorySegment field = plan.allocateInput(arena);
 *   MemorySegment modes = plan.allocateOutput(arena);
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
 * memory, if it is large enough for both. All ranks start and await their plans in the same order.
 * Used by one thread at a time; owned by the caller, and closing is collective.
 */
public final class FourierPlan implements AutoCloseable {
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
  private final @Nullable Peers peers;
  private final FourierSettings settings;
  private final double predicted;
  private final long[] auxParts = new long[3];

  /** The first two auxiliary memories where other processes read them; else empty. */
  private final MemorySegment[] shared;

  private final @Nullable DevicePlace place;
  private boolean hasAux;
  private @Nullable AutoCloseable ownAux;
  private @Nullable Route running;
  private boolean closed;

  FourierPlan(
      Itinerary itinerary,
      Stages stages,
      int rank,
      @Nullable Exchanger exchanger,
      @Nullable Peers peers,
      FourierSettings settings,
      @Nullable DevicePlace place) {
    this.place = place;
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
    this.peers = peers;
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
    for (Route route : routes) {
      for (int which = 0; which < 2; which++) {
        auxParts[which] = Math.max(auxParts[which], rounded(route.auxBytes(which)));
      }
    }
    boolean reads = false;
    for (List<Stage> each : List.of(forward, inverse)) {
      for (Stage stage : each) {
        auxParts[2] = Math.max(auxParts[2], rounded(stage.workspaceBytes()));
        reads |= stage.isReadByPeers();
      }
    }
    this.predicted = stages.seconds(itinerary.forward());
    this.shared =
        reads && peers != null
            ? new MemorySegment[] {peers.allocate(auxParts[0]), peers.allocate(auxParts[1])}
            : new MemorySegment[0];
    if (shared.length > 0) {
      auxParts[0] = 0;
      auxParts[1] = 0;
    }
  }

  private static long rounded(long bytes) {
    return Math.ceilDiv(bytes, 64) * 64;
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

  /** Begins a plan from real arrays to real arrays: cosine, sine or Hartley transforms. */
  public static FourierPlanBuilder realToReal(DType precision, Kind kind, long... shape) {
    return new FourierPlanBuilder(FourierPlanBuilder.Family.REAL, precision, Shape.of(shape))
        .kind(kind);
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

  /** Allocates an input, zeroed and aligned to 64 bytes. */
  public MemorySegment allocateInput(Arena arena) {
    return arena.allocate(inputBytes(), 64);
  }

  /** Allocates an output, zeroed and aligned to 64 bytes. */
  public MemorySegment allocateOutput(Arena arena) {
    return arena.allocate(outputBytes(), 64);
  }

  /**
   * Returns the bytes of memory that executing needs besides input, output, messages and {@link
   * #sharedBytes}.
   */
  public long auxBytes() {
    return auxParts[0] + auxParts[1] + auxParts[2];
  }

  /** Returns the bytes of memory that the plan has for other processes to read from. */
  public long sharedBytes() {
    return Arrays.stream(shared).mapToLong(MemorySegment::byteSize).sum();
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
    requireIdle("useAux");
    check(memory, auxBytes(), "auxiliary memory");
    freeOwnAux();
    take(memory);
  }

  private void take(MemorySegment memory) {
    boolean own = shared.length == 0;
    MemorySegment first = own ? part(memory, 0, auxParts[0]) : shared[0];
    MemorySegment second = own ? part(memory, auxParts[0], auxParts[1]) : shared[1];
    MemorySegment work = part(memory, auxParts[0] + auxParts[1], auxParts[2]);
    for (Route route : routes) {
      route.aux(first, second, work);
    }
    hasAux = true;
  }

  /** Memory of a device has no size that could be divided. */
  private MemorySegment part(MemorySegment memory, long offset, long bytes) {
    return place == null
        ? memory.asSlice(offset, bytes)
        : MemorySegment.ofAddress(memory.address() + offset);
  }

  private void takeOwnAux() {
    long bytes = Math.max(auxBytes(), 1);
    if (place == null) {
      Arena arena = Arena.ofShared();
      ownAux = arena;
      take(arena.allocate(bytes, 64));
    } else {
      Allocation allocation = place.allocate(bytes);
      ownAux = allocation;
      take(allocation.segment());
    }
  }

  private void freeOwnAux() {
    switch (ownAux) {
      case Arena arena -> arena.close();
      case Allocation allocation -> allocation.close();
      case null, default -> {}
    }
    ownAux = null;
  }

  /** Transforms. */
  public void forward(MemorySegment in, MemorySegment out) {
    startForward(in, out);
    await();
  }

  /** Transforms back: from arrays like the output to arrays like the input. */
  public void inverse(MemorySegment in, MemorySegment out) {
    startInverse(in, out);
    await();
  }

  /**
   * Begins to transform, up to the first move, and lets it go on; {@link #await} does the rest. In
   * between other fields can be begun with plans of their own, so that one's messages travel while
   * another computes.
   */
  public void startForward(MemorySegment in, MemorySegment out) {
    start(0, in, inputBytes(), out, outputBytes());
  }

  /** Begins to transform back; see {@link #startForward}. */
  public void startInverse(MemorySegment in, MemorySegment out) {
    start(2, in, outputBytes(), out, inputBytes());
  }

  private void start(
      int direction, MemorySegment in, long inBytes, MemorySegment out, long outBytes) {
    requireIdle("start");
    check(in, inBytes, "input");
    check(out, outBytes, "output");
    if (!hasAux) {
      takeOwnAux();
    }
    boolean aliased = in.address() == out.address() && inBytes > 0;
    Route route = routes[direction + (aliased ? 1 : 0)];
    running = route;
    try {
      route.start(in, out);
    } catch (RuntimeException | Error e) {
      running = null;
      throw e;
    }
  }

  private void check(MemorySegment segment, long bytes, String role) {
    if (place != null) {
      place.kernels().check(segment, bytes, true, "the " + role);
      return;
    }
    if (segment.byteSize() < bytes) {
      throw new IndexOutOfBoundsException(
          "the %s has %d bytes; %d are needed".formatted(role, segment.byteSize(), bytes));
    }
    // Tiles are copied by address, so this is the last time that anybody looks.
    if (bytes > 0 && !segment.isNative()) {
      throw new IllegalArgumentException(
          "the " + role + " is on the Java heap; allocate it with an Arena or a memory space");
    }
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("the memory of the " + role + " was freed");
    }
  }

  /**
   * Ends what was started.
   *
   * @throws IllegalStateException if nothing was
   */
  public void await() {
    Route route = running;
    if (route == null) {
      throw new IllegalStateException("await: nothing is under way; start first");
    }
    running = null;
    route.await();
    if (place != null) {
      place.stream().await();
    }
  }

  private void requireIdle(String call) {
    if (closed) {
      throw new IllegalStateException(call + ": the plan is closed; make another");
    }
    if (running != null) {
      throw new IllegalStateException(call + ": a transform is under way; await it first");
    }
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
        "  %d passes over memory, %d of them with other ranks; auxiliary memory %,d bytes, shared %,d%n"
            .formatted(forward.size(), collective, auxBytes(), sharedBytes()));
    text.append(
        settings.seconds() > 0
            ? "  measured %.3g ms, forward and inverse, when it was tuned%n"
                .formatted(settings.seconds() * 1e3)
            : "  predicted %.3g ms in each direction; not measured%n".formatted(predicted * 1e3));
    return text.toString();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    requireIdle("close");
    closed = true;
    forward.forEach(Stage::close);
    inverse.forEach(Stage::close);
    if (peers != null) {
      peers.close();
    }
    if (exchanger != null) {
      exchanger.close();
    }
    freeOwnAux();
    if (place != null) {
      place.close();
    }
  }
}
