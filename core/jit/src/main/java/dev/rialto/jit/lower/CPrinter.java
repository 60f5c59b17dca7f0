package dev.rialto.jit.lower;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type.Kind;
import java.util.List;
import java.util.StringJoiner;

/**
 * Prints loops as C or CUDA.
 *
 * <p>In CUDA there are no vectors, and the loop over the index space is divided among all threads.
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
  private final CExpressions c;

  private CPrinter(Dialect dialect) {
    this.dialect = dialect;
    this.c = new CExpressions(dialect == Dialect.C ? "__builtin_" : "");
  }

  /** Prints procedures as {@code void name(void **buffers, int64_t begin, int64_t end)}. */
  public static String c(List<Procedure> procedures) {
    CPrinter printer = new CPrinter(Dialect.C);
    procedures.forEach(printer::procedure);
    StringBuilder text = new StringBuilder(PRELUDE);
    printer.c.vectors().forEach(text::append);
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
        line(
            1,
            CExpressions.type(buffer.storage())
                + pointer
                + CExpressions.name(buffer)
                + " = buffers["
                + i
                + "];");
      }
    } else {
      StringJoiner parameters = new StringJoiner(", ");
      for (Buffer buffer : p.parameters()) {
        parameters.add(CExpressions.type(buffer.storage()) + pointer + CExpressions.name(buffer));
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
            v.type().kind() == Kind.BOOL && v.type().lanes() > 1 ? c.mask(v, e) : c.type(v.type());
        line(depth, type + " " + v.name() + " = " + c.text(e) + ";");
      }
      case Stmt.Assign(Expr.Var v, Expr e) -> line(depth, v.name() + " = " + c.text(e) + ";");
      case Stmt.Store(Buffer b, Expr at, Expr e) -> store(depth, b, at, e);
      case Stmt.For f -> loop(f, depth, p);
      case Stmt.If branch -> {
        line(depth, "if (" + c.text(branch.condition()) + ") {");
        statement(branch.body(), depth + 1, p);
        line(depth, "}");
      }
      case Stmt.Array(Buffer b) ->
          line(
              depth,
              CExpressions.type(b.storage())
                  + " "
                  + CExpressions.name(b)
                  + "["
                  + b.elements()
                  + "] __attribute__((aligned(64)));");
      case Stmt.Comment(String text) -> line(depth, "// " + text);
    }
  }

  private void loop(Stmt.For f, int depth, Procedure p) {
    String i = f.index().name();
    boolean divided = dialect == Dialect.CUDA && f.from().equals(p.begin());
    String from = divided ? "begin + thread" : c.text(f.from());
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
            + c.text(f.to())
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
      String cast = b.storage().bytes() < 4 ? "(" + CExpressions.type(b.storage()) + ")" : "";
      line(depth, CExpressions.name(b) + "[" + c.text(at) + "] = " + cast + c.text(e) + ";");
      return;
    }
    String value =
        b.storage().bytes() < 4
            ? "__builtin_convertvector(" + c.text(e) + ", " + c.vector(b.storage(), lanes) + ")"
            : c.text(e);
    line(depth, c.memory(b, at, lanes) + " = " + value + ";");
  }
}
