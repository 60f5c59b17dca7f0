package dev.rialto.array.part;

import dev.rialto.system.HiddenClasses;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A function of each element of an array and of that of another, which are divided alike. Nothing
 * is stored; the loop that reads an element computes it.
 *
 * @param first an array, or another zip
 * @param second an array, or another zip
 * @param function of two doubles or two longs
 * @param ofFirst what the first held when the zip was made
 * @param ofSecond what the second held
 */
public record Zip(
    Operand first, Operand second, Object function, RankPart ofFirst, RankPart ofSecond) {
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

  /** Returns whether both arrays are divided as they were. */
  boolean isCurrent() {
    return first.part() == ofFirst && second.part() == ofSecond;
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
            _ ->
                HiddenClasses.make(
                    MethodHandles.lookup(),
                    HiddenClasses.code(ZippedElements.class),
                    of,
                    Maker.class))
        .make(x, y, function);
  }
}
