package dev.rialto.runtime;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel with its buffers, checked once and launched as often as wanted. A run allocates nothing.
 *
 * <p>Thread-safe. The buffers stay the caller's; a run after one of them was closed throws.
 */
public final class Launch {
  /** A stream under this launch's label. */
  private record Labelled(ComputeStream on, Stream stream) {}

  private final ComputeClient client;
  private final Executable executable;
  private final Operation operation;
  private final boolean validated;
  private final long items;
  private final List<MemorySegment> segments;
  private final long[] bytes;
  private final Footprint footprint;
  private final ComputeStream.Adding adding = this::add;
  private volatile Labelled labelled;

  private Launch(
      ComputeClient client,
      Executable executable,
      Operation operation,
      boolean validated,
      long items,
      List<MemorySegment> segments,
      long[] bytes,
      Footprint footprint) {
    this.client = client;
    this.executable = executable;
    this.operation = operation;
    this.validated = validated;
    this.items = items;
    this.segments = segments;
    this.bytes = bytes;
    this.footprint = footprint;
    this.labelled = label(client.stream());
  }

  static Launch of(
      ComputeClient client, Kernel kernel, long items, List<Buffer> buffers, boolean counted) {
    return of(client, kernel, items, buffers, counted, null);
  }

  /**
   * Checks a launch.
   *
   * @param numbers what the kernel's last parameter is passed by value; null if it is a buffer
   */
  static Launch of(
      ComputeClient client,
      Kernel kernel,
      long items,
      List<Buffer> buffers,
      boolean counted,
      long @Nullable [] numbers) {
    List<Parameter> parameters = new ArrayList<>(kernel.parameters());
    if (numbers != null) {
      parameters.removeLast();
    }
    if (counted) {
      parameters.add(Kernel.COUNT);
    }
    if (kernel.device() != client.device()) {
      throw new IllegalArgumentException(
          kernel + " is of " + kernel.device().name() + ", not of " + client.device().name());
    }
    if (items < 0 || items > client.device().properties().maxItems()) {
      throw new IllegalArgumentException(
          "%s cannot run over %s items; give 0 to %s"
              .formatted(kernel, items, client.device().properties().maxItems()));
    }
    if (buffers.size() != parameters.size()) {
      throw new IllegalArgumentException(
          "%s takes %s buffers, but %s are given"
              .formatted(kernel, parameters.size(), buffers.size()));
    }
    if (counted && buffers.getLast().bytes() < Long.BYTES) {
      throw new IndexOutOfBoundsException(
          "the count of " + kernel + " is one I64, more than " + buffers.getLast());
    }
    List<Footprint.Use> uses = new ArrayList<>();
    List<MemorySegment> segments = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      Buffer buffer = client.own(buffers.get(i));
      requireAligned(kernel, parameters.get(i), buffer);
      Access access = parameters.get(i).access();
      uses.add(new Footprint.Use(buffer, access));
      // Memory that is only read cannot be written by mistake.
      segments.add(access == Access.READ ? buffer.segment().asReadOnly() : buffer.segment());
    }
    if (numbers != null) {
      segments.add(MemorySegment.ofArray(numbers));
    }
    boolean validated = client.mode() == LaunchMode.VALIDATED;
    if (validated) {
      refuseOverlap(kernel, uses);
    }
    return new Launch(
        client,
        kernel.executable(client.mode() != LaunchMode.UNCHECKED, counted),
        Operation.at(Operation.Kind.LAUNCH, kernel.name(), 0),
        validated,
        items,
        List.copyOf(segments),
        buffers.stream().mapToLong(Buffer::bytes).toArray(),
        new Footprint(uses));
  }

  /** Refuses a part that begins within an element: a GPU that reads one is lost to its process. */
  private static void requireAligned(Kernel kernel, Parameter parameter, Buffer buffer) {
    int alignment = parameter.type().alignment();
    if (buffer.segment().address() % alignment != 0) {
      throw new IllegalArgumentException(
          "%s takes %s of %s, and this part of %s begins within an element; begin it at a multiple of %d bytes"
              .formatted(kernel, parameter.name(), parameter.type(), buffer, alignment));
    }
  }

  private static void refuseOverlap(Kernel kernel, List<Footprint.Use> uses) {
    for (int i = 0; i < uses.size(); i++) {
      for (int j = 0; j < i; j++) {
        Footprint.Use one = uses.get(i);
        Footprint.Use two = uses.get(j);
        if ((one.writes() || two.writes()) && one.buffer().overlaps(two.buffer())) {
          throw new IllegalArgumentException(
              ("%s writes memory that is both its buffer '%s' and its buffer '%s'; pass it "
                      + "once and declare it as read and written")
                  .formatted(
                      kernel,
                      kernel.parameters().get(j).name(),
                      kernel.parameters().get(i).name()));
        }
      }
    }
  }

  private Labelled label(ComputeStream stream) {
    return new Labelled(stream, stream.timeline().labelled(new Task(operation, footprint)));
  }

  private void add(Stream stream) {
    if (validated) {
      footprint.validate(operation);
    }
    executable.launch(items, segments, bytes, stream);
  }

  /**
   * Adds the launch to the client's stream of the moment and returns at once.
   *
   * @throws IllegalStateException if a buffer is closed
   */
  public void run() {
    ComputeStream stream = client.stream();
    Labelled on = labelled;
    if (on.on() != stream) {
      on = label(stream);
      labelled = on;
    }
    stream.tell(operation);
    long _ = stream.submit(on.stream(), footprint, adding);
  }

  @Override
  public String toString() {
    return operation.toString();
  }
}
