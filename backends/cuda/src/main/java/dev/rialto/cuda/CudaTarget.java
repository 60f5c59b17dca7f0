package dev.rialto.cuda;

import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeUnit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.RangeBody;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles CUDA C++ with NVRTC and runs it on the first GPU.
 *
 * <p>Whoever calls code of a {@link CodeTarget} has its buffers in host memory, so each call brings
 * them to the GPU and takes back those that the procedure writes. That proves the code, to the bit;
 * it is not how to be fast. Programs whose arrays stay on the GPU launch kernels on its streams.
 *
 * <p>Calls exclude one another, since parts of one index space write the same buffers.
 */
public final class CudaTarget implements CodeTarget {
  private static final Object TURN = new Object();

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
  public Language language() {
    return Language.CUDA;
  }

  @Override
  public int vectorBits() {
    return 0;
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
  public byte[] build(CodeUnit unit) {
    return Nvrtc.require()
        .compile(unit.name(), unit.source(), device().architecture().options(unit.fast()));
  }

  @Override
  public Code load(CodeUnit unit, byte[] image) {
    return new CudaCode(device(), unit, image);
  }

  private static final class CudaCode implements Code {
    private final CudaDevice device;
    private final CodeUnit unit;
    private final List<LoadedKernel> kernels = new ArrayList<>();
    private boolean closed;

    CudaCode(CudaDevice device, CodeUnit unit, byte[] image) {
      this.device = device;
      this.unit = unit;
      try {
        for (Procedure procedure : unit.procedures()) {
          kernels.add(new LoadedKernel(device.context(), procedure.name(), image));
        }
      } catch (RuntimeException e) {
        close();
        throw new CompilationException(
            "the code of " + unit.name() + " cannot be loaded: " + e.getMessage(), "cuda", "", e);
      }
    }

    @Override
    public RangeBody bind(int procedure, List<MemorySegment> buffers) {
      Procedure code = unit.procedures().get(procedure);
      Code.check(code, buffers);
      List<MemorySegment> host = List.copyOf(buffers);
      boolean[] written = new boolean[host.size()];
      for (int i = 0; i < written.length; i++) {
        written[i] = writes(code.body(), code.parameters().get(i));
      }
      LoadedKernel kernel = kernels.get(procedure);
      return (begin, end) -> {
        synchronized (TURN) {
          run(kernel, code, host, written, begin, end);
        }
      };
    }

    private void run(
        LoadedKernel kernel,
        Procedure code,
        List<MemorySegment> host,
        boolean[] written,
        long begin,
        long end) {
      List<Allocation> copies = new ArrayList<>();
      List<MemorySegment> there = new ArrayList<>();
      try (Stream stream = device.openStream(0)) {
        for (int i = 0; i < host.size(); i++) {
          Buffer buffer = code.parameters().get(i);
          long bytes = buffer.elements() * buffer.storage().bytes();
          // One segment for two parameters stays one, as for a merge into its own source.
          int same = same(host, i);
          if (same < i) {
            there.add(there.get(same));
            continue;
          }
          Allocation copy = device.memory().allocate(bytes);
          copies.add(copy);
          there.add(copy.segment());
          device.transfer().copy(host.get(i), copy.segment(), bytes);
        }
        CudaStream.require(stream).launch(null, kernel, begin, end, there);
        stream.await();
        for (int i = 0; i < written.length; i++) {
          if (written[i]) {
            Buffer buffer = code.parameters().get(i);
            long bytes = buffer.elements() * buffer.storage().bytes();
            device.transfer().copy(there.get(i), host.get(i), bytes);
          }
        }
      } finally {
        copies.forEach(Allocation::close);
      }
    }

    private static int same(List<MemorySegment> host, int index) {
      int first = 0;
      while (host.get(first).address() != host.get(index).address()) {
        first++;
      }
      return first;
    }

    private static boolean writes(Stmt statement, Buffer buffer) {
      return switch (statement) {
        case Stmt.Block block -> block.steps().stream().anyMatch(step -> writes(step, buffer));
        case Stmt.For loop -> writes(loop.body(), buffer);
        case Stmt.If branch -> writes(branch.body(), buffer);
        case Stmt.Store store -> store.buffer().equals(buffer);
        default -> false;
      };
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        kernels.forEach(LoadedKernel::close);
      }
    }
  }
}
