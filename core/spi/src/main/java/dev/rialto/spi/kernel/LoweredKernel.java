package dev.rialto.spi.kernel;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A kernel as a compiler takes it: a body over a one-dimensional index space, and buffers.
 *
 * <p>A launch over {@code n} items runs the body for each index from 0 to {@code n - 1}, in any
 * order and possibly at the same time.
 */
public sealed interface LoweredKernel {
  /** The language of {@link JavaBody}. */
  String JAVA = "java";

  /** Returns a name for messages and traces. */
  String name();

  /** Returns the buffers a launch passes, in order. */
  List<Parameter> parameters();

  /** Returns what the body is written in: {@link #JAVA}, {@code c}, {@code cuda}, … */
  String language();

  /**
   * Checks what {@link Executable#launch} is given.
   *
   * @throws IllegalArgumentException if it is not what the kernel takes
   */
  default void checkLaunch(long items, List<MemorySegment> buffers) {
    if (items < 0) {
      throw new IllegalArgumentException(
          "kernel " + name() + " cannot run over " + items + " items; give 0 or more");
    }
    if (buffers.size() != parameters().size()) {
      throw new IllegalArgumentException(
          "kernel %s takes %s buffers, but %s were given"
              .formatted(name(), parameters().size(), buffers.size()));
    }
    for (int i = 0; i < parameters().size(); i++) {
      MemorySegment buffer = buffers.get(i);
      if (parameters().get(i).access() != Access.READ && buffer.isReadOnly()) {
        throw new IllegalArgumentException(
            ("kernel %s writes %s, but its buffer is read-only; give memory that can be "
                    + "written")
                .formatted(name(), parameters().get(i).name()));
      }
    }
  }

  /** The access of a kernel to a buffer. */
  enum Access {
    /** Only reads it. */
    READ,
    /** Only writes it. */
    WRITE,
    /** Reads and writes it. */
    READ_WRITE
  }

  /**
   * A buffer.
   *
   * @param name unique in the kernel
   * @param type the elements' type
   * @param access what the kernel does with it
   */
  record Parameter(String name, DType type, Access access) {}

  /**
   * A kernel whose body is Java code; for devices that are the host's cores.
   *
   * @param name for messages and traces
   * @param parameters the buffers
   * @param body the code
   */
  record JavaBody(String name, List<Parameter> parameters, Body body) implements LoweredKernel {
    /** Copies the parameters and checks that their names differ. */
    public JavaBody {
      parameters = distinct(parameters);
    }

    @Override
    public String language() {
      return JAVA;
    }
  }

  /**
   * A kernel whose body is text in a language that the device's compiler reads. The text defines a
   * function called {@code name} that takes a pointer per parameter, the first index and one past
   * the last.
   *
   * @param name for messages and traces, and the function's
   * @param parameters the buffers
   * @param language such as {@code c}
   * @param text the code
   */
  record Source(String name, List<Parameter> parameters, String language, String text)
      implements LoweredKernel {
    /** Copies the parameters and checks that their names differ. */
    public Source {
      parameters = distinct(parameters);
    }
  }

  /** Java code over a part of the index space. */
  @FunctionalInterface
  interface Body {
    /**
     * Does the indices from {@code begin} (inclusive) to {@code end} (exclusive).
     *
     * @param buffers one per parameter, valid during the call
     */
    void run(long begin, long end, List<MemorySegment> buffers);

    /**
     * Returns whether the body only computes, and waits for nothing: a thread that waits for a
     * launch of it may run it.
     */
    default boolean onlyComputes() {
      return false;
    }
  }

  private static List<Parameter> distinct(List<Parameter> parameters) {
    Set<String> names = new HashSet<>();
    for (Parameter parameter : parameters) {
      if (!names.add(parameter.name())) {
        throw new IllegalArgumentException("two parameters are called '" + parameter.name() + "'");
      }
    }
    return List.copyOf(parameters);
  }
}
