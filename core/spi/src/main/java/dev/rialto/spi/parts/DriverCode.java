package dev.rialto.spi.parts;

import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Code that is launched on the streams of a driver. It is loaded on a device when it is first bound
 * to one of its streams.
 *
 * @param <C> the driver's devices
 * @param <K> its kernels
 */
public abstract class DriverCode<C, K extends DriverKernel> implements Code {
  /** The procedures, one for each kernel. */
  protected final Unit unit;

  private final Function<C, String> names;
  private final Map<C, List<K>> kernels = new HashMap<>();
  private boolean closed;

  /** Takes the names of devices for messages. */
  protected DriverCode(Unit unit, Function<C, String> names) {
    this.unit = unit;
    this.names = names;
  }

  /** Returns what loads the kernel of a procedure, by its place in the unit, on a device. */
  protected abstract IntFunction<K> loader(C context);

  /** Returns the kernels on a device, which it loads if they are not there yet. */
  public final synchronized List<K> on(C context) {
    if (closed) {
      throw new IllegalStateException("the code of " + unit.name() + " is closed");
    }
    return kernels.computeIfAbsent(context, this::load);
  }

  private List<K> load(C context) {
    IntFunction<K> loader = loader(context);
    List<K> loaded = new ArrayList<>();
    try {
      for (int i = 0; i < unit.procedures().size(); i++) {
        loaded.add(loader.apply(i));
      }
      return loaded;
    } catch (RuntimeException e) {
      loaded.forEach(DriverKernel::close);
      throw new CompilationException(
          "the code of " + unit.name() + " cannot be loaded: " + e.getMessage(),
          names.apply(context),
          "",
          e);
    }
  }

  @Override
  public final RangeBody bind(int procedure, List<MemorySegment> buffers) {
    throw new UnsupportedOperationException(
        "code for a device is launched on a stream; bind it to one");
  }

  @Override
  public final synchronized void close() {
    if (!closed) {
      closed = true;
      kernels.values().forEach(loaded -> loaded.forEach(DriverKernel::close));
    }
  }
}
