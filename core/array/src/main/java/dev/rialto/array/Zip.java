package dev.rialto.array;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a zip shows: a function of each element of an array and of that of another, which are
 * divided alike. Nothing is stored; whatever reads an element computes it.
 *
 * @param first an array, or another zip
 * @param second an array, or another zip
 * @param function of two doubles or two longs
 * @param ofFirst what the first held when the zip was made
 * @param ofSecond what the second held
 */
record Zip(Array first, Array second, Object function, Held ofFirst, Held ofSecond) {
  private static final ClassValue<Map<List<Object>, Maker>> MAKERS =
      new ClassValue<>() {
        @Override
        protected Map<List<Object>, Maker> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  /** Makes elements that are functions of one class. */
  interface Maker {
    Elements make(View first, View second, Object function);
  }

  static Zip of(Array first, Array second, Object function) {
    Elementwise.sameShape(first, second);
    if (OnDevice.any(first, second)) {
      OnDevice.require("zip", first, second);
    }
    if (!first.isAlignedWith(second)) {
      throw new IllegalArgumentException(
          "a zip of %s and %s; give arrays that are divided alike, or copy one to an array like the other"
              .formatted(first, second));
    }
    return new Zip(first, second, function, first.held(), second.held());
  }

  /** Returns whether both arrays are divided as they were. */
  boolean isCurrent() {
    return first.held() == ofFirst && second.held() == ofSecond;
  }

  /** Returns what computes the elements for loops of the host. */
  Elements elements() {
    View x = first.values();
    View y = second.values();
    Class<?> of = function.getClass();
    return MAKERS
        .get(of)
        .computeIfAbsent(
            List.of(x.elements().kind(), y.elements().kind()),
            _ -> Loops.Specialized.make(ZippedElements.class, of, Maker.class))
        .make(x, y, function);
  }
}
