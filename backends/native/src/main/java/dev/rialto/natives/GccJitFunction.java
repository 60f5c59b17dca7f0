package dev.rialto.natives;

import static java.lang.foreign.MemorySegment.NULL;
import static java.util.Objects.requireNonNull;

import dev.rialto.natives.LibGccJit.CType;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One procedure as a libgccjit function: blocks that end in jumps. */
final class GccJitFunction {
  private final Procedure procedure;
  private final List<MemorySegment> parameters;
  private final GccJitWords words;
  private final GccJitValues values;
  private final Map<String, MemorySegment> ends = new HashMap<>();
  private final Map<String, MemorySegment> nexts = new HashMap<>();

  /** Whether control comes here; the library refuses blocks that nothing goes to. */
  private boolean reached = true;

  GccJitFunction(MemorySegment context, Arena arena, Procedure procedure) {
    this.procedure = procedure;
    MemorySegment pointers =
        LibGccJit.call("type_get_pointer", LibGccJit.type(context, CType.VOID_POINTER));
    MemorySegment index = LibGccJit.type(context, CType.LONG_LONG);
    this.parameters =
        List.of(
            parameter(context, arena, pointers, "buffers"),
            parameter(context, arena, index, "begin"),
            parameter(context, arena, index, "end"));
    this.words = new GccJitWords(context, arena, procedure.name(), parameters);
    boolean casts = procedure.parameters().stream().anyMatch(b -> b.elements() == 0);
    this.values = new GccJitValues(words, casts);
  }

  private static MemorySegment parameter(
      MemorySegment context, Arena arena, MemorySegment type, String name) {
    return LibGccJit.call("context_new_param", context, NULL, type, arena.allocateFrom(name));
  }

  void build() {
    MemorySegment pointers = LibGccJit.call("param_as_rvalue", parameters.get(0));
    for (int i = 0; i < procedure.parameters().size(); i++) {
      Buffer buffer = procedure.parameters().get(i);
      MemorySegment type = LibGccJit.call("type_get_pointer", words.storage(buffer.storage()));
      MemorySegment local = words.local(type);
      MemorySegment address = words.rvalue(words.element(pointers, words.integer(Type.I64, i)));
      words.assign(local, LibGccJit.call("context_new_cast", words.context(), NULL, address, type));
      values.put(buffer, words.rvalue(local));
    }
    values.put(procedure.begin(), LibGccJit.call("param_as_lvalue", parameters.get(1)));
    values.put(procedure.end(), LibGccJit.call("param_as_lvalue", parameters.get(2)));
    statement(procedure.body());
    if (reached) {
      words.leave();
    }
  }

  private void statement(Stmt s) {
    if (!reached) {
      return;
    }
    switch (s) {
      case Stmt.Block steps -> steps.steps().forEach(this::statement);
      case Stmt.Let(Expr.Var v, Expr e) -> {
        MemorySegment value = values.value(e);
        MemorySegment local = words.local(words.type(v.type()));
        values.put(v, local);
        words.assign(local, value);
      }
      case Stmt.Assign(Expr.Var v, Expr e) -> words.assign(values.place(v), values.value(e));
      case Stmt.Store(Buffer b, Expr at, Expr e) -> {
        MemorySegment value = values.value(e);
        MemorySegment place = values.memory(b, values.value(at), e.type().lanes());
        boolean narrow = b.storage().bytes() < 4;
        boolean vector = e.type().lanes() > 1;
        words.assign(
            place,
            vector
                ? words.bitcast(value, words.unaligned(e.type()))
                : narrow ? words.cast(value, words.storage(b.storage())) : value);
      }
      case Stmt.For loop -> loop(loop);
      case Stmt.If branch -> {
        MemorySegment condition = values.value(branch.condition());
        MemorySegment inside = words.newBlock();
        MemorySegment otherwise = words.newBlock();
        words.fork(condition, inside, otherwise);
        words.at(inside);
        statement(branch.body());
        MemorySegment end = branch.otherwise().equals(Stmt.NOTHING) ? otherwise : NULL;
        if (reached) {
          end = end.equals(NULL) ? words.newBlock() : end;
          words.jump(end);
        }
        reached = true;
        if (end.equals(otherwise)) {
          words.at(otherwise);
        } else {
          words.at(otherwise);
          statement(branch.otherwise());
          goOn(end);
        }
      }
      case Stmt.Labeled(String label, Stmt body) -> {
        statement(body);
        goOn(ends.getOrDefault(label, NULL));
      }
      case Stmt.Loop(String label, Stmt body) -> {
        MemorySegment next = words.newBlock();
        nexts.put(label, next);
        words.jump(next);
        words.at(next);
        statement(body);
        if (reached) {
          words.jump(next);
          reached = false;
        }
        goOn(ends.getOrDefault(label, NULL));
      }
      case Stmt.Leave(String label) -> {
        words.jump(ends.computeIfAbsent(label, _ -> words.newBlock()));
        reached = false;
      }
      case Stmt.Repeat(String label) -> {
        words.jump(requireNonNull(nexts.get(label)));
        reached = false;
      }
      case Stmt.Atomic atomic -> values.atomic(atomic);
      case Stmt.Items _, Stmt.Barrier _, Stmt.Exchange _, Stmt.TileStep _ ->
          throw new IllegalArgumentException(s + " is for devices; make loops of it first");
      case Stmt.Array(Buffer b) -> {
        MemorySegment array =
            words.local(
                LibGccJit.call(
                    "context_new_array_type",
                    words.context(),
                    NULL,
                    words.storage(b.storage()),
                    (int) b.elements()));
        MemorySegment first = words.element(words.rvalue(array), words.integer(Type.I64, 0));
        values.put(b, LibGccJit.call("lvalue_get_address", first, NULL));
      }
      case Stmt.Comment _ -> {}
    }
  }

  /** Goes on in a block that was jumped to, if there is one. */
  private void goOn(MemorySegment end) {
    if (end.equals(NULL)) {
      return;
    }
    if (reached) {
      words.jump(end);
    }
    reached = true;
    words.at(end);
  }

  private void loop(Stmt.For f) {
    MemorySegment index = words.local(words.type(Type.I64));
    MemorySegment end = words.local(words.type(Type.I64));
    values.put(f.index(), index);
    words.assign(index, values.value(f.from()));
    words.assign(end, values.value(f.to()));
    MemorySegment test = words.newBlock();
    MemorySegment body = words.newBlock();
    MemorySegment after = words.newBlock();
    words.jump(test);
    words.at(test);
    words.fork(values.compare(BinaryOp.LT, words.rvalue(index), words.rvalue(end)), body, after);
    words.at(body);
    statement(f.body());
    if (reached) {
      words.assign(
          index,
          values.binary(
              BinaryOp.ADD, Type.I64, words.rvalue(index), words.integer(Type.I64, f.step())));
      words.jump(test);
    }
    reached = true;
    words.at(after);
  }
}
