package dev.rialto.tck.plain;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Compiles as the host does; its launches know what is behind segments of the plain device. */
record PlainCompiler(KernelCompiler host) implements KernelCompiler {
  @Override
  public String target() {
    return host.target();
  }

  @Override
  public Set<String> languages() {
    return host.languages();
  }

  @Override
  public Executable compile(LoweredKernel kernel) {
    return new Seeing(host.compile(kernel));
  }

  @Override
  public Executable compile(LoweredKernel kernel, Form form) {
    return new Seeing(host.compile(kernel, form));
  }

  private record Seeing(Executable compiled) implements Executable {
    @Override
    public LoweredKernel kernel() {
      return compiled.kernel();
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      compiled.launch(items, buffers, stream);
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, long[] bytes, Stream stream) {
      List<MemorySegment> seen = new ArrayList<>();
      for (int i = 0; i < bytes.length; i++) {
        MemorySegment memory = PlainDevice.seen(buffers.get(i), bytes[i]);
        seen.add(buffers.get(i).isReadOnly() ? memory.asReadOnly() : memory);
      }
      compiled.launch(items, List.copyOf(seen), bytes, stream);
    }

    @Override
    public void close() {
      compiled.close();
    }
  }
}
