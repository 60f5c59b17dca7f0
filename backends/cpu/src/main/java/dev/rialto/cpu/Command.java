package dev.rialto.cpu;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in a {@link CommandQueue}: host code or a launch, used over and over.
 *
 * <p>The fields are plain; {@link #publish} hands them to the consumer. A launch runs this object
 * itself as the body of its loop, so that nothing is allocated for it.
 */
final class Command implements RangeBody {
  private static final VarHandle READY;

  static {
    try {
      READY = MethodHandles.lookup().findVarHandle(Command.class, "ready", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The point after the operation that is here, once it may be run. */
  @SuppressWarnings("unused") // through READY
  private long ready;

  private @Nullable Runnable code;
  private LoweredKernel.@Nullable Body body;
  private @Nullable List<MemorySegment> buffers;
  private @Nullable Executor executor;
  private long items;
  @Nullable Object label;
  long added;

  void set(Runnable operation) {
    code = operation;
  }

  void set(LoweredKernel.Body kernel, long count, List<MemorySegment> passed, Executor on) {
    body = kernel;
    items = count;
    buffers = passed;
    executor = on;
  }

  /** Hands the operation over; ordered before what the caller reads next. */
  void publish(long position) {
    READY.setVolatile(this, position);
  }

  boolean isReady(long position) {
    return (long) READY.getVolatile(this) == position;
  }

  /** Whether this is a launch that waits for nothing. */
  boolean onlyComputes() {
    LoweredKernel.Body kernel = body;
    return kernel != null && kernel.onlyComputes();
  }

  void run() {
    Runnable operation = code;
    Executor loops = executor;
    if (operation != null) {
      operation.run();
    } else if (loops != null) {
      loops.parallelFor(0, items, this);
    }
  }

  @Override
  public void run(long begin, long end) {
    LoweredKernel.Body kernel = body;
    List<MemorySegment> passed = buffers;
    if (kernel != null && passed != null) {
      kernel.run(begin, end, passed);
    }
  }

  /** Lets go of everything, so that a waiting place keeps nothing alive. */
  void clear() {
    code = null;
    body = null;
    buffers = null;
    executor = null;
    label = null;
  }
}
