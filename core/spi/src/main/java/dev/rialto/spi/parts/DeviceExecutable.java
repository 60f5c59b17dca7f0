package dev.rialto.spi.parts;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A kernel that the driver of a device has loaded.
 *
 * <p>A launch is refused once this is closed, on streams of another device, and with arguments that
 * the kernel does not take.
 *
 * @param <S> the streams of the driver
 */
public abstract class DeviceExecutable<S extends DeviceStream> implements Executable {
  private final LoweredKernel kernel;
  private final String device;
  private final Function<Stream, S> streams;
  private final Runnable release;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Makes one.
   *
   * @param device the device that it was compiled for
   * @param streams the driver's stream behind one that a caller passes
   * @param release gives the code back
   */
  protected DeviceExecutable(
      LoweredKernel kernel, String device, Function<Stream, S> streams, Runnable release) {
    this.kernel = kernel;
    this.device = device;
    this.streams = streams;
    this.release = release;
  }

  /**
   * Returns the text of a kernel.
   *
   * @param target the compiler's name, for the message
   * @throws IllegalArgumentException if it is not text of that language
   */
  public static LoweredKernel.Source text(LoweredKernel kernel, String target, String language) {
    if (kernel instanceof LoweredKernel.Source source && source.language().equals(language)) {
      return source;
    }
    throw new IllegalArgumentException(
        "kernel %s is written in %s, but target %s takes only %s"
            .formatted(kernel.name(), kernel.language(), target, language));
  }

  @Override
  public final LoweredKernel kernel() {
    return kernel;
  }

  /** Checks a launch and returns the driver's stream that it goes to. */
  protected final S check(long items, List<MemorySegment> buffers, Stream stream) {
    if (closed.get()) {
      throw new IllegalStateException(
          "kernel " + kernel.name() + " is closed; compile it again to launch it");
    }
    kernel.checkLaunch(items, buffers);
    S target = streams.apply(stream);
    if (!target.device().equals(device)) {
      throw new IllegalArgumentException(
          "kernel %s was compiled for %s, but %s is of %s; compile it there"
              .formatted(kernel.name(), device, stream.name(), target.device()));
    }
    return target;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release.run();
    }
  }
}
