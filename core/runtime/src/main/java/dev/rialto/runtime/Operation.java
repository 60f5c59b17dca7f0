package dev.rialto.runtime;

import dev.rialto.spi.World.RankScope;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An entry in a stream: named in failures, profiles and traces.
 *
 * @param kind what sort of operation
 * @param name the kernel, or what is moved
 * @param bytes how many bytes it moves, or 0
 * @param site the line that asked for it; for a prepared launch, the one that prepared it
 * @param rank the rank that asked for it, where several share this process
 */
public record Operation(
    Kind kind, String name, long bytes, Optional<StackTraceElement> site, OptionalInt rank) {
  /** A sort of operation. */
  public enum Kind {
    /** A kernel. */
    LAUNCH,
    /** A copy, on the device or to and from it. */
    TRANSFER,
    /** Setting every byte or element. */
    FILL,
    /** An operation with other ranks. */
    COLLECTIVE,
    /** Code of the host. */
    HOST
  }

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /**
   * Marks a class outside this package through which users ask for operations: the line named is
   * that of its caller.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  public @interface EntryPoint {}

  /** The classes between a user and {@link #at}. */
  private static final Set<Class<?>> OWN =
      Set.of(
          Operation.class,
          Buffer.class,
          ComputeClient.class,
          ComputeStream.class,
          Transfers.class,
          StagedTransfers.class,
          BufferFactory.class,
          Launch.class,
          RankGroup.class);

  /** Makes an operation that the nearest caller outside these classes asked for. */
  static Operation at(Kind kind, String name, long bytes) {
    return new Operation(kind, name, bytes, Optional.ofNullable(caller()), RankScope.current());
  }

  /** Returns the nearest frame outside these classes. */
  static @Nullable StackTraceElement caller() {
    return WALKER.walk(
        frames ->
            frames
                .filter(frame -> !isEntryPoint(outer(frame.getDeclaringClass())))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement)
                .orElse(null));
  }

  private static boolean isEntryPoint(Class<?> type) {
    return OWN.contains(type) || type.isAnnotationPresent(EntryPoint.class);
  }

  private static Class<?> outer(Class<?> type) {
    Class<?> host = type.getNestHost();
    return host == null ? type : host;
  }

  /** Returns it in words, with the site if there is one. */
  @Override
  public String toString() {
    String what =
        switch (kind) {
          case LAUNCH -> "kernel '" + name + "'";
          case TRANSFER, FILL -> name + " of " + bytes + " bytes";
          case COLLECTIVE, HOST -> name;
        };
    return what + site.map(frame -> " at " + frame).orElse("");
  }
}
