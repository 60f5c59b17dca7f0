package dev.rialto.jit.lower.c;

import static java.util.stream.Collectors.joining;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Prints expressions as C, and knows which vector types they need.
 *
 * <p>Vectors use GNU C's vector types, which compilers map to what the processor has. A vector of
 * conditions is a vector of integers, all bits or none, as wide as what was compared; it is widened
 * or narrowed where it meets others.
 */
final class CExpressions {
  private final Dialect dialect;
  private final boolean isLaunched;
  private final TreeSet<String> vectors = new TreeSet<>();
  private final TreeSet<String> functions = new TreeSet<>();
  private final Map<Expr.Var, Integer> maskBits = new HashMap<>();
  private boolean saturates;

  CExpressions(Dialect dialect) {
    this.dialect = dialect;
    this.isLaunched = dialect instanceof KernelDialect;
  }

  /** The definitions of the vector types and functions that were used. */
  String definitions() {
    return String.join("", vectors) + String.join("", functions);
  }

  /** Adds a definition, once. */
  void define(String function) {
    functions.add(function);
  }

  /** Calls the function of an atomic step. */
  String atomic(Stmt.Atomic a) {
    define(CAtomics.definition(a.op(), a.buffer(), dialect));
    String place = Dialect.name(a.buffer()) + "[" + text(a.offset()) + "]";
    String function = CAtomics.name(a.op(), a.buffer());
    return "%s(&%s, %s, %s)".formatted(function, place, text(a.value()), text(a.expected()));
  }

  /** Elements side by side, as a vector that need not be aligned. */
  String memory(Buffer b, Expr at, int lanes) {
    return "*(" + vector(b.storage(), lanes) + "_m *)(" + Dialect.name(b) + " + " + text(at) + ")";
  }

  /** The type of a variable that is a vector of conditions. */
  String mask(Expr.Var v, Expr e) {
    int bits = maskBits(e);
    maskBits.put(v, bits);
    return mask(bits, v.type().lanes());
  }

  /** The type of a vector of conditions in lanes of {@code bits}. */
  private String mask(int bits, int lanes) {
    return type(new Type(bits == 64 ? Kind.I64 : Kind.I32, lanes));
  }

  private static String converted(String vector, String type) {
    return "__builtin_convertvector(" + vector + ", " + type + ")";
  }

  // --- Types ------------------------------------------------------------------------------------

  static String type(Buffer.Storage storage) {
    return switch (storage) {
      case I8 -> "int8_t";
      case I16 -> "int16_t";
      case I32 -> "int32_t";
      case I64 -> "int64_t";
      case F32 -> "float";
      case F64 -> "double";
    };
  }

  private static Buffer.Storage storage(Kind kind) {
    return switch (kind) {
      case BOOL, I32 -> Buffer.Storage.I32;
      case I64 -> Buffer.Storage.I64;
      case F32 -> Buffer.Storage.F32;
      case F64 -> Buffer.Storage.F64;
    };
  }

  String type(Type type) {
    return type.lanes() == 1
        ? type(storage(type.kind()))
        : dialect
            .vectors()
            .map(own -> own.type(type))
            .orElseGet(() -> vector(storage(type.kind()), type.lanes()));
  }

  String vector(Buffer.Storage storage, int lanes) {
    String name = storage.name().toLowerCase(Locale.ROOT) + "x" + lanes;
    vectors.add(
        """
        typedef %1$s %2$s __attribute__((vector_size(%3$s)));
        typedef %1$s %2$s_m __attribute__((vector_size(%3$s), aligned(%4$s), may_alias));
        """
            .formatted(type(storage), name, storage.bytes() * lanes, storage.bytes()));
    return name;
  }

  private int maskBits(Expr e) {
    return switch (e) {
      case Expr.Binary(BinaryOp op, Expr x, Expr _) ->
          op.compares() ? x.type().kind().bits() : maskBits(x);
      case Expr.Unary(UnaryOp _, Expr x) -> maskBits(x);
      case Expr.Select(Expr _, Expr x, Expr _) -> maskBits(x);
      case Expr.Var v -> maskBits.getOrDefault(v, 32);
      default -> 32;
    };
  }

  /** A vector of conditions in lanes of {@code bits}. */
  private String mask(Expr e, int bits) {
    String text = text(e);
    return maskBits(e) == bits ? text : converted(text, mask(bits, e.type().lanes()));
  }

  // --- Expressions ------------------------------------------------------------------------------

  String text(Expr e) {
    boolean isVector = e.type().lanes() > 1 || e instanceof Expr.Lane;
    if (isVector && dialect.vectors().isPresent()) {
      return dialect.vectors().get().text(e, this::text);
    }
    return switch (e) {
      case Expr.Const c -> constant(c);
      case Expr.Var v -> v.name();
      case Expr.Load(Buffer b, Expr at, int lanes) -> load(b, at, lanes);
      case Expr.Unary(UnaryOp op, Expr x) -> unary(op, x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> binary(op, x, y);
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          e.type().lanes() > 1
              ? "%s(%s, %s, %s)".formatted(fused(e.type()), text(a), text(b), text(c))
              : function("fma", e.type(), a, b, c);
      case Expr.Select(Expr c, Expr x, Expr y) -> select(c, x, y);
      case Expr.Convert(Type type, Expr x) ->
          type.lanes() == 1 ? convert(type, x) : converted(text(x), type(type));
      case Expr.Saturate(Type type, Expr x) -> saturate(type, x);
      case Expr.Bits(Type type, Expr x) ->
          type.lanes() == 1
              ? "bits_" + type(type) + "(" + text(x) + ")"
              : "((" + type(type) + ")" + text(x) + ")";
      // Subtracting zero keeps the sign of a zero, adding would not.
      case Expr.Splat(int _, Expr x) ->
          x.type().kind() == Kind.BOOL
              ? "((" + type(e.type()) + "){} - " + text(x) + ")"
              : "(" + text(x) + " - (" + type(e.type()) + "){})";
      case Expr.Ramp(Expr x, int lanes) -> {
        String each =
            IntStream.range(0, lanes).mapToObj(Integer::toString).collect(joining(", ", "{", "}"));
        yield "(%s + (%s)%s)".formatted(text(x), type(e.type()), each);
      }
      case Expr.Lane(Expr x, int lane) -> "(" + text(x) + ")[" + lane + "]";
      case Expr.Any(Expr x) -> any(x);
    };
  }

  private String function(String name, Type type, Expr... operands) {
    return Stream.of(operands)
        .map(this::text)
        .collect(joining(", ", dialect.function(name, type) + "(", ")"));
  }

  /** Says whether the procedure that is printed next makes integers of floating-point numbers. */
  void saturates(boolean on) {
    saturates = on;
  }

  /**
   * Converts a scalar. Without traps, gcc makes a rounding towards zero of a conversion to an
   * integer and back, which keeps the sign of a zero that an integer does not have.
   */
  private String convert(Type type, Expr x) {
    String plain = "(" + type(type) + ")" + text(x);
    if (!saturates
        || isLaunched
        || !type.isFloat()
        || x.type().isFloat()
        || x instanceof Expr.Const) {
      return plain;
    }
    String to = type(type);
    String from = type(x.type());
    functions.add(
        "INLINE %s to_%s_%s(%s x) { %s r = (%s)x; return r == 0 ? 0 : r; }\n"
            .formatted(to, to, from, from, to, to));
    return "to_" + to + "_" + from + "(" + text(x) + ")";
  }

  private String saturate(Type type, Expr x) {
    String to = type(type);
    String from = type(x.type());
    boolean wide = type.kind() == Kind.I64;
    String limit = (wide ? "0x1p63" : "0x1p31") + (x.type().kind() == Kind.F32 ? "f" : "");
    String most = wide ? "0x7fffffffffffffff" + dialect.longSuffix() : "0x7fffffff";
    String name = "saturate_" + to + "_" + from;
    String compared =
        "x != x ? 0 : x >= %s ? %s : x <= -%s ? -%s - 1 : (%s)x"
            .formatted(limit, most, limit, most, to);
    functions.add(
        "INLINE %s %s(%s x) { return %s; }\n"
            .formatted(to, name, from, dialect.saturated(type, x.type()).orElse(compared)));
    return name + "(" + text(x) + ")";
  }

  /** The function that fuses each lane, which gcc makes one instruction of; it has none itself. */
  private String fused(Type type) {
    String name = type(type);
    functions.add(
        "INLINE %1$s fma_%1$s(%1$s a, %1$s b, %1$s c) { %1$s r; for (int l = 0; l < %2$d; l++) r[l] = %3$s(a[l], b[l], c[l]); return r; }\n"
            .formatted(name, type.lanes(), dialect.function("fma", type)));
    return "fma_" + name;
  }

  private String any(Expr x) {
    int lanes = x.type().lanes();
    if (lanes == 1) {
      return dialect.rare(text(x));
    }
    return ("({ %s mask__ = %s; int any__ = 0; for (int l = 0; l < %s; l++) any__ |= mask__[l] != 0;"
            + " __builtin_expect(any__, 0); })")
        .formatted(mask(maskBits(x), lanes), text(x), lanes);
  }

  private String constant(Expr.Const c) {
    return switch (c.type().kind()) {
      case BOOL -> Long.toString(c.bits());
      case I32 -> c.bits() == Integer.MIN_VALUE ? "(-2147483647 - 1)" : "" + c.bits();
      case I64 ->
          c.bits() == Long.MIN_VALUE
              ? "(-9223372036854775807" + dialect.longSuffix() + " - 1)"
              : c.bits() + dialect.longSuffix();
      case F32, F64 -> real(c);
    };
  }

  private String real(Expr.Const c) {
    boolean single = c.type().kind() == Kind.F32;
    double value = c.real();
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return single
          ? "bits_float(0x" + Integer.toHexString((int) c.bits()) + ")"
          : "bits_double(0x" + Long.toHexString(c.bits()) + dialect.longSuffix() + ")";
    }
    String text =
        value == Math.rint(value) && Math.abs(value) < 1e6 && c.bits() >= 0
            ? (long) value + ".0"
            : Double.toHexString(value);
    return (value < 0 ? "(" + text : text) + (single ? "f" : "") + (value < 0 ? ")" : "");
  }

  private String load(Buffer b, Expr at, int lanes) {
    if (b.byValue() && isLaunched && at instanceof Expr.Const place) {
      return Dialect.name(b) + place.bits();
    }
    if (lanes == 1) {
      return Dialect.name(b) + "[" + text(at) + "]";
    }
    String memory = memory(b, at, lanes);
    return b.storage().bytes() < 4
        ? converted(memory, type(new Type(b.storage().register(), lanes)))
        : "(" + memory + ")";
  }

  private String unary(UnaryOp op, Expr x) {
    Type type = x.type();
    boolean vector = type.lanes() > 1;
    if (op.isFunction()) {
      return function(op.name().toLowerCase(Locale.ROOT), type, x);
    }
    return switch (op) {
      case NEG -> wraps(type) ? wrapping(BinaryOp.SUB, "0", text(x), type) : "(-" + text(x) + ")";
      case NOT -> (type.kind() == Kind.BOOL && !vector ? "(!" : "(~") + text(x) + ")";
      case ABS -> {
        if (!vector) {
          yield function("fabs", type, x);
        }
        Kind bits = type.kind() == Kind.F64 ? Kind.I64 : Kind.I32;
        String all = bits == Kind.I64 ? "0x7fffffffffffffffLL" : "0x7fffffff";
        yield "((%s)((%s)%s & %s))".formatted(type(type), type(type.withKind(bits)), text(x), all);
      }
      case SQRT ->
          vector
              ? "({ %s lanes__ = %s; for (int l = 0; l < %s; l++) lanes__[l] = %s(lanes__[l]); lanes__; })"
                  .formatted(type(type), text(x), type.lanes(), dialect.function("sqrt", type))
              : function("sqrt", type, x);
      case FLOOR, CEIL, RINT -> function(op.name().toLowerCase(Locale.ROOT), type, x);
      case BIT_COUNT ->
          "((%s)%s)".formatted(type(type), dialect.bitCount(text(x), type.kind() == Kind.I64));
      case LEADING_ZEROS ->
          "((%s)%s)".formatted(type(type), dialect.leadingZeros(text(x), type.kind() == Kind.I64));
      default -> throw new IllegalArgumentException(op + " has no place in C");
    };
  }

  /** The count of a shift; C defines only those below the number of bits. */
  private String count(Expr y) {
    int most = y.type().kind().bits() - 1;
    if (y instanceof Expr.Const c) {
      return Long.toString(c.bits() & most);
    }
    return y.type().lanes() > 1 ? text(y) : "(" + text(y) + " & " + most + ")";
  }

  /** Integers that grow too large wrap around; compilers for devices have no option for that. */
  private boolean wraps(Type type) {
    return isLaunched && (type.kind() == Kind.I32 || type.kind() == Kind.I64);
  }

  private String wrapping(BinaryOp op, String x, String y, Type type) {
    String unsigned = type.kind() == Kind.I64 ? "(uint64_t)" : "(uint32_t)";
    return "((%s)(%s%s %s %s%s))".formatted(type(type), unsigned, x, op.symbol(), unsigned, y);
  }

  /** Compilers keep two comparisons as two, for they do not know the end to be no less than 0. */
  private String within(Binary below) {
    String unsigned = below.left().type().kind() == Kind.I64 ? "(uint64_t)" : "(uint32_t)";
    String end = text(below.right());
    String least = "(" + end + " < 0 ? 0 : " + end + ")";
    return "(" + unsigned + text(below.left()) + " < " + unsigned + least + ")";
  }

  private String binary(BinaryOp op, Expr x, Expr y) {
    if (y instanceof Binary below && Spelled.isWithin(new Binary(op, x, y))) {
      return within(below);
    }
    boolean grows = op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL;
    if (grows && wraps(x.type())) {
      return wrapping(op, text(x), text(y), x.type());
    }
    if (op == BinaryOp.SHL || op == BinaryOp.SHR) {
      return "(" + text(x) + " " + op.symbol() + " " + count(y) + ")";
    }
    if (op.isFunction() || (op == BinaryOp.REM && x.type().isFloat())) {
      return function(op == BinaryOp.REM ? "fmod" : op.symbol(), x.type(), x, y);
    }
    if (op == BinaryOp.USHR) {
      Type type = x.type();
      String unsigned = type.kind() == Kind.I64 ? "uint64_t" : "uint32_t";
      if (type.lanes() == 1) {
        return "((%s)((%s)%s >> %s))".formatted(type(type), unsigned, text(x), count(y));
      }
      String name = "u" + type(type);
      int bytes = type.kind().bits() / 8 * type.lanes();
      vectors.add(
          "typedef %s %s __attribute__((vector_size(%s)));\n".formatted(unsigned, name, bytes));
      return "((%1$s)((%2$s)%3$s >> (%2$s)%4$s))".formatted(type(type), name, text(x), text(y));
    }
    if (x.type().kind() == Kind.BOOL && x.type().lanes() > 1) {
      int bits = maskBits(x);
      return "(" + text(x) + " " + op.symbol() + " " + mask(y, bits) + ")";
    }
    return "(" + text(x) + " " + op.symbol() + " " + text(y) + ")";
  }

  private String select(Expr c, Expr x, Expr y) {
    Type type = x.type();
    if (type.lanes() == 1) {
      return "(%s ? %s : %s)".formatted(text(c), text(x), text(y));
    }
    int bits = type.kind() == Kind.BOOL ? maskBits(x) : type.kind().bits();
    boolean isMask = type.kind() == Kind.BOOL;
    String integers = mask(bits, type.lanes());
    return "({ %1$s mask__ = %2$s; (%3$s)((mask__ & (%1$s)%4$s) | (~mask__ & (%1$s)%5$s)); })"
        .formatted(
            integers,
            mask(c, bits),
            isMask ? integers : type(type),
            isMask ? mask(x, bits) : text(x),
            isMask ? mask(y, bits) : text(y));
  }
}
