package dev.rialto.array;

import org.jspecify.annotations.Nullable;

/**
 * A function of elements: of doubles for floating-point types, of longs for integer types, or both.
 *
 * <p>It is called from several threads at once where a {@link Team} has an executor.
 */
public abstract sealed class ElementFunction
    permits Operator, Mapping, Condition, Generator, Visitor {
  private final String kind;
  private final @Nullable Object doubles;
  private final @Nullable Object longs;

  ElementFunction(String kind, @Nullable Object doubles, @Nullable Object longs) {
    this.kind = kind;
    this.doubles = doubles;
    this.longs = longs;
  }

  /** Returns the function for a type. */
  Object on(Elements elements) {
    Object function = elements.isFloating() ? doubles : longs;
    if (function == null) {
      throw new IllegalArgumentException(
          "%s of %s for %s elements; make it with %s"
              .formatted(
                  kind,
                  doubles == null ? "longs" : "doubles",
                  elements.type,
                  doubles == null ? "ofDoubles" : "ofLongs"));
    }
    return function;
  }
}
