package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.tck.reference.Samples;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The least that compiles text: kernels of one formula, with the cores' streams. The language is
 * its own, so its kernels come to the kit as a service.
 */
public final class FakeCompiler implements BackendProvider, KernelCompiler {
  private static final String LANGUAGE = "formula";
  private static final Pattern FORMULA = Pattern.compile("out \\+= (\\d+) in \\+ i");

  private final Device cores = Backends.get("cpu").devices().getFirst();

  /** The kernels of the kit as formulas. */
  public static final class Formulas implements SampleKernels {
    @Override
    public String language() {
      return LANGUAGE;
    }

    @Override
    public LoweredKernel affine() {
      return new LoweredKernel.Source("affine", Samples.PARAMETERS, LANGUAGE, "out += 3 in + i");
    }

    @Override
    public LoweredKernel broken() {
      return new LoweredKernel.Source("broken", Samples.PARAMETERS, LANGUAGE, "out +=");
    }
  }

  @Override
  public String name() {
    return "fake-compiler";
  }

  @Override
  public String description() {
    return "kernels of one formula";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of(), List.of());
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.STREAMS, Capability.KERNELS);
  }

  @Override
  public List<Device> devices() {
    return List.of(new Streams());
  }

  /** The cores' streams without their memory. */
  private final class Streams implements Device {
    @Override
    public String name() {
      return "fake-compiler:0";
    }

    @Override
    public DeviceProperties properties() {
      return cores.properties();
    }

    @Override
    public MemorySpace memory() {
      throw Capability.MEMORY.unsupported(name());
    }

    @Override
    public MemorySpace staging() {
      throw Capability.MEMORY.unsupported(name());
    }

    @Override
    public MemoryTransfer transfer() {
      throw Capability.TRANSFER.unsupported(name());
    }

    @Override
    public KernelCompiler compiler() {
      return FakeCompiler.this;
    }

    @Override
    public Timeline openStream(int priority) {
      return cores.openStream(priority);
    }
  }

  @Override
  public String target() {
    return "formula";
  }

  @Override
  public Set<String> languages() {
    return Set.of(LANGUAGE);
  }

  @Override
  public Executable compile(LoweredKernel kernel) {
    if (!(kernel instanceof LoweredKernel.Source source) || !source.language().equals(LANGUAGE)) {
      throw new IllegalArgumentException(
          "kernel " + kernel.name() + " is written in " + kernel.language() + ", not " + LANGUAGE);
    }
    Matcher formula = FORMULA.matcher(source.text());
    if (!formula.matches()) {
      throw new CompilationException(
          "'" + source.text() + "' is not " + FORMULA, "kernel " + source.name(), "", null);
    }
    long factor = Long.parseLong(formula.group(1));
    return new Compiled(
        kernel,
        cores
            .compiler()
            .compile(
                new LoweredKernel.JavaBody(
                    source.name(),
                    source.parameters(),
                    (begin, end, buffers) -> {
                      for (long i = begin; i < end; i++) {
                        double in = buffers.get(0).getAtIndex(ValueLayout.JAVA_DOUBLE, i);
                        double out = buffers.get(1).getAtIndex(ValueLayout.JAVA_DOUBLE, i);
                        buffers
                            .get(1)
                            .setAtIndex(ValueLayout.JAVA_DOUBLE, i, out + factor * in + i);
                      }
                    })));
  }

  private record Compiled(LoweredKernel kernel, Executable code) implements Executable {
    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      code.launch(items, buffers, stream);
    }

    @Override
    public void close() {
      code.close();
    }
  }
}
