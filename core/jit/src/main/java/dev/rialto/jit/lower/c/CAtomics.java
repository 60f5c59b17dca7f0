package dev.rialto.jit.lower.c;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Stmt.AtomicOp;
import java.util.Locale;

/**
 * Atomic steps as functions of C, one for each operation, type and kind of memory. What the dialect
 * has no function for tries to replace the bits until nothing else has changed them meanwhile.
 */
final class CAtomics {
  private CAtomics() {}

  static String name(AtomicOp op, Buffer buffer) {
    return "atomic_"
        + op.name().toLowerCase(Locale.ROOT)
        + "_"
        + CExpressions.type(buffer.storage())
        + (buffer.local() ? "_local" : "");
  }

  /** Returns the function {@code T name(T *place, T value, T expected)}. */
  static String definition(AtomicOp op, Buffer buffer, Dialect dialect) {
    Storage storage = buffer.storage();
    String space = "volatile " + dialect.space(buffer.local());
    return "INLINE %1$s %2$s(%3$s%1$s *p, %1$s v, %1$s e) { %4$s }\n"
        .formatted(
            CExpressions.type(storage),
            name(op, buffer),
            space,
            dialect
                .atomic(op, storage)
                .map(step -> "return " + step + ";")
                .orElseGet(
                    () ->
                        storage.bytes() < 4
                            ? part(storage, space, dialect)
                            : retried(op, storage, space, dialect)));
  }

  /** Replaces part of a word, whose first byte is its lowest, if the part is what is expected. */
  private static String part(Storage storage, String space, Dialect dialect) {
    return ("%1$sint32_t *b = (%1$sint32_t *)((uint64_t)p & ~(uint64_t)3); int32_t s ="
            + " (int32_t)((uint64_t)p & 3) * 8, m = (int32_t)(%2$su << s), o = *b, n, seen; for"
            + " (;;) { %3$s x = (%3$s)(o >> s); if (x != e) return x; n = (o & ~m) |"
            + " ((int32_t)((uint32_t)v << s) & m); seen = %4$s; if (seen == o) return x; o = seen;"
            + " }")
        .formatted(
            space,
            storage.bytes() == 1 ? "0xff" : "0xffff",
            CExpressions.type(storage),
            dialect.compareAndSwap(false));
  }

  private static String retried(AtomicOp op, Storage storage, String space, Dialect dialect) {
    return ("%1$s%2$s *b = (%1$s%2$s *)p; %2$s o = *b, n, seen; for (;;) {"
            + " %3$s seen = %4$s; if (seen == o) break; o = seen; } return %5$s;")
        .formatted(
            space,
            bits(storage),
            next(op, storage, CExpressions.type(storage)),
            dialect.compareAndSwap(storage.bytes() == 8),
            from(storage, "o"));
  }

  private static boolean isFloat(Storage storage) {
    return storage.register().isFloat();
  }

  private static String bits(Storage storage) {
    return storage.bytes() == 8 ? "int64_t" : "int32_t";
  }

  private static String from(Storage storage, String bits) {
    return isFloat(storage) ? "bits_" + CExpressions.type(storage) + "(" + bits + ")" : bits;
  }

  private static String to(Storage storage, String value) {
    return isFloat(storage) ? "bits_" + bits(storage) + "(" + value + ")" : value;
  }

  /** Computes the bits {@code n} of what the element with the bits {@code o} becomes. */
  private static String next(AtomicOp op, Storage storage, String type) {
    if (op == AtomicOp.COMPARE_AND_SET) {
      return "n = o == " + to(storage, "e") + " ? " + to(storage, "v") + " : o;";
    }
    String result =
        switch (op) {
          case ADD -> "x + v";
          case MIN -> isFloat(storage) ? smallest("x", "v") : "x < v ? x : v";
          case MAX -> isFloat(storage) ? smallest("v", "x") : "x > v ? x : v";
          case EXCHANGE -> "v";
          case GET -> "x";
          default -> throw new IllegalArgumentException(op + " of " + storage);
        };
    return type + " x = " + from(storage, "o") + "; n = " + to(storage, "(" + result + ")") + ";";
  }

  /** The first if {@code x} is less than {@code v}, -0 being less than 0; NaN if one is that. */
  private static String smallest(String less, String more) {
    return "x != x ? x : v != v ? v : x < v || (x == v && o < 0) ? " + less + " : " + more;
  }
}
