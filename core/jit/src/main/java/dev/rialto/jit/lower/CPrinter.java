package dev.rialto.jit.lower;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * Prints loops as C or CUDA.
 *
 * <p>Vectors use GNU C's vector types, which compilers map to what the processor has. A vector of
 * conditions is a vector of integers, all bits or none, as wide as what was compared; it is widened
 * or narrowed where it meets others. In CUDA there are no vectors, and the loop over the index
 * space is divided among all threads.
 */
public final class CPrinter {
  private enum Dialect {
    C,
    CUDA
  }

  private static final String PRELUDE =
      """
      #include <stdint.h>
      #define INLINE static inline __attribute__((always_inline))
      """
          + helpers("INLINE", "__builtin_memcpy(&r, &x, sizeof r);");

  private static final String CUDA_PRELUDE =
      """
      typedef signed char int8_t;
      typedef short int16_t;
      typedef int int32_t;
      typedef long long int64_t;
      typedef unsigned int uint32_t;
      typedef unsigned long long uint64_t;
      #define INLINE static __device__ __forceinline__
      """
          + helpers("INLINE", "memcpy(&r, &x, sizeof r);");

  private static String helpers(String inline, String copy) {
    StringBuilder text = new StringBuilder();
    String[][] pairs = {{"int32_t", "float"}, {"int64_t", "double"}};
    for (String[] pair : pairs) {
      for (int i = 0; i < 2; i++) {
        String to = pair[i];
        text.append(
            inline
                + " "
                + to
                + " bits_"
                + to
                + "("
                + pair[1 - i]
                + " x) { "
                + to
                + " r; "
                + copy
                + " return r; }\n");
      }
    }
    return text.toString();
  }

  private final Dialect dialect;
  private final StringBuilder out = new StringBuilder();
  private final TreeSet<String> vectors = new TreeSet<>();
  private final Map<Expr.Var, Integer> maskBits = new HashMap<>();

  private CPrinter(Dialect dialect) {
    this.dialect = dialect;
  }

  /** Prints procedures as {@code void name(void **buffers, int64_t begin, int64_t end)}. */
  public static String c(List<Procedure> procedures) {
    CPrinter printer = new CPrinter(Dialect.C);
    procedures.forEach(printer::procedure);
    StringBuilder text = new StringBuilder(PRELUDE);
    printer.vectors.forEach(text::append);
    return text.append(printer.out).toString();
  }

  /** Prints procedures as kernels that take a pointer per buffer, the first index and the end. */
  public static String cuda(List<Procedure> procedures) {
    CPrinter printer = new CPrinter(Dialect.CUDA);
    procedures.forEach(printer::procedure);
    return CUDA_PRELUDE + printer.out;
  }

  // --- Statements -------------------------------------------------------------------------------

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private void procedure(Procedure p) {
    boolean merges = p.parameters().stream().anyMatch(buffer -> buffer.name().endsWith("_merge"));
    // A merge buffer may be the very memory it is merged into.
    String pointer = merges ? " *" : dialect == Dialect.C ? " *restrict " : " *__restrict__ ";
    line(0, "");
    if (dialect == Dialect.C) {
      line(0, "void " + p.name() + "(void **buffers, int64_t begin, int64_t end) {");
      for (int i = 0; i < p.parameters().size(); i++) {
        Buffer buffer = p.parameters().get(i);
        line(1, type(buffer.storage()) + pointer + name(buffer) + " = buffers[" + i + "];");
      }
    } else {
      StringJoiner parameters = new StringJoiner(", ");
      for (Buffer buffer : p.parameters()) {
        parameters.add(type(buffer.storage()) + pointer + name(buffer));
      }
      parameters.add("int64_t begin").add("int64_t end");
      line(0, "extern \"C\" __global__ void " + p.name() + "(" + parameters + ") {");
      line(1, "int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;");
      line(1, "int64_t threads = (int64_t)gridDim.x * blockDim.x;");
      if (!dividesIndexSpace(p)) {
        line(1, "if (thread != 0) return;");
      }
    }
    statement(p.body(), 1, p);
    line(0, "}");
  }

  private static boolean dividesIndexSpace(Procedure p) {
    return Ir.steps(p.body()).stream()
        .anyMatch(s -> s instanceof Stmt.For f && f.from().equals(p.begin()));
  }

  private void statement(Stmt s, int depth, Procedure p) {
    switch (s) {
      case Stmt.Block block -> block.steps().forEach(step -> statement(step, depth, p));
      case Stmt.Let(Expr.Var v, Expr e) -> {
        String type =
            v.type().kind() == Kind.BOOL && v.type().lanes() > 1 ? mask(v, e) : type(v.type());
        line(depth, type + " " + v.name() + " = " + text(e) + ";");
      }
      case Stmt.Assign(Expr.Var v, Expr e) -> line(depth, v.name() + " = " + text(e) + ";");
      case Stmt.Store(Buffer b, Expr at, Expr e) -> store(depth, b, at, e);
      case Stmt.For f -> loop(f, depth, p);
      case Stmt.If branch -> {
        line(depth, "if (" + text(branch.condition()) + ") {");
        statement(branch.body(), depth + 1, p);
        line(depth, "}");
      }
      case Stmt.Array(Buffer b) ->
          line(
              depth,
              type(b.storage())
                  + " "
                  + name(b)
                  + "["
                  + b.elements()
                  + "] __attribute__((aligned(64)));");
      case Stmt.Comment(String text) -> line(depth, "// " + text);
    }
  }

  private String mask(Expr.Var v, Expr e) {
    int bits = maskBits(e);
    maskBits.put(v, bits);
    return type(new Type(bits == 64 ? Kind.I64 : Kind.I32, v.type().lanes()));
  }

  private void loop(Stmt.For f, int depth, Procedure p) {
    String i = f.index().name();
    boolean divided = dialect == Dialect.CUDA && f.from().equals(p.begin());
    String from = divided ? "begin + thread" : text(f.from());
    String step = divided ? "threads" : Long.toString(f.step());
    line(
        depth,
        "for (int64_t "
            + i
            + " = "
            + from
            + "; "
            + i
            + " < "
            + text(f.to())
            + "; "
            + i
            + " += "
            + step
            + ") {");
    statement(f.body(), depth + 1, p);
    line(depth, "}");
  }

  private void store(int depth, Buffer b, Expr at, Expr e) {
    int lanes = e.type().lanes();
    if (lanes == 1) {
      String cast = b.storage().bytes() < 4 ? "(" + type(b.storage()) + ")" : "";
      line(depth, name(b) + "[" + text(at) + "] = " + cast + text(e) + ";");
      return;
    }
    String value =
        b.storage().bytes() < 4
            ? "__builtin_convertvector(" + text(e) + ", " + vector(b.storage(), lanes) + ")"
            : text(e);
    line(depth, memory(b, at, lanes) + " = " + value + ";");
  }

  private String memory(Buffer b, Expr at, int lanes) {
    return "*(" + vector(b.storage(), lanes) + "_m *)(" + name(b) + " + " + text(at) + ")";
  }

  // --- Types ------------------------------------------------------------------------------------

  /** A node may be called {@code int}; no word of C ends so. */
  private static String name(Buffer buffer) {
    return buffer.name() + "_";
  }

  private static String type(Buffer.Storage storage) {
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

  private String type(Type type) {
    return type.lanes() == 1
        ? type(storage(type.kind()))
        : vector(storage(type.kind()), type.lanes());
  }

  private String vector(Buffer.Storage storage, int lanes) {
    String name = storage.name().toLowerCase(Locale.ROOT) + "x" + lanes;
    int bytes = storage.bytes() * lanes;
    String size = "__attribute__((vector_size(" + bytes + ")";
    vectors.add(
        "typedef "
            + type(storage)
            + " "
            + name
            + " "
            + size
            + "));\n"
            + "typedef "
            + type(storage)
            + " "
            + name
            + "_m "
            + size
            + ", aligned("
            + storage.bytes()
            + "), may_alias));\n");
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
    return maskBits(e) == bits
        ? text
        : "__builtin_convertvector("
            + text
            + ", "
            + type(new Type(bits == 64 ? Kind.I64 : Kind.I32, e.type().lanes()))
            + ")";
  }

  // --- Expressions ------------------------------------------------------------------------------

  private String text(Expr e) {
    return switch (e) {
      case Expr.Const c -> constant(c);
      case Expr.Var v -> v.name();
      case Expr.Load(Buffer b, Expr at, int lanes) -> load(b, at, lanes);
      case Expr.Unary(UnaryOp op, Expr x) -> unary(op, x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> binary(op, x, y);
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          e.type().lanes() > 1
              ? "(" + text(a) + " * " + text(b) + " + " + text(c) + ")"
              : builtin("fma", e.type()) + "(" + text(a) + ", " + text(b) + ", " + text(c) + ")";
      case Expr.Select(Expr c, Expr x, Expr y) -> select(c, x, y);
      case Expr.Convert(Type type, Expr x) ->
          type.lanes() == 1
              ? "(" + type(type) + ")" + text(x)
              : "__builtin_convertvector(" + text(x) + ", " + type(type) + ")";
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
        StringJoiner lane = new StringJoiner(", ", "{", "}");
        for (int i = 0; i < lanes; i++) {
          lane.add(Integer.toString(i));
        }
        yield "(" + text(x) + " + (" + type(e.type()) + ")" + lane + ")";
      }
      case Expr.Lane(Expr x, int lane) -> "(" + text(x) + ")[" + lane + "]";
    };
  }

  private static String constant(Expr.Const c) {
    return switch (c.type().kind()) {
      case BOOL -> Long.toString(c.bits());
      case I32 -> c.bits() == Integer.MIN_VALUE ? "(-2147483647 - 1)" : "" + c.bits();
      case I64 -> c.bits() == Long.MIN_VALUE ? "(-9223372036854775807LL - 1)" : c.bits() + "LL";
      case F32, F64 -> real(c);
    };
  }

  private static String real(Expr.Const c) {
    boolean single = c.type().kind() == Kind.F32;
    double value = c.real();
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return single
          ? "bits_float(0x" + Integer.toHexString((int) c.bits()) + ")"
          : "bits_double(0x" + Long.toHexString(c.bits()) + "LL)";
    }
    String text =
        value == Math.rint(value) && Math.abs(value) < 1e6 && c.bits() >= 0
            ? (long) value + ".0"
            : Double.toHexString(value);
    return (value < 0 ? "(" + text : text) + (single ? "f" : "") + (value < 0 ? ")" : "");
  }

  private String load(Buffer b, Expr at, int lanes) {
    if (lanes == 1) {
      return name(b) + "[" + text(at) + "]";
    }
    String memory = memory(b, at, lanes);
    return b.storage().bytes() < 4
        ? "__builtin_convertvector("
            + memory
            + ", "
            + type(new Type(b.storage().register(), lanes))
            + ")"
        : "(" + memory + ")";
  }

  private String builtin(String function, Type type) {
    return (dialect == Dialect.C ? "__builtin_" : "")
        + function
        + (type.kind() == Kind.F32 ? "f" : "");
  }

  private String unary(UnaryOp op, Expr x) {
    Type type = x.type();
    boolean vector = type.lanes() > 1;
    return switch (op) {
      case NEG -> "(-" + text(x) + ")";
      case NOT -> (type.kind() == Kind.BOOL && !vector ? "(!" : "(~") + text(x) + ")";
      case ABS -> {
        if (!vector) {
          yield builtin("fabs", type) + "(" + text(x) + ")";
        }
        Kind bits = type.kind() == Kind.F64 ? Kind.I64 : Kind.I32;
        String all = bits == Kind.I64 ? "0x7fffffffffffffffLL" : "0x7fffffff";
        yield "(("
            + type(type)
            + ")(("
            + type(type.withKind(bits))
            + ")"
            + text(x)
            + " & "
            + all
            + "))";
      }
      case SQRT ->
          vector
              ? "({ "
                  + type(type)
                  + " lanes__ = "
                  + text(x)
                  + "; for (int l = 0; l < "
                  + type.lanes()
                  + "; l++) lanes__[l] = "
                  + builtin("sqrt", type)
                  + "(lanes__[l]); lanes__; })"
              : builtin("sqrt", type) + "(" + text(x) + ")";
    };
  }

  private String binary(BinaryOp op, Expr x, Expr y) {
    if (op == BinaryOp.USHR) {
      Type type = x.type();
      String unsigned = type.kind() == Kind.I64 ? "uint64_t" : "uint32_t";
      if (type.lanes() == 1) {
        return "((" + type(type) + ")((" + unsigned + ")" + text(x) + " >> " + text(y) + "))";
      }
      String name = "u" + type(type);
      vectors.add(
          "typedef "
              + unsigned
              + " "
              + name
              + " __attribute__((vector_size("
              + type.kind().bits() / 8 * type.lanes()
              + ")));\n");
      return "(("
          + type(type)
          + ")(("
          + name
          + ")"
          + text(x)
          + " >> ("
          + name
          + ")"
          + text(y)
          + "))";
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
      return "(" + text(c) + " ? " + text(x) + " : " + text(y) + ")";
    }
    int bits = type.kind() == Kind.BOOL ? maskBits(x) : type.kind().bits();
    String integers = type(new Type(bits == 64 ? Kind.I64 : Kind.I32, type.lanes()));
    String which = mask(c, bits);
    String yes = type.kind() == Kind.BOOL ? mask(x, bits) : text(x);
    String no = type.kind() == Kind.BOOL ? mask(y, bits) : text(y);
    return "({ "
        + integers
        + " mask__ = "
        + which
        + "; ("
        + (type.kind() == Kind.BOOL ? integers : type(type))
        + ")((mask__ & ("
        + integers
        + ")"
        + yes
        + ") | (~mask__ & ("
        + integers
        + ")"
        + no
        + ")); })";
  }
}
