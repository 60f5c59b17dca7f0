package dev.rialto.jit.kernel;

import java.io.Serializable;

/**
 * A method that can be a kernel: a lambda or a method reference that is called with an item and
 * what a launch passes: arrays ({@link F64}, {@link F32}, {@link F16}, {@link BF16}, {@link I64},
 * {@link I32}, {@link I16}, {@link I8}) and numbers ({@code Integer}, {@code Double}, …, or {@code
 * int}, {@code double}, … of a method that is referred to).
 *
 * <p>Serializable, because that is how a lambda tells where its code is; nothing is written.
 */
public sealed interface KernelBody extends Serializable {
  /** A kernel with 1 argument. */
  @FunctionalInterface
  non-sealed interface Of1<A> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a);
  }

  /** A kernel with 2 arguments. */
  @FunctionalInterface
  non-sealed interface Of2<A, B> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b);
  }

  /** A kernel with 3 arguments. */
  @FunctionalInterface
  non-sealed interface Of3<A, B, C> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b, C c);
  }

  /** A kernel with 4 arguments. */
  @FunctionalInterface
  non-sealed interface Of4<A, B, C, D> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b, C c, D d);
  }

  /** A kernel with 5 arguments. */
  @FunctionalInterface
  non-sealed interface Of5<A, B, C, D, E> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b, C c, D d, E e);
  }

  /** A kernel with 6 arguments. */
  @FunctionalInterface
  non-sealed interface Of6<A, B, C, D, E, F> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b, C c, D d, E e, F f);
  }

  /** A kernel with 7 arguments. */
  @FunctionalInterface
  non-sealed interface Of7<A, B, C, D, E, F, G> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b, C c, D d, E e, F f, G g);
  }

  /** A kernel with 8 arguments. */
  @FunctionalInterface
  non-sealed interface Of8<A, B, C, D, E, F, G, H> extends KernelBody {
    /** Does what one item does. */
    void run(Item it, A a, B b, C c, D d, E e, F f, G g, H h);
  }

  /**
   * Calls the method as the JVM runs it.
   *
   * @param arguments as many as it takes
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static void call(KernelBody body, Item it, Object... arguments) {
    Object[] x = arguments;
    switch (body) {
      case Of1 f -> f.run(it, x[0]);
      case Of2 f -> f.run(it, x[0], x[1]);
      case Of3 f -> f.run(it, x[0], x[1], x[2]);
      case Of4 f -> f.run(it, x[0], x[1], x[2], x[3]);
      case Of5 f -> f.run(it, x[0], x[1], x[2], x[3], x[4]);
      case Of6 f -> f.run(it, x[0], x[1], x[2], x[3], x[4], x[5]);
      case Of7 f -> f.run(it, x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
      case Of8 f -> f.run(it, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    }
  }
}
