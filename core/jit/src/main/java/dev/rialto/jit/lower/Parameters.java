package dev.rialto.jit.lower;

import dev.rialto.jit.Node;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Type;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The buffers that the code of a procedure asks for, in order. */
final class Parameters {
  private final Map<Slot, Buffer> buffers = new LinkedHashMap<>();
  private final Set<String> names = new LinkedHashSet<>();
  private final List<StaticIndex> statics;

  Parameters(List<StaticIndex> statics) {
    this.statics = statics;
  }

  Buffer of(Node node, boolean merged) {
    return buffers.computeIfAbsent(
        merged ? new Slot.Merge(node) : new Slot.OfNode(node),
        _ -> {
          Buffer.Storage storage = Arithmetic.storage(node.type());
          String stem = node.name().replace('.', '_') + (merged ? "_merge" : "");
          long elements = node.bytes() / storage.bytes();
          return new Buffer(unique(stem), storage, elements, false);
        });
  }

  private String unique(String stem) {
    String name = stem;
    for (int i = 2; !names.add(name); i++) {
      name = stem + "_" + i;
    }
    return name;
  }

  /** Returns the surroundings of a procedure's loops, which find their buffers here. */
  Scope scope(Emitter out, boolean fast) {
    Expr.Var begin = new Expr.Var("begin", Type.I64);
    Expr.Var end = new Expr.Var("end", Type.I64);
    return new Scope(begin, end, fast, statics(out), this::of);
  }

  private Map<Symbol, Expr> statics(Emitter out) {
    Map<Symbol, Expr> values = new HashMap<>();
    if (!statics.isEmpty()) {
      Buffer buffer =
          buffers.computeIfAbsent(
              new Slot.Statics(),
              _ -> new Buffer(unique("statics"), Buffer.Storage.I64, statics.size(), false));
      for (int i = 0; i < statics.size(); i++) {
        values.put(statics.get(i), out.let(new Expr.Load(buffer, Expr.of(i), 1)));
      }
    }
    return values;
  }

  List<Buffer> all() {
    return List.copyOf(buffers.values());
  }

  /** Leaves out buffers that the code does not touch after all. */
  void drop(Set<Buffer> unused) {
    buffers.values().removeAll(unused);
  }

  List<Slot> slots() {
    return List.copyOf(buffers.keySet());
  }
}
