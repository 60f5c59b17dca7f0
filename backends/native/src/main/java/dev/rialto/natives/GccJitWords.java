package dev.rialto.natives;

import static java.lang.foreign.MemorySegment.NULL;

import dev.rialto.natives.LibGccJit.CType;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Type;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The words of libgccjit for one function, and the block that is written to. */
final class GccJitWords {
  private final MemorySegment context;
  private final Arena arena;
  private final MemorySegment function;
  private final Map<Type, MemorySegment> vectors = new HashMap<>();
  private final Map<Type, MemorySegment> unaligned = new HashMap<>();
  private MemorySegment block;
  private int count;

  /** Begins a function that takes the parameters and returns nothing. */
  GccJitWords(MemorySegment context, Arena arena, String name, List<MemorySegment> parameters) {
    this.context = context;
    this.arena = arena;
    this.function =
        LibGccJit.call(
            "context_new_function",
            context,
            NULL,
            0,
            LibGccJit.type(context, CType.VOID),
            arena.allocateFrom(name),
            parameters.size(),
            LibGccJit.array(arena, parameters),
            0);
    this.block = newBlock();
  }

  MemorySegment context() {
    return context;
  }

  Arena arena() {
    return arena;
  }

  String name(String stem) {
    return stem + count++;
  }

  /** Writes to a block from now on. */
  void at(MemorySegment next) {
    block = next;
  }

  /** Ends the function. */
  void leave() {
    LibGccJit.run("block_end_with_void_return", block, NULL);
  }

  MemorySegment newBlock() {
    return LibGccJit.call("function_new_block", function, NULL);
  }

  MemorySegment local(MemorySegment type) {
    return LibGccJit.call(
        "function_new_local", function, NULL, type, arena.allocateFrom("v" + count++));
  }

  void assign(MemorySegment to, MemorySegment value) {
    LibGccJit.run("block_add_assignment", block, NULL, to, value);
  }

  MemorySegment rvalue(MemorySegment lvalue) {
    return LibGccJit.call("lvalue_as_rvalue", lvalue);
  }

  MemorySegment element(MemorySegment pointer, MemorySegment index) {
    return LibGccJit.call("context_new_array_access", context, NULL, pointer, index);
  }

  MemorySegment cast(MemorySegment value, MemorySegment type) {
    return LibGccJit.call("context_new_cast", context, NULL, value, type);
  }

  MemorySegment bitcast(MemorySegment value, MemorySegment type) {
    return LibGccJit.call("context_new_bitcast", context, NULL, value, type);
  }

  MemorySegment integer(Type type, long value) {
    return LibGccJit.call("context_new_rvalue_from_long", context, type(type), value);
  }

  // --- Types ------------------------------------------------------------------------------------

  MemorySegment storage(Buffer.Storage storage) {
    return LibGccJit.type(
        context,
        switch (storage) {
          case I8 -> CType.SIGNED_CHAR;
          case I16 -> CType.SHORT;
          case I32 -> CType.INT;
          case I64 -> CType.LONG_LONG;
          case F32 -> CType.FLOAT;
          case F64 -> CType.DOUBLE;
        });
  }

  MemorySegment type(Type type) {
    MemorySegment scalar =
        LibGccJit.type(
            context,
            switch (type.kind()) {
              case BOOL -> CType.BOOL;
              case I32 -> CType.INT;
              case I64 -> CType.LONG_LONG;
              case F32 -> CType.FLOAT;
              case F64 -> CType.DOUBLE;
            });
    // Asked twice, the library makes two vector types that do not mix.
    return type.lanes() == 1
        ? scalar
        : vectors.computeIfAbsent(
            type, t -> LibGccJit.call("type_get_vector", scalar, (long) t.lanes()));
  }

  void fork(MemorySegment condition, MemorySegment yes, MemorySegment no) {
    LibGccJit.run("block_end_with_conditional", block, NULL, condition, yes, no);
  }

  void jump(MemorySegment to) {
    LibGccJit.run("block_end_with_jump", block, NULL, to);
  }

  MemorySegment unaligned(Type type) {
    return unaligned.computeIfAbsent(
        type, t -> LibGccJit.call("type_get_aligned", type(t), (long) t.kind().bits() / 8));
  }

  MemorySegment operator(int number, MemorySegment type, MemorySegment x, MemorySegment y) {
    return LibGccJit.call("context_new_binary_op", context, NULL, number, type, x, y);
  }

  MemorySegment call(String name, MemorySegment... operands) {
    MemorySegment builtin =
        LibGccJit.call("context_get_builtin_function", context, arena.allocateFrom(name));
    return LibGccJit.call(
        "context_new_call",
        context,
        NULL,
        builtin,
        operands.length,
        LibGccJit.array(arena, List.of(operands)));
  }
}
