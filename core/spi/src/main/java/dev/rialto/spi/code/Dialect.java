package dev.rialto.spi.code;

import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Stmt.AtomicOp;
import dev.rialto.spi.code.Type.Kind;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The kind of C that a target reads in {@link Unit#source}. Each method returns how something is
 * spelled; unless a target overrides them, as GNU C does it.
 *
 * <p>The types {@code int8_t} to {@code int64_t}, {@code uint32_t} and {@code uint64_t}, the word
 * {@code INLINE} before a function and {@code bits_int32_t}, {@code bits_float}, {@code
 * bits_int64_t} and {@code bits_double}, which give a number's bits another type, are there in each
 * dialect: {@link #prelude} defines them.
 */
public interface Dialect {
  /**
   * GNU C for the host's threads: the source defines {@code void name(void **buffers, int64_t
   * begin, int64_t end)} each.
   */
  Dialect GNU_C = new Dialect() {};

  /** Prints an expression. */
  interface Text extends Function<Expr, String> {}

  /** The spelling of vectors that are not those of GNU C. */
  interface Vectors {
    /** Returns the type of a variable. */
    String type(Type type);

    /**
     * Returns an expression of several lanes, or a lane of one.
     *
     * @param text prints the scalars in it
     */
    String text(Expr vector, Text text);

    /** Returns the step that stores a vector at a place, an expression of C. */
    String store(String place, Buffer buffer, Expr vector, Text text);
  }

  /** Returns definitions that all units begin with; headers would only take time. */
  default String prelude() {
    return """
    typedef __INT8_TYPE__ int8_t;
    typedef __INT16_TYPE__ int16_t;
    typedef __INT32_TYPE__ int32_t;
    typedef __INT64_TYPE__ int64_t;
    typedef __UINT32_TYPE__ uint32_t;
    typedef __UINT64_TYPE__ uint64_t;
    #define INLINE static inline __attribute__((always_inline))
    """
        + bits("__builtin_memcpy");
  }

  /** Returns the definitions of the functions for bits, by a function that copies memory. */
  static String bits(String copy) {
    StringBuilder text = new StringBuilder();
    String[] types = {"int32_t float", "float int32_t", "int64_t double", "double int64_t"};
    for (String pair : types) {
      String to = pair.substring(0, pair.indexOf(' '));
      String from = pair.substring(to.length() + 1);
      text.append(
          "INLINE %1$s bits_%1$s(%2$s x) { %1$s r; %3$s(&r, &x, sizeof r); return r; }\n"
              .formatted(to, from, copy));
    }
    return text.toString();
  }

  /** Returns how a buffer is called: a node may be called {@code int}, but no word of C ends so. */
  static String name(Buffer buffer) {
    return buffer.name() + "_";
  }

  /** Returns what ends a constant of 64 bits. */
  default String longSuffix() {
    return "LL";
  }

  /** Returns the word that keeps pointers apart. */
  default String restrict() {
    return "restrict";
  }

  /** Returns the name of a function of mathematics. */
  default String function(String name, Type type) {
    return "__builtin_" + name + (type.kind() == Kind.F32 ? "f" : "");
  }

  /** Returns how many bits of a 32- or 64-bit integer are set. */
  default String bitCount(String x, boolean wide) {
    return "__builtin_popcount" + (wide ? "ll(" : "(") + x + ")";
  }

  /** Returns how many zeros are above the highest bit of an integer; GNU C has nothing for 0. */
  default String leadingZeros(String x, boolean wide) {
    return wide
        ? "({ int64_t z__ = %s; z__ == 0 ? 64 : __builtin_clzll(z__); })".formatted(x)
        : "({ int32_t z__ = %s; z__ == 0 ? 32 : __builtin_clz(z__); })".formatted(x);
  }

  /**
   * Returns an expression that converts the floating-point number {@code x} to an integer type as
   * Java does; empty if it is to be made of comparisons.
   */
  default Optional<String> saturated(Type to, Type from) {
    return Optional.empty();
  }

  /** Returns a condition that seldom holds. */
  default String rare(String condition) {
    return "__builtin_expect(" + condition + ", 0)";
  }

  /** Returns the address space of pointers to an array, with a space behind it, or nothing. */
  default String space(boolean local) {
    return "";
  }

  /**
   * Returns the expression that changes {@code *p} by the value {@code v} at once and gives what
   * was there; empty if the compiler has none.
   */
  default Optional<String> atomic(AtomicOp op, Storage storage) {
    if (storage.register().isFloat()) {
      return Optional.empty();
    }
    return switch (op) {
      case ADD, AND, OR, XOR ->
          Optional.of(
              "__atomic_fetch_" + op.name().toLowerCase(Locale.ROOT) + "(p, v, __ATOMIC_SEQ_CST)");
      case EXCHANGE -> Optional.of("__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)");
      case GET -> Optional.of("__atomic_load_n(p, __ATOMIC_SEQ_CST)");
      case MIN, MAX, COMPARE_AND_SET -> Optional.empty();
    };
  }

  /**
   * Returns the expression that replaces the integer {@code *b} by {@code n} if it is {@code o},
   * and gives what was there.
   */
  default String compareAndSwap(boolean wide) {
    return "__sync_val_compare_and_swap(b, o, n)";
  }

  /** Returns the spelling of vectors; empty if they are GNU C's. */
  default Optional<Vectors> vectors() {
    return Optional.empty();
  }
}
