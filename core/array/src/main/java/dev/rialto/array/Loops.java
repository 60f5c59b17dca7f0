package dev.rialto.array;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The inner loops of algorithms, on addresses and elements as {@linkplain Elements bits}.
 *
 * <p>A loop that calls a function given to it is as fast as one with the function written into it
 * only if the compiler has seen no other function there. So each function's class gets loops of its
 * own: {@link #of} loads {@link LoopsBody}, or {@link ComplexLoops}, once more as a hidden class.
 * That takes about a millisecond per function in the source and per combination of types, once.
 *
 * <p>Counts are at most a {@linkplain Run#CHUNK chunk}. Values that leave a loop, or go into one,
 * are {@linkplain Elements#words words}.
 */
interface Loops {
  /** Sets {@code out[i] = f(in[i])}. */
  void map(Object f, Elements from, long in, Elements to, long out, long count);

  /** Sets {@code out[i] = op(a[i], b[i])}. */
  void zip(
      Object op, Elements of, long a, Elements other, long b, Elements to, long out, long count);

  /** Sets {@code out[i] = f(first + i)}; what {@code f} gives is for elements of {@code to}. */
  void generate(Object f, long first, Elements to, long out, long count);

  /** Calls {@code visitor(first + i, in[i])}. */
  void visit(Object visitor, long first, Elements from, long in, long count);

  /**
   * Combines terms, at least one, in order: {@code in[i]}, or {@code f(in[i])} if there is a
   * function, or {@code f(in[i], b[i])} if there are other elements too.
   */
  long[] fold(
      Object op,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      long count);

  /** Sets {@code out[i] = carry op in[0] op … op in[i]} and returns the last. */
  long[] scan(Object op, long[] carry, Elements from, long in, Elements to, long out, long count);

  /** Sets {@code out[i] = carry op in[0] op … op in[i-1]} and returns the next. */
  long[] scanBefore(
      Object op, long[] carry, Elements from, long in, Elements to, long out, long count);

  /** Returns the first {@code i} whose element meets the condition, or does not; else count. */
  long find(Object condition, boolean meets, Elements from, long in, long count);

  /** Returns how many elements meet the condition. */
  long count(Object condition, Elements from, long in, long count);

  /** Returns {@code a op b}. */
  long[] combine(Object op, long[] a, long[] b);

  /** Returns the loops for functions of one or two classes on elements of up to three types. */
  static Loops of(Object function, @Nullable Object second, Elements... elements) {
    Map<String, Loops> known = Specialized.LOOPS.get(function.getClass());
    StringBuilder key = new StringBuilder();
    for (Elements each : elements) {
      key.append(each.type).append(' ');
    }
    if (second != null) {
      key.append(second.getClass().getName()).append(System.identityHashCode(second.getClass()));
    }
    return known.computeIfAbsent(
        key.toString(),
        _ -> Specialized.make(elements[0].isComplex() ? Specialized.COMPLEX : Specialized.BODY));
  }

  /** Makes copies of the loops. */
  final class Specialized {
    private static final ClassValue<Map<String, Loops>> LOOPS =
        new ClassValue<>() {
          @Override
          protected Map<String, Loops> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
          }
        };

    private static final byte[] BODY = read(LoopsBody.class);
    private static final byte[] COMPLEX = read(ComplexLoops.class);

    private Specialized() {}

    private static byte[] read(Class<?> body) {
      String file = body.getSimpleName() + ".class";
      try (InputStream in = Loops.class.getResourceAsStream(file)) {
        if (in == null) {
          throw new IllegalStateException(file + " is not in this module's jar");
        }
        return in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Loops make(byte[] body) {
      try {
        MethodHandles.Lookup made = MethodHandles.lookup().defineHiddenClass(body, true);
        return (Loops)
            made.findConstructor(made.lookupClass(), MethodType.methodType(void.class)).invoke();
      } catch (Throwable e) {
        throw new IllegalStateException("the loops of an operator cannot be made", e);
      }
    }
  }
}
