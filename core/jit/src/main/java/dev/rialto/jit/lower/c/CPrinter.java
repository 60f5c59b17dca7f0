package dev.rialto.jit.lower.c;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.threads.Packs;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.KernelDialect.Place;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type.Kind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Prints loops in the kind of C that a target reads.
 *
 * <p>In the kernels of devices the loop over the index space is divided among all threads, and
 * those that can do several neighbouring elements each, if the dialect has packs of them.
 */
public final class CPrinter {
  private final Dialect dialect;
  private final @Nullable KernelDialect kernels;
  private final StringBuilder out = new StringBuilder();
  private final CExpressions c;

  private CPrinter(Dialect dialect) {
    this.dialect = dialect;
    this.kernels = dialect instanceof KernelDialect k ? k : null;
    this.c = new CExpressions(dialect);
  }

  /** Prints procedures in a target's dialect; nothing for a target that reads loops. */
  public static String print(CodeTarget target, List<Procedure> procedures) {
    return target.dialect().map(dialect -> print(dialect, procedures)).orElse("");
  }

  /** Prints procedures; in a dialect of devices as kernels. */
  public static String print(Dialect dialect, List<Procedure> procedures) {
    CPrinter printer = new CPrinter(dialect);
    procedures.forEach(printer::procedure);
    return dialect.prelude() + printer.c.definitions() + printer.out;
  }

  // --- Statements -------------------------------------------------------------------------------

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private void procedure(Procedure p) {
    c.saturates(Ir.mentions(p.body(), x -> x instanceof Expr.Saturate));
    Stmt.Items items = Items.of(p);
    if (kernels == null) {
      function(p);
    } else if (items != null) {
      kernel(kernels, p, items.most());
    } else {
      kernel(kernels, p, 0);
      line(1, "int64_t thread = " + kernels.place(Place.THREAD) + ";");
      line(1, "int64_t threads = " + kernels.place(Place.THREADS) + ";");
      if (!dividesIndexSpace(p)) {
        line(1, "if (thread != 0) return;");
      } else if (kernels.givesNeighbours()) {
        line(1, "int64_t indices = end - begin;");
        line(1, "end = begin + indices * (thread + 1) / threads;");
        line(1, "begin += indices * thread / threads;");
      }
      Packs packs = kernels.pack("", 0).isPresent() ? Packs.of(p) : null;
      if (packs != null) {
        packs(packs, kernels, p);
        line(0, "}");
        return;
      }
    }
    statement(p.body(), 1, p);
    line(0, "}");
  }

  /** A merge buffer may be the very memory it is merged into. */
  private String pointer(Procedure p) {
    boolean merges = p.parameters().stream().anyMatch(b -> b.name().endsWith("_merge"));
    return merges ? " *" : " *" + dialect.restrict() + " ";
  }

  private void function(Procedure p) {
    line(0, "");
    line(0, "void " + p.name() + "(void **buffers, int64_t begin, int64_t end) {");
    for (int i = 0; i < p.parameters().size(); i++) {
      Buffer buffer = p.parameters().get(i);
      String type = CExpressions.type(buffer.storage());
      line(1, type + pointer(p) + Dialect.name(buffer) + " = buffers[" + i + "];");
    }
  }

  private void kernel(KernelDialect kernels, Procedure p, int items) {
    StringJoiner parameters = new StringJoiner(", ", "(", ")");
    for (Buffer buffer : p.parameters()) {
      if (!buffer.byValue()) {
        String type = dialect.space(false) + CExpressions.type(buffer.storage());
        parameters.add(type + pointer(p) + Dialect.name(buffer));
      }
    }
    parameters.add("int64_t begin").add("int64_t end");
    for (Buffer buffer : p.parameters()) {
      for (long i = 0; buffer.byValue() && i < buffer.elements(); i++) {
        parameters.add("int64_t " + Dialect.name(buffer) + i);
      }
    }
    line(0, "");
    line(0, kernels.head(p.name(), parameters.toString(), items) + " {");
  }

  /** Prints a loop whose threads do several elements each, and one for those that are left. */
  private void packs(Packs packs, KernelDialect kernels, Procedure p) {
    packs.before().forEach(step -> statement(step, 1, p));
    int lanes = packs.lanes();
    String item = packs.loop().index().name();
    StringJoiner pointers = new StringJoiner(" | ", "(", ")");
    packs.buffers().keySet().forEach(b -> pointers.add("(uint64_t)" + Dialect.name(b)));
    line(1, "bool aligned = (" + pointers + " % 16 | begin % " + lanes + ") == 0;");
    line(1, "int64_t packs = aligned ? (end - begin) / " + lanes + " : 0;");
    line(1, "for (int64_t number = thread; number < packs; number += threads) {");
    line(2, "int64_t first = begin + number * " + lanes + ";");
    for (Map.Entry<Buffer, Buffer> each : packs.buffers().entrySet()) {
      boolean loaded = packs.loaded().contains(each.getKey());
      String value = loaded ? " = " + pack(kernels, packs, each.getKey(), "const ") : "";
      line(2, type(kernels, each.getValue()) + " " + Dialect.name(each.getValue()) + value + ";");
    }
    line(2, kernels.unroll());
    line(2, "for (int64_t lane = 0; lane < " + lanes + "; lane++) {");
    line(3, "int64_t " + item + " = first + lane;");
    statement(packs.body(), 3, p);
    line(2, "}");
    for (Buffer buffer : packs.stored()) {
      String registers = Dialect.name(registers(packs, buffer));
      line(2, pack(kernels, packs, buffer, "") + " = " + registers + ";");
    }
    line(1, "}");
    line(
        1,
        "for (int64_t %1$s = begin + packs * %2$s + thread; %1$s < end; %1$s += threads) {"
            .formatted(item, lanes));
    statement(packs.loop().body(), 2, p);
    line(1, "}");
  }

  private static String type(KernelDialect kernels, Buffer pack) {
    return kernels.pack(CExpressions.type(pack.storage()), pack.elements()).orElseThrow();
  }

  /** Returns where the elements of a buffer are while they are worked on. */
  private static Buffer registers(Packs packs, Buffer buffer) {
    return requireNonNull(packs.buffers().get(buffer));
  }

  private static String pack(KernelDialect kernels, Packs packs, Buffer buffer, String constant) {
    String type = constant + type(kernels, registers(packs, buffer));
    return "*(%s *)(%s + first * %s)".formatted(type, Dialect.name(buffer), packs.width(buffer));
  }

  private static boolean dividesIndexSpace(Procedure p) {
    return Ir.mentions(p.body(), p.begin()::equals);
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
      case Stmt.Store(Buffer to, Expr at, Expr.Load(Buffer from, Expr first, int lanes))
          when lanes > 1 && kernels != null && to.local() != from.local() ->
          move(depth, to, at, from, first, lanes);
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
        if (kernels != null && !kernels.unroll().isEmpty() && new RegisterLoops(p).isOne(loop)) {
          line(depth, kernels.unroll());
        }
        line(depth, "for (;;) {");
        statement(loop.body(), depth + 1, p);
        line(depth, loop.label() + "_next:; } " + loop.label() + "_end:;");
      }
      case Stmt.Leave(String label) -> line(depth, "goto " + label + "_end;");
      case Stmt.Repeat(String label) -> line(depth, "goto " + label + "_next;");
      case Stmt.Atomic a -> line(depth, a.old().name() + " = " + c.atomic(a) + ";");
      case Stmt.Items items -> items(items, depth, p);
      case Stmt.Barrier _ -> line(depth, require(kernels, s).barrier(copiesTiles(p)));
      case Stmt.TileStep x -> tiles(x, depth, p);
      case Stmt.Exchange x -> {
        String lane = c.text(x.lane());
        var given = require(kernels, s).exchange(x.op(), c.text(x.value()), lane);
        line(depth, x.result().name() + " = " + given.orElseThrow() + ";");
      }
      case Stmt.Array(Buffer b) -> {
        String before = Items.shares(p, s) ? require(kernels, s).shared() : "";
        String after = kernels == null ? " __attribute__((aligned(64)));" : ";";
        String name = CExpressions.type(b.storage()) + " " + Dialect.name(b);
        line(depth, before + name + "[" + b.elements() + "]" + after);
      }
      case Stmt.Comment(String text) -> line(depth, "// " + text);
    }
  }

  private static boolean copiesTiles(Procedure procedure) {
    return Ir.contains(
        procedure.body(), s -> s instanceof Stmt.TileStep t && t.op() == Stmt.TileOp.COPY);
  }

  private void tiles(Stmt.TileStep x, int depth, Procedure p) {
    KernelDialect.Tiles tiles = require(kernels, x).tiles().orElseThrow();
    Buffer first = x.tiles().getFirst().buffer();
    boolean isShared = first.local() && Items.shares(p, new Stmt.Array(first));
    c.define(tiles.functions());
    line(depth, tiles.call(x, isShared, requireNonNull(Items.of(p)).most(), c::text));
  }

  /** A block of threads does one turn; threads without an item end, so that nothing awaits them. */
  private void items(Stmt.Items items, int depth, Procedure p) {
    String local = items.local().name();
    line(depth, "int64_t " + local + " = " + require(kernels, items).place(Place.LOCAL) + ";");
    if (!items.count().equals(Expr.of(items.most()))) {
      line(depth, "if (" + local + " >= " + c.text(items.count()) + ") return;");
    }
    statement(items.body(), depth, p);
  }

  private static KernelDialect require(@Nullable KernelDialect kernels, Stmt s) {
    if (kernels == null) {
      throw new IllegalArgumentException(s + " is for devices; make loops of it first");
    }
    return kernels;
  }

  /** Whether threads of a block count a loop in 32 bits, which leaves them registers. */
  private static boolean isShort(Stmt.For f, Procedure p) {
    return Items.of(p) != null
        && f.from() instanceof Expr.Const from
        && f.to() instanceof Expr.Const to
        && from.bits() >= 0
        && to.bits() + f.step() <= Integer.MAX_VALUE;
  }

  private void loop(Stmt.For f, int depth, Procedure p) {
    String i = f.index().name();
    boolean divided = kernels != null && f.from().equals(p.begin());
    if (divided && Items.of(p) != null) {
      line(depth, "int64_t " + i + " = begin + " + require(kernels, f).place(Place.BLOCK) + ";");
      statement(f.body(), depth, p);
      return;
    }
    divided = divided && !require(kernels, f).givesNeighbours();
    String from = divided ? "begin + thread" : c.text(f.from());
    String step = divided ? "threads" : Long.toString(f.step());
    boolean isShort = isShort(f, p);
    String type = isShort ? "int32_t" : "int64_t";
    String count = isShort ? i + "_count" : i;
    line(
        depth,
        "for (%1$s %2$s = %3$s; %2$s < %4$s; %2$s += %5$s) {"
            .formatted(type, count, from, c.text(f.to()), step));
    if (isShort) {
      line(depth + 1, "int64_t " + i + " = " + count + ";");
    }
    statement(f.body(), depth + 1, p);
    line(depth, "}");
  }

  /** Elements side by side between an array of the kernel and one of the launch. */
  private void move(int depth, Buffer to, Expr at, Buffer from, Expr first, int lanes) {
    KernelDialect.Moves moves = requireNonNull(kernels).moves();
    c.define(moves.functions());
    String target = Dialect.name(to) + " + " + c.text(at);
    String source = Dialect.name(from) + " + " + c.text(first);
    String type = CExpressions.type(to.storage());
    line(depth, moves.call(type, lanes, to.local(), target, source) + ";");
  }

  private void store(int depth, Buffer b, Expr at, Expr e) {
    int lanes = e.type().lanes();
    if (lanes == 1) {
      String cast = b.storage().bytes() < 4 ? "(" + CExpressions.type(b.storage()) + ")" : "";
      line(depth, Dialect.name(b) + "[" + c.text(at) + "] = " + cast + c.text(e) + ";");
      return;
    }
    Optional<Dialect.Vectors> vectors = dialect.vectors();
    if (vectors.isPresent()) {
      String place = Dialect.name(b) + " + " + c.text(at);
      line(depth, vectors.get().store(place, b, e, c::text) + ";");
      return;
    }
    String value =
        b.storage().bytes() < 4
            ? "__builtin_convertvector(" + c.text(e) + ", " + c.vector(b.storage(), lanes) + ")"
            : c.text(e);
    line(depth, c.memory(b, at, lanes) + " = " + value + ";");
  }
}
