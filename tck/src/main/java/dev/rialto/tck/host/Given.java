package dev.rialto.tck.host;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.tck.SampleKernels;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.Samples;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The parameters of a requirement's method, by their types: each memory space, place of data and
 * executor of {@link #PARALLELISM} threads, the {@linkplain SampleKernels#affine affine kernel} in
 * each language, a stream of the first device, or a gate.
 */
public final class Given {
  /** The threads of executors to check with: as few as there can be, and more. */
  static final List<Integer> PARALLELISM = List.of(1, 2, 4);

  /** Does something with one value for each parameter. */
  public interface Work {
    void run(Object[] given) throws Exception;
  }

  private Given() {}

  /** Does work with every combination of what there is; what can be closed is, the last first. */
  public static void each(BackendProvider backend, Class<?>[] types, Work work) throws Exception {
    each(backend, types, new Object[types.length], 0, work);
  }

  private static void each(
      BackendProvider backend, Class<?>[] types, Object[] given, int next, Work work)
      throws Exception {
    if (next == types.length) {
      work.run(given);
      return;
    }
    for (Callable<?> one : of(types[next], backend)) {
      given[next] = one.call();
      try (AutoCloseable _ = given[next] instanceof AutoCloseable made ? made : () -> {}) {
        each(backend, types, given, next + 1, work);
      }
    }
  }

  private static Collection<Callable<?>> of(Class<?> type, BackendProvider backend) {
    if (type == Gate.class) {
      return List.of(Gate::new);
    } else if (type == Executor.class) {
      return PARALLELISM.stream().<Callable<?>>map(n -> () -> backend.openExecutor(n)).toList();
    } else if (type == MemorySpace.class) {
      return Place.spaces(backend).stream().<Callable<?>>map(space -> () -> space).toList();
    } else if (type == Place.class) {
      return Place.of(backend).stream().<Callable<?>>map(place -> () -> place).toList();
    }
    Device device = backend.devices().getFirst();
    if (type == Stream.class) {
      return List.of(() -> device.openStream(0));
    } else if (type == Executable.class) {
      KernelCompiler compiler = device.compiler();
      return compiler.languages().stream()
          .<Callable<?>>map(language -> () -> compiler.compile(Samples.affine(language)))
          .toList();
    }
    throw new IllegalArgumentException("no requirement is given a " + type.getName());
  }
}
