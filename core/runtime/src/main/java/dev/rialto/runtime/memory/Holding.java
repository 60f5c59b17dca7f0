package dev.rialto.runtime.memory;

import java.lang.System.Logger.Level;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a block: the handle, weakly, and what to call it.
 *
 * <p>A handle that is lost without being closed is reported once, with where it was made if {@code
 * -Drialto.leaks=true}. Its memory stays counted, so that the leak is seen and not hidden. Holding
 * costs one object; a {@link java.lang.ref.Cleaner} would take a lock each time.
 */
public final class Holding extends WeakReference<Object> {
  /** Whether devices keep places of allocation from the start; they cost a walk of the stack. */
  public static final boolean TRACKED = Boolean.getBoolean("rialto.leaks");

  private static final System.Logger LOG = System.getLogger("dev.rialto.memory");
  private static final ReferenceQueue<Object> LOST = new ReferenceQueue<>();

  static {
    Thread.ofPlatform().daemon().name("rialto-leaks").start(Holding::report);
  }

  private final String name;
  private final long bytes;
  private final @Nullable StackTraceElement site;
  private final Consumer<String> onLeak;

  /**
   * Describes a holder.
   *
   * @param handle what is to be closed
   * @param name for tables and messages
   * @param bytes that were asked for
   * @param site where it was asked for, if known
   * @param onLeak told if the handle is lost
   */
  public Holding(
      Object handle,
      String name,
      long bytes,
      @Nullable StackTraceElement site,
      Consumer<String> onLeak) {
    super(handle, LOST);
    this.name = name;
    this.bytes = bytes;
    this.site = site;
    this.onLeak = onLeak;
  }

  /** Returns whether it is known where the block was asked for. */
  boolean isTracked() {
    return site != null;
  }

  /** Returns the name, with the place if that is known. */
  String describe() {
    return site == null ? name : name + " at " + site;
  }

  long bytes() {
    return bytes;
  }

  private static void report() {
    while (true) {
      try {
        if (LOST.remove() instanceof Holding lost) {
          lost.onLeak.accept(
              "leak: "
                  + lost.name
                  + " of "
                  + lost.bytes
                  + " bytes was never closed, and nothing refers to it any longer"
                  + (lost.site == null
                      ? "; -Drialto.leaks=true shows where it was made"
                      : "; it was made at " + lost.site));
        }
      } catch (InterruptedException | RuntimeException e) {
        LOG.log(Level.WARNING, "a leak could not be reported", e);
      }
    }
  }
}
