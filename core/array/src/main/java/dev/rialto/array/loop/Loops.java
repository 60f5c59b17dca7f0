package dev.rialto.array.loop;

import dev.rialto.array.part.Elements;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.HiddenClasses;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The inner loops of algorithms, on addresses and elements as {@linkplain Elements bits}.
 *
 * <p>A loop that calls a function given to it is as fast as one with the function written into it
 * only if the compiler has seen no other function there. So each function's class gets loops of its
 * own: {@link #of} loads {@link LoopsBody}, or {@link ComplexLoops}, once more as a hidden class.
 * That takes about a millisecond per function in the source and per combination of types, once.
 *
 * <p>Counts are at most a {@linkplain OperationRunner#CHUNK chunk}. Values that leave a loop, or go
 * into one, are {@linkplain Elements#words words} at an address.
 */
public interface Loops extends Fold {
  /** Sets {@code out[i] = f(in[i])}. */
  void map(Object f, Elements from, long in, Elements to, long out, long count);

  /** Sets {@code out[i] = op(a[i], b[i])}. */
  void zip(
      Object op, Elements of, long a, Elements other, long b, Elements to, long out, long count);

  /** Sets {@code out[i] = f(first + i)}; what {@code f} gives is for elements of {@code to}. */
  void generate(Object f, long first, Elements to, long out, long count);

  /** Sets elements to a function of their two or three indices; {@code first} is a number. */
  void generate(Object f, Shape shape, long first, Elements to, long out, long count);

  /** Sets {@code out[i] = f(in[0][i], in[1][i], …)}. */
  void mapMany(Object f, Elements[] from, long[] in, Elements to, long out, long count);

  /** Calls {@code visitor(first + i, in[i])}. */
  void visit(Object visitor, long first, Elements from, long in, long count);

  /**
   * Sets {@code out[i] = carry op in[0] op … op in[i]}, or, if {@code before}, {@code carry op
   * in[0] op … op in[i-1]}, and the carry to what the next element's is. Input and output may be
   * one.
   */
  void scan(
      Object op,
      boolean before,
      long carry,
      Elements from,
      long in,
      Elements to,
      long out,
      long count);

  /** Bytes from one carry to the next. */
  long CARRY = 16;

  /**
   * Does four scans of {@code count} elements that follow one another, each with a carry of its
   * own; see {@link #scan}. All at once where that is faster: in one, each result waits for the one
   * before.
   */
  default void scanQuarters(
      Object op,
      boolean before,
      long carries,
      Elements from,
      long in,
      Elements to,
      long out,
      long count) {
    for (long i = 0; i < 4; i++) {
      long at = i * count;
      scan(
          op,
          before,
          carries + i * CARRY,
          from,
          in + from.type.bytes(at),
          to,
          out + to.type.bytes(at),
          count);
    }
  }

  /** Returns the first {@code i} whose element meets the condition, or does not; else count. */
  long find(Object condition, boolean meets, Elements from, long in, long count);

  /** Returns how many elements meet the condition. */
  long count(Object condition, Elements from, long in, long count);

  /** Sets the words {@code to} to {@code a op b}; any of them may be the same. */
  void combine(Object op, long a, long b, long to);

  /** Returns the loops for functions of one or two classes on elements of some types. */
  static Loops of(Object function, @Nullable Object second, Elements... elements) {
    Map<Use, Loops> known = Specialized.LOOPS.get(function.getClass());
    Use use =
        new Use(
            Stream.of(elements).map(Elements::kind).toList(),
            second == null ? null : second.getClass());
    Loops loops = known.get(use);
    return loops != null
        ? loops
        : known.computeIfAbsent(
            use,
            _ ->
                Specialized.make(
                    elements[0].isComplex() ? ComplexLoops.class : LoopsBody.class,
                    function.getClass(),
                    Loops.class));
  }

  /**
   * The key of the loops of a function.
   *
   * @param elements the kinds of elements
   * @param second the class of the other function
   */
  record Use(List<Object> elements, @Nullable Class<?> second) {}

  /** Makes copies of the loops. */
  final class Specialized {
    private static final ClassValue<Map<Use, Loops>> LOOPS =
        new ClassValue<>() {
          @Override
          protected Map<Use, Loops> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
          }
        };

    private Specialized() {}

    /** Makes a copy of a class of loops, with data that its static fields can be made of. */
    static <T> T make(Class<? extends T> body, Object data, Class<T> kind) {
      return HiddenClasses.make(MethodHandles.lookup(), HiddenClasses.code(body), data, kind);
    }
  }
}
