package dev.rialto.cuda;

import dev.rialto.cuda.dialect.CudaDialect;
import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.Nvrtc;
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
 * Compiles CUDA C++ with NVRTC and launches it on the GPUs' streams.
 *
 * <p>Machine code is for the first GPU's architecture and is loaded on each GPU when a procedure is
 * first bound to one of its streams. A launch has a thread for as many items as the procedure's
 * grain says, in blocks of 256, which is what kernels with tiles and sums count on.
 */
public final class CudaTarget implements CodeTarget {
  /** Made by {@link java.util.ServiceLoader}. */
  public CudaTarget() {}

  @Override
  public String name() {
    return "cuda";
  }

  @Override
  public Probe probe() {
    return new CudaBackend().probe();
  }

  @Override
  public Optional<Dialect> dialect() {
    return Optional.of(new CudaDialect());
  }

  @Override
  public int vectorBits() {
    return 0;
  }

  @Override
  public boolean multipliesTiles() {
    return device().architecture().multipliesTiles();
  }

  @Override
  public List<Device> devices() {
    return probe() instanceof Probe.Available ? new CudaBackend().devices() : List.of();
  }

  private static CudaDevice device() {
    return switch (new CudaBackend().probe()) {
      case Probe.Available _ -> (CudaDevice) new CudaBackend().devices().getFirst();
      case Probe.Unavailable(String reason, String remedy) ->
          throw new CompilationException(reason, "cuda", remedy, null);
    };
  }

  @Override
  public String fingerprint() {
    return "NVRTC " + Nvrtc.require().version() + " " + device().architecture();
  }

  @Override
  public byte[] build(Unit unit) {
    return Nvrtc.require()
        .compile(unit.name(), unit.source(), device().architecture().options(unit.fast()));
  }

  @Override
  public Code load(Unit unit, byte[] image) {
    CudaCode code = new CudaCode(unit, image);
    code.on(device().context());
    return code;
  }

  /** The threads of a block for procedures whose blocks have items; 0 for others. */
  private static int items(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> block.steps().stream().mapToInt(CudaTarget::items).max().orElse(0);
      case Stmt.For loop -> items(loop.body());
      case Stmt.Items items -> items.most();
      default -> 0;
    };
  }

  private static final class CudaCode extends DriverCode<CudaContext, LoadedKernel> {
    private final byte[] image;

    CudaCode(Unit unit, byte[] image) {
      super(unit, CudaContext::name);
      this.image = image;
    }

    @Override
    protected IntFunction<LoadedKernel> loader(CudaContext context) {
      return i -> {
        Procedure procedure = unit.procedures().get(i);
        return new LoadedKernel(context, procedure.name(), image, items(procedure.body()));
      };
    }

    @Override
    public RangeBody bind(int procedure, List<MemorySegment> buffers, Stream stream) {
      CudaStream target = CudaStream.require(stream);
      LoadedKernel kernel = on(target.context()).get(procedure);
      Procedure code = unit.procedures().get(procedure);
      Procedure.Arguments passed = code.arguments(buffers);
      List<MemorySegment> memory = passed.memory();
      long[] numbers = passed.numbers();
      int each = Math.toIntExact(code.grain().multiple());
      return (begin, end) ->
          target.launch(CudaStream.label(stream), kernel, begin, end, each, memory, numbers);
    }
  }
}
