package dev.rialto.jit.lower;

import dev.rialto.jit.lower.CExpressions.Dialect;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.Stmt.AtomicOp;
import java.util.Locale;

/**
 * Atomic steps as functions of C, CUDA or OpenCL C, one for each operation and type. What the
 * compiler has no function for tries to replace the bits until nothing else has changed them
 * meanwhile.
 */
final class CAtomics {
  private CAtomics() {}

  /** Returns the name of a function; OpenCL has one each for memory of the launch and the block. */
  static String name(AtomicOp op, Buffer buffer, Dialect dialect) {
    return "atomic_"
        + op.name().toLowerCase(Locale.ROOT)
        + "_"
        + CExpressions.type(buffer.storage())
        + (dialect == Dialect.OPENCL && buffer.local() ? "_local" : "");
  }

  /** Returns the function {@code T name(T *place, T value, T expected)}. */
  static String definition(AtomicOp op, Buffer buffer, Dialect dialect) {
    Storage storage = buffer.storage();
    String type = CExpressions.type(storage);
    String space = "volatile " + (buffer.local() ? "__local " : "__global ");
    return "INLINE "
        + type
        + " "
        + name(op, buffer, dialect)
        + "("
        + (dialect == Dialect.OPENCL ? space : "")
        + type
        + " *p, "
        + type
        + " v, "
        + type
        + " e) { "
        + switch (dialect) {
          case C -> c(op, storage, type);
          case CUDA -> cuda(op, storage, type);
          case OPENCL -> opencl(op, storage, type, space);
        }
        + " }\n";
  }

  private static boolean isFloat(Storage storage) {
    return storage.register().isFloat();
  }

  private static String bits(Storage storage) {
    return storage.bytes() == 8 ? "int64_t" : "int32_t";
  }

  private static String c(AtomicOp op, Storage storage, String type) {
    String all = "__ATOMIC_SEQ_CST";
    if (!isFloat(storage)) {
      switch (op) {
        case ADD, AND, OR, XOR -> {
          return "return __atomic_fetch_"
              + op.name().toLowerCase(Locale.ROOT)
              + "(p, v, "
              + all
              + ");";
        }
        case EXCHANGE -> {
          return "return __atomic_exchange_n(p, v, " + all + ");";
        }
        case MIN, MAX, COMPARE_AND_SET -> {}
      }
    }
    String bits = bits(storage);
    return bits
        + " o = __atomic_load_n(("
        + bits
        + " *)p, "
        + all
        + "), n; do { "
        + next(op, storage, type)
        + " } while (!__atomic_compare_exchange_n(("
        + bits
        + " *)p, &o, n, 0, "
        + all
        + ", "
        + all
        + ")); return "
        + from(storage, "o")
        + ";";
  }

  private static String cuda(AtomicOp op, Storage storage, String type) {
    String wide = storage.bytes() == 8 ? "unsigned long long" : "unsigned int";
    String word = op.name().charAt(0) + op.name().substring(1).toLowerCase(Locale.ROOT);
    if (op == AtomicOp.ADD && isFloat(storage)) {
      return "return atomicAdd(p, v);";
    }
    if (!isFloat(storage)) {
      switch (op) {
        case ADD, AND, OR, XOR -> {
          return "return (" + type + ")atomic" + word + "((" + wide + " *)p, (" + wide + ")v);";
        }
        case EXCHANGE -> {
          return "return (" + type + ")atomicExch((" + wide + " *)p, (" + wide + ")v);";
        }
        case MIN, MAX -> {
          return "return atomic" + word + "(p, v);";
        }
        case COMPARE_AND_SET -> {}
      }
    }
    String bits = bits(storage);
    return bits
        + " o = *(volatile "
        + bits
        + " *)p, n, seen; for (;;) { "
        + next(op, storage, type)
        + " seen = ("
        + bits
        + ")atomicCAS(("
        + wide
        + " *)p, ("
        + wide
        + ")o, ("
        + wide
        + ")n); if (seen == o) break; o = seen; } return "
        + from(storage, "o")
        + ";";
  }

  /** Functions for 64 bits are of extensions, and have other names. */
  private static String opencl(AtomicOp op, Storage storage, String type, String space) {
    String atomic = storage.bytes() == 8 ? "atom_" : "atomic_";
    if (!isFloat(storage) && op != AtomicOp.COMPARE_AND_SET) {
      String word = op == AtomicOp.EXCHANGE ? "xchg" : op.name().toLowerCase(Locale.ROOT);
      return "return " + atomic + word + "(p, v);";
    }
    String bits = bits(storage);
    return space
        + bits
        + " *b = ("
        + space
        + bits
        + " *)p; "
        + bits
        + " o = *b, n, seen; for (;;) { "
        + next(op, storage, type)
        + " seen = "
        + atomic
        + "cmpxchg(b, o, n); if (seen == o) break; o = seen; } return "
        + from(storage, "o")
        + ";";
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
          default -> throw new IllegalArgumentException(op + " of " + storage);
        };
    return type + " x = " + from(storage, "o") + "; n = " + to(storage, "(" + result + ")") + ";";
  }

  /** The first if {@code x} is less than {@code v}, -0 being less than 0; NaN if one is that. */
  private static String smallest(String less, String more) {
    return "x != x ? x : v != v ? v : x < v || (x == v && o < 0) ? " + less + " : " + more;
  }
}
