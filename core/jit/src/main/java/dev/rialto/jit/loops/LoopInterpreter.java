package dev.rialto.jit.loops;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.util.Objects.requireNonNull;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs loops by walking them, every access checked. Those who look at more override what is done
 * with a step or an element.
 */
public class LoopInterpreter {
  private static final Object ATOMIC = new Object();

  private final Procedure procedure;
  private final Map<Buffer, MemorySegment> memory = new HashMap<>();
  private final Map<Expr.Var, Const[]> variables = new HashMap<>();

  /** Makes a run of a procedure on the memory of its parameters. */
  public LoopInterpreter(Procedure procedure, List<MemorySegment> buffers) {
    this.procedure = procedure;
    for (int i = 0; i < buffers.size(); i++) {
      Buffer parameter = procedure.parameters().get(i);
      long bytes = parameter.elements() * parameter.storage().bytes();
      memory.put(parameter, bytes == 0 ? buffers.get(i) : buffers.get(i).asSlice(0, bytes));
    }
  }

  /** Makes a run that goes on from where another one is, with variables and arrays of its own. */
  protected LoopInterpreter(LoopInterpreter before) {
    this.procedure = before.procedure;
    this.memory.putAll(before.memory);
    this.variables.putAll(before.variables);
  }

  /** Runs the procedure over a range. */
  public void run(long begin, long end) {
    variables.put(procedure.begin(), new Const[] {Expr.of(begin)});
    variables.put(procedure.end(), new Const[] {Expr.of(end)});
    run(procedure.body());
  }

  /** Returns the jump that ended the step early, or null. */
  protected @Nullable Stmt run(Stmt s) {
    switch (s) {
      case Stmt.Block block -> {
        for (Stmt step : block.steps()) {
          Stmt jump = run(step);
          if (jump != null) {
            return jump;
          }
        }
      }
      case Stmt.Let(Expr.Var v, Expr e) -> variables.put(v, value(e));
      case Stmt.Assign(Expr.Var v, Expr e) -> variables.put(v, value(e));
      case Stmt.Store(Buffer b, Expr at, Expr e) -> {
        Const[] values = value(e);
        long first = scalar(at);
        for (int lane = 0; lane < values.length; lane++) {
          store(b, first + lane, values[lane]);
        }
      }
      case Stmt.For f -> {
        long to = scalar(f.to());
        for (long i = scalar(f.from()); i < to; i += f.step()) {
          variables.put(f.index(), new Const[] {Expr.of(i)});
          Stmt jump = run(f.body());
          if (jump != null) {
            return jump;
          }
        }
      }
      case Stmt.If branch -> {
        return run(scalar(branch.condition()) != 0 ? branch.body() : branch.otherwise());
      }
      case Stmt.Labeled(String label, Stmt body) -> {
        Stmt jump = run(body);
        return new Stmt.Leave(label).equals(jump) ? null : jump;
      }
      case Stmt.Loop(String label, Stmt body) -> {
        Stmt jump;
        do {
          jump = run(body);
        } while (jump == null || jump.equals(new Stmt.Repeat(label)));
        return jump.equals(new Stmt.Leave(label)) ? null : jump;
      }
      case Stmt.Leave _, Stmt.Repeat _ -> {
        return s;
      }
      case Stmt.Atomic atomic -> {
        synchronized (ATOMIC) {
          atomic(atomic);
        }
      }
      case Stmt.Items _, Stmt.Barrier _, Stmt.Exchange _, Stmt.TileStep _ ->
          throw new IllegalArgumentException(s + " is for devices; make loops of it first");
      case Stmt.Array(Buffer b) ->
          memory.put(b, Arena.ofAuto().allocate(b.elements() * b.storage().bytes(), 64));
      case Stmt.Comment _ -> {}
    }
    return null;
  }

  /** Does an atomic step, while no other is done. */
  protected void atomic(Stmt.Atomic a) {
    long at = scalar(a.offset());
    Const old = load(a.buffer(), at);
    set(a.old(), old);
    store(a.buffer(), at, next(a, old));
  }

  /** Returns what an atomic step makes of a value. */
  protected Const next(Stmt.Atomic a, Const old) {
    Const value = value(a.value())[0];
    Const expected = value(a.expected())[0];
    return value(Spelled.next(a.op(), old, value, expected))[0];
  }

  /** Returns the bits of a value. */
  protected long scalar(Expr e) {
    return value(e)[0].bits();
  }

  private interface Lanewise {
    Const at(int lane);
  }

  private static Const[] each(int lanes, Lanewise f) {
    Const[] result = new Const[lanes];
    for (int lane = 0; lane < lanes; lane++) {
      result[lane] = f.at(lane);
    }
    return result;
  }

  private Const[] value(Expr e) {
    int lanes = e.type().lanes();
    return switch (e) {
      case Const c -> new Const[] {c};
      case Expr.Var v -> requireNonNull(variables.get(v), v.name());
      case Expr.Load(Buffer b, Expr at, int n) -> {
        long first = scalar(at);
        yield each(n, lane -> load(b, first + lane));
      }
      case Expr.Unary(Expr.UnaryOp op, Expr x) -> {
        Const[] a = value(x);
        yield each(lanes, lane -> Evaluate.unary(op, a[lane]));
      }
      case Expr.Binary(Expr.BinaryOp op, Expr x, Expr y) -> {
        Const[] a = value(x);
        Const[] b = value(y);
        yield each(lanes, lane -> Evaluate.binary(op, a[lane], b[lane]));
      }
      case Expr.Fma(Expr x, Expr y, Expr z) -> {
        Const[] a = value(x);
        Const[] b = value(y);
        Const[] c = value(z);
        yield each(lanes, lane -> Evaluate.fma(a[lane], b[lane], c[lane]));
      }
      case Expr.Select(Expr c, Expr x, Expr y) -> {
        Const[] which = value(c);
        Const[] a = value(x);
        Const[] b = value(y);
        yield each(lanes, lane -> which[lane].bits() != 0 ? a[lane] : b[lane]);
      }
      case Expr.Convert(Type type, Expr x) -> {
        Const[] a = value(x);
        yield each(lanes, lane -> Evaluate.convert(type.withLanes(1), a[lane]));
      }
      case Expr.Saturate(Type type, Expr x) -> new Const[] {Evaluate.convert(type, value(x)[0])};
      case Expr.Bits(Type type, Expr x) -> {
        Const[] a = value(x);
        yield each(
            lanes,
            lane ->
                new Const(
                    type.withLanes(1),
                    type.kind().bits() == 32 ? (int) a[lane].bits() : a[lane].bits()));
      }
      case Expr.Splat(int n, Expr x) -> {
        Const a = value(x)[0];
        yield each(n, _ -> a);
      }
      case Expr.Ramp(Expr base, int n) -> {
        long first = scalar(base);
        yield each(n, lane -> Expr.of(first + lane));
      }
      case Expr.Lane(Expr x, int lane) -> new Const[] {value(x)[lane]};
      case Expr.Any(Expr x) -> {
        boolean any = false;
        for (Const lane : value(x)) {
          any |= lane.bits() != 0;
        }
        yield new Const[] {new Const(Type.BOOL, any ? 1 : 0)};
      }
    };
  }

  protected void set(Expr.Var v, Const value) {
    variables.put(v, new Const[] {value});
  }

  /** Returns how many elements an array has. */
  protected long elements(Buffer b) {
    return requireNonNull(memory.get(b)).byteSize() / b.storage().bytes();
  }

  /** Returns an element of an array. */
  protected Const load(Buffer b, long at) {
    MemorySegment m = requireNonNull(memory.get(b));
    long offset = at * b.storage().bytes();
    Type type = new Type(b.storage().register(), 1);
    return switch (b.storage()) {
      case I8 -> new Const(type, m.get(JAVA_BYTE, offset));
      case I16 -> new Const(type, m.get(JAVA_SHORT_UNALIGNED, offset));
      case I32 -> new Const(type, m.get(JAVA_INT_UNALIGNED, offset));
      case I64 -> new Const(type, m.get(JAVA_LONG_UNALIGNED, offset));
      case F32 -> new Const(type, Float.floatToRawIntBits(m.get(JAVA_FLOAT_UNALIGNED, offset)));
      case F64 -> new Const(type, Double.doubleToRawLongBits(m.get(JAVA_DOUBLE_UNALIGNED, offset)));
    };
  }

  /** Changes an element of an array. */
  protected void store(Buffer b, long at, Const value) {
    MemorySegment m = requireNonNull(memory.get(b));
    long offset = at * b.storage().bytes();
    switch (b.storage()) {
      case I8 -> m.set(JAVA_BYTE, offset, (byte) value.bits());
      case I16 -> m.set(JAVA_SHORT_UNALIGNED, offset, (short) value.bits());
      case I32, F32 -> m.set(JAVA_INT_UNALIGNED, offset, (int) value.bits());
      case I64, F64 -> m.set(JAVA_LONG_UNALIGNED, offset, value.bits());
    }
  }
}
