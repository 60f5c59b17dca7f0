package dev.rialto.jit.lower;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lower.CExpressions.Dialect;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type.Kind;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Prints loops as C, CUDA or OpenCL C.
 *
 * <p>For devices there are no vectors: the loop over the index space is divided among all threads,
 * and those that can do several neighbouring elements each, in CUDA.
 */
public final class CPrinter {
  /** Headers would take a tenth of the time that a small kernel is compiled in. */
  private static final String PRELUDE =
      """
      typedef __INT8_TYPE__ int8_t;
      typedef __INT16_TYPE__ int16_t;
      typedef __INT32_TYPE__ int32_t;
      typedef __INT64_TYPE__ int64_t;
      typedef __UINT32_TYPE__ uint32_t;
      typedef __UINT64_TYPE__ uint64_t;
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
      template <typename T, int N> struct alignas(sizeof(T) * N) pack {
        T v[N];
        __device__ __forceinline__ T &operator[](int64_t i) { return v[i]; }
      };
      """
          + helpers("INLINE", "memcpy(&r, &x, sizeof r);");

  /** Words that OpenCL reserves in vain, for variables may be called so, come first. */
  private static final String OPENCL_PRELUDE =
      """
      #define local local_
      #define global global_
      #define constant constant_
      #define kernel kernel_
      #define private private_
      typedef char int8_t;
      typedef short int16_t;
      typedef int int32_t;
      typedef long int64_t;
      typedef uint uint32_t;
      typedef ulong uint64_t;
      #define INLINE static inline
      #ifdef cl_khr_int64_base_atomics
      #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
      #endif
      #ifdef cl_khr_int64_extended_atomics
      #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
      #endif
      #define bits_int32_t(x) as_int((float)(x))
      #define bits_float(x) as_float((int)(x))
      #define bits_int64_t(x) as_long((double)(x))
      #define bits_double(x) as_double((long)(x))
      """;

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
    this.c = new CExpressions(dialect);
  }

  /** Prints procedures as {@code void name(void **buffers, int64_t begin, int64_t end)}. */
  public static String c(List<Procedure> procedures) {
    CPrinter printer = new CPrinter(Dialect.C);
    procedures.forEach(printer::procedure);
    StringBuilder text = new StringBuilder(PRELUDE);
    printer.c.vectors().forEach(text::append);
    printer.c.functions().forEach(text::append);
    return text.append(printer.out).toString();
  }

  /**
   * Prints procedures as kernels that take a pointer per buffer, the first index and the end.
   *
   * @param bodies by procedure, bodies to use instead of its loops
   */
  public static String cuda(List<Procedure> procedures, Map<String, String> bodies) {
    CPrinter printer = new CPrinter(Dialect.CUDA);
    for (Procedure procedure : procedures) {
      String body = bodies.get(procedure.name());
      if (body == null) {
        printer.procedure(procedure);
      } else {
        printer.head(procedure, "__launch_bounds__(256, 2) ");
        printer.out.append(body).append("}\n");
      }
    }
    return CUDA_PRELUDE + String.join("", printer.c.functions()) + printer.out;
  }

  /**
   * Prints procedures as kernels of OpenCL C that take a pointer per buffer, the first index and
   * the end. All items of a block come to each barrier.
   */
  public static String opencl(List<Procedure> procedures) {
    CPrinter printer = new CPrinter(Dialect.OPENCL);
    procedures.forEach(printer::procedure);
    return OPENCL_PRELUDE + String.join("", printer.c.functions()) + printer.out;
  }

  // --- Statements -------------------------------------------------------------------------------

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private void procedure(Procedure p) {
    boolean[] saturates = new boolean[1];
    Ir.expressions(p.body(), e -> Ir.walk(e, x -> saturates[0] |= x instanceof Expr.Saturate));
    c.saturates(saturates[0]);
    if (dialect == Dialect.C) {
      // A merge buffer may be the very memory it is merged into.
      String pointer = merges(p) ? " *" : " *restrict ";
      line(0, "");
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
    } else if (Items.of(p) != null) {
      String bounds =
          dialect == Dialect.CUDA
              ? "__launch_bounds__(%d) "
              : "__attribute__((reqd_work_group_size(%d, 1, 1))) ";
      head(p, bounds.formatted(requireNonNull(Items.of(p)).most()));
    } else {
      head(p, "");
      boolean cuda = dialect == Dialect.CUDA;
      line(
          1,
          "int64_t thread = "
              + (cuda ? "(int64_t)blockIdx.x * blockDim.x + threadIdx.x;" : "get_global_id(0);"));
      line(
          1,
          "int64_t threads = "
              + (cuda ? "(int64_t)gridDim.x * blockDim.x;" : "get_global_size(0);"));
      if (!dividesIndexSpace(p)) {
        line(1, "if (thread != 0) return;");
      }
      Packs packs = cuda ? Packs.of(p) : null;
      if (packs != null) {
        packs(packs, p);
        line(0, "}");
        return;
      }
    }
    statement(p.body(), 1, p);
    line(0, "}");
  }

  private static boolean merges(Procedure p) {
    return p.parameters().stream().anyMatch(buffer -> buffer.name().endsWith("_merge"));
  }

  private void head(Procedure p, String bounds) {
    boolean cuda = dialect == Dialect.CUDA;
    String pointer = merges(p) ? " *" : cuda ? " *__restrict__ " : " *restrict ";
    StringJoiner parameters = new StringJoiner(", ");
    for (Buffer buffer : p.parameters()) {
      if (!buffer.byValue()) {
        parameters.add(
            (cuda ? "" : "__global ")
                + CExpressions.type(buffer.storage())
                + pointer
                + CExpressions.name(buffer));
      }
    }
    parameters.add("int64_t begin").add("int64_t end");
    for (Buffer buffer : p.parameters()) {
      for (long i = 0; buffer.byValue() && i < buffer.elements(); i++) {
        parameters.add("int64_t " + CExpressions.name(buffer) + i);
      }
    }
    line(0, "");
    line(
        0,
        (cuda
                ? "extern \"C\" __global__ void " + bounds + p.name()
                : "__kernel " + bounds + "void " + p.name() + "_")
            + "("
            + parameters
            + ") {");
  }

  /** Prints a loop whose threads do several elements each, and one for those that are left. */
  private void packs(Packs packs, Procedure p) {
    packs.before().forEach(step -> statement(step, 1, p));
    int lanes = packs.lanes();
    String item = packs.loop().index().name();
    StringJoiner pointers = new StringJoiner(" | ", "(", ")");
    packs.buffers().keySet().forEach(b -> pointers.add("(uint64_t)" + CExpressions.name(b)));
    line(1, "bool aligned = (" + pointers + " % 16 | begin % " + lanes + ") == 0;");
    line(1, "int64_t packs = aligned ? (end - begin) / " + lanes + " : 0;");
    line(1, "for (int64_t number = thread; number < packs; number += threads) {");
    line(2, "int64_t first = begin + number * " + lanes + ";");
    for (Map.Entry<Buffer, Buffer> each : packs.buffers().entrySet()) {
      boolean loaded = packs.loaded().contains(each.getKey());
      String value = loaded ? " = " + pack(packs, each.getKey(), "const ") : "";
      line(2, type(each.getValue()) + " " + CExpressions.name(each.getValue()) + value + ";");
    }
    line(2, "#pragma unroll");
    line(2, "for (int64_t lane = 0; lane < " + lanes + "; lane++) {");
    line(3, "int64_t " + item + " = first + lane;");
    statement(packs.body(), 3, p);
    line(2, "}");
    for (Buffer buffer : packs.stored()) {
      String registers = CExpressions.name(registers(packs, buffer));
      line(2, pack(packs, buffer, "") + " = " + registers + ";");
    }
    line(1, "}");
    line(
        1,
        "for (int64_t "
            + item
            + " = begin + packs * "
            + lanes
            + " + thread; "
            + item
            + " < end; "
            + item
            + " += threads) {");
    statement(packs.loop().body(), 2, p);
    line(1, "}");
  }

  private static String type(Buffer pack) {
    return "pack<" + CExpressions.type(pack.storage()) + ", " + pack.elements() + ">";
  }

  /** Returns where the elements of a buffer are while they are worked on. */
  private static Buffer registers(Packs packs, Buffer buffer) {
    return requireNonNull(packs.buffers().get(buffer));
  }

  private static String pack(Packs packs, Buffer buffer, String constant) {
    return "*("
        + constant
        + type(registers(packs, buffer))
        + " *)("
        + CExpressions.name(buffer)
        + " + first * "
        + packs.width(buffer)
        + ")";
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
        if (!Ir.steps(branch.otherwise()).isEmpty()) {
          line(depth, "} else {");
          statement(branch.otherwise(), depth + 1, p);
        }
        line(depth, "}");
      }
      case Stmt.Labeled(String label, Stmt body) -> {
        line(depth, "{");
        statement(body, depth + 1, p);
        line(depth, "} " + label + "_end:;");
      }
      case Stmt.Loop loop -> {
        if (dialect == Dialect.CUDA && new RegisterLoops(p).isOne(loop)) {
          line(depth, "#pragma unroll");
        }
        line(depth, "for (;;) {");
        statement(loop.body(), depth + 1, p);
        line(depth, loop.label() + "_next:; } " + loop.label() + "_end:;");
      }
      case Stmt.Leave(String label) -> line(depth, "goto " + label + "_end;");
      case Stmt.Repeat(String label) -> line(depth, "goto " + label + "_next;");
      case Stmt.Atomic a -> line(depth, a.old().name() + " = " + c.atomic(a) + ";");
      case Stmt.Items items -> items(items, depth, p);
      case Stmt.Barrier _ when dialect == Dialect.OPENCL ->
          line(depth, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
      case Stmt.Barrier _ -> {
        require(dialect == Dialect.CUDA, s);
        if (CTiles.copies(p)) {
          line(depth, CTiles.WAIT);
        }
        line(depth, "__syncthreads();");
      }
      case Stmt.TileStep x -> {
        require(dialect == Dialect.CUDA, s);
        line(depth, c.tiles(x, p));
      }
      case Stmt.Exchange x -> {
        require(dialect == Dialect.CUDA, s);
        line(depth, x.result().name() + " = " + exchange(x) + ";");
      }
      case Stmt.Array(Buffer b) ->
          line(
              depth,
              (!Items.shares(p, s)
                      ? ""
                      : dialect == Dialect.CUDA ? "__shared__ __align__(16) " : "__local ")
                  + CExpressions.type(b.storage())
                  + " "
                  + CExpressions.name(b)
                  + "["
                  + b.elements()
                  + (dialect == Dialect.C ? "] __attribute__((aligned(64)));" : "];"));
      case Stmt.Comment(String text) -> line(depth, "// " + text);
    }
  }

  /** A block of threads does one turn; threads without an item end, so that nothing awaits them. */
  private void items(Stmt.Items items, int depth, Procedure p) {
    require(dialect != Dialect.C, items);
    String local = items.local().name();
    String number = dialect == Dialect.CUDA ? "threadIdx.x" : "get_local_id(0)";
    line(depth, "int64_t " + local + " = " + number + ";");
    if (!items.count().equals(Expr.of(items.most()))) {
      line(depth, "if (" + local + " >= " + c.text(items.count()) + ") return;");
    }
    statement(items.body(), depth, p);
  }

  /** Threads that have ended are not waited for, though the mask names all. */
  private String exchange(Stmt.Exchange x) {
    return switch (x.op()) {
      case SHUFFLE ->
          "__shfl_sync(0xffffffffu, " + c.text(x.value()) + ", " + c.text(x.lane()) + ")";
      case BALLOT -> "(int32_t)__ballot_sync(0xffffffffu, " + c.text(x.value()) + ")";
    };
  }

  private static void require(boolean known, Stmt s) {
    if (!known) {
      throw new IllegalArgumentException(s + " is for devices; make loops of it first");
    }
  }

  private void loop(Stmt.For f, int depth, Procedure p) {
    String i = f.index().name();
    boolean divided = dialect != Dialect.C && f.from().equals(p.begin());
    if (divided && Items.of(p) != null) {
      String block = dialect == Dialect.CUDA ? "blockIdx.x" : "get_group_id(0)";
      line(depth, "int64_t " + i + " = begin + " + block + ";");
      statement(f.body(), depth, p);
      return;
    }
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
    if (dialect == Dialect.OPENCL) {
      line(depth, new OpenClVectors(c).store(b, at, e) + ";");
      return;
    }
    String value =
        b.storage().bytes() < 4
            ? "__builtin_convertvector(" + c.text(e) + ", " + c.vector(b.storage(), lanes) + ")"
            : c.text(e);
    line(depth, c.memory(b, at, lanes) + " = " + value + ";");
  }
}
