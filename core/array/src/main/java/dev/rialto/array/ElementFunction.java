package dev.rialto.array;

import org.jspecify.annotations.Nullable;

/**
 * A function of elements: of doubles for floating-point types, of longs for integer types, of
 * {@link Complex} numbers for complex ones, or of several of them.
 *
 * <p>It is called from several threads at once where a {@link Team} has an executor.
 */
public abstract sealed class ElementFunction
    permits Operator, Mapping, Condition, Generator, Visitor {
  private final String kind;
  private final @Nullable Object doubles;
  private final @Nullable Object longs;
  private final @Nullable Object complex;

  ElementFunction(
      String kind, @Nullable Object doubles, @Nullable Object longs, @Nullable Object complex) {
    this.kind = kind;
    this.doubles = doubles;
    this.longs = longs;
    this.complex = complex;
  }

  /** Returns the function for a type. */
  Object on(Elements elements) {
    Object function =
        switch (elements.type.kind()) {
          case FLOAT -> doubles;
          case INTEGER -> longs;
          case COMPLEX -> complex;
        };
    if (function == null) {
      throw new IllegalArgumentException(
          "%s of %s for %s elements; make it with %s"
              .formatted(
                  kind,
                  doubles != null ? "doubles" : longs != null ? "longs" : "complex numbers",
                  elements.type,
                  switch (elements.type.kind()) {
                    case FLOAT -> "ofDoubles";
                    case INTEGER -> "ofLongs";
                    case COMPLEX -> "ofComplex";
                  }));
    }
    return function;
  }
}
