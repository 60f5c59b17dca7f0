package dev.rialto.opencl;

import dev.rialto.opencl.OpenClCompiler.Launch;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.parts.DriverCode;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Compiles OpenCL C by the devices' own compilers and launches it on their streams.
 *
 * <p>Machine code is for the first device; another device compiles the text for itself when a
 * procedure is first bound to one of its streams. A launch has an item for each index, a group of
 * items for each index whose procedure says so, and groups of one item where each has arrays of its
 * own: their memory would not hold hundreds. On cores an item does many indices, unless the
 * procedure has items itself: groups of some hundred indices took longer to start than to run.
 */
public final class OpenClTarget implements CodeTarget {
  /** The items of a launch for each core, so that one that is late has others do its work. */
  private static final long PARTS = 16;

  /** Made by {@link java.util.ServiceLoader}. */
  public OpenClTarget() {}

  @Override
  public String name() {
    return "opencl";
  }

  @Override
  public Probe probe() {
    return new OpenClBackend().probe();
  }

  @Override
  public Optional<Dialect> dialect() {
    return Optional.of(new OpenClDialect(probe() instanceof Probe.Available && vectorBits() > 0));
  }

  /**
   * Those of cores: other devices give each item a thread. {@code -Drialto.opencl.vectors=off} has
   * cores do that too.
   */
  @Override
  public int vectorBits() {
    if ("off".equals(System.getProperty("rialto.opencl.vectors"))) {
      return 0;
    }
    long device = first().context().device();
    long type = OpenCl.deviceNumber(device, OpenCl.DEVICE_TYPE, 8);
    return (type & OpenCl.DEVICE_TYPE_CPU) == 0
        ? 0
        : Float.SIZE
            * (int) OpenCl.deviceNumber(device, OpenCl.DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4);
  }

  @Override
  public List<Device> devices() {
    return probe() instanceof Probe.Available ? new OpenClBackend().devices() : List.of();
  }

  private static OpenClDevice first() {
    return switch (new OpenClBackend().probe()) {
      case Probe.Available _ -> (OpenClDevice) new OpenClBackend().devices().getFirst();
      case Probe.Unavailable(String reason, String remedy) ->
          throw new CompilationException(reason, "opencl", remedy, null);
    };
  }

  private static OpenClDevice device(OpenClContext context) {
    return new OpenClBackend()
        .devices().stream()
            .map(OpenClDevice.class::cast)
            .filter(device -> device.context() == context)
            .findFirst()
            .orElseThrow();
  }

  @Override
  public String fingerprint() {
    return first().compiler().fingerprint();
  }

  @Override
  public byte[] build(Unit unit) {
    return first().compiler().buildProcedures(unit.name(), unit.source());
  }

  @Override
  public Code load(Unit unit, byte[] image) {
    OpenClCode code = new OpenClCode(unit, image);
    code.on(first().context());
    return code;
  }

  /** The items of a group: those of an index, one where items have arrays, or many. */
  private static int group(Stmt s) {
    return switch (s) {
      case Stmt.Block block ->
          block.steps().stream().mapToInt(OpenClTarget::group).filter(n -> n > 0).max().orElse(0);
      case Stmt.For loop -> group(loop.body());
      case Stmt.Items items -> items.most();
      case Stmt.Array _ -> 1;
      default -> 0;
    };
  }

  /**
   * The division of a launch into groups.
   *
   * @param group the items of a group
   * @param each the items of an index
   * @param isPartial whether an item does many indices
   */
  private record Grouping(int group, int each, boolean isPartial) {}

  private Grouping grouping(Procedure procedure) {
    int group = group(procedure.body());
    boolean hasItems = hasItems(procedure.body());
    boolean isPartial = !hasItems && vectorBits() > 0;
    return new Grouping(
        isPartial ? 1 : group == 0 ? OpenClKernel.GROUP : group, hasItems ? group : 1, isPartial);
  }

  private static boolean hasItems(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> block.steps().stream().anyMatch(OpenClTarget::hasItems);
      case Stmt.For loop -> hasItems(loop.body());
      case Stmt.Items _ -> true;
      default -> false;
    };
  }

  private final class OpenClCode extends DriverCode<OpenClContext, OpenClKernel> {
    private final byte[] image;
    private final List<Grouping> groupings;

    OpenClCode(Unit unit, byte[] image) {
      super(unit, OpenClContext::name);
      this.image = image;
      this.groupings = unit.procedures().stream().map(OpenClTarget.this::grouping).toList();
    }

    @Override
    protected IntFunction<OpenClKernel> loader(OpenClContext context) {
      byte[] code =
          context == first().context()
              ? image
              : device(context).compiler().image(unit.name(), unit.source());
      return i -> {
        String name = unit.procedures().get(i).name() + "_";
        return new OpenClKernel(context, name, code, groupings.get(i).group());
      };
    }

    @Override
    public RangeBody bind(int procedure, List<MemorySegment> buffers, Stream stream) {
      OpenClStream target = OpenClStream.require(stream);
      OpenClKernel kernel = on(target.context()).get(procedure);
      Procedure.Arguments passed = unit.procedures().get(procedure).arguments(buffers);
      Grouping how = groupings.get(procedure);
      long most = how.isPartial() ? PARTS * target.context().units() : Long.MAX_VALUE;
      return (begin, end) ->
          target.submit(
              OpenClStream.label(stream),
              new Launch(
                  kernel,
                  begin,
                  end,
                  Math.min(most, Math.max(0, end - begin) * how.each()),
                  passed.memory(),
                  passed.numbers()));
    }
  }
}
