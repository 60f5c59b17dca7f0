package dev.rialto.jit.lift;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.jit.lift.classfile.ArrayCopies;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Const;
import java.lang.classfile.TypeKind;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Arrays of numbers from outside that a kernel reads, with the elements of their copies. An element
 * at a constant index is a constant; all others are read from memory that the kernel keeps on its
 * device, so that a table costs no code.
 */
final class Tables {
  private final ArrayCopies copies;
  private final IdentityHashMap<Object, Buffer> buffers = new IdentityHashMap<>();
  private final Map<Buffer, MemorySegment> tables = new LinkedHashMap<>();
  private final Map<String, Object> named = new HashMap<>();

  Tables(ArrayCopies copies) {
    this.copies = copies;
  }

  /** The memory of the tables that are read at an index that only a launch knows. */
  List<Buffer> parameters() {
    return List.copyOf(tables.keySet());
  }

  List<MemorySegment> elements() {
    return List.copyOf(tables.values());
  }

  Object named(String name, Supplier<Object> maker) {
    return requireNonNull(named.computeIfAbsent(name, _ -> maker.get()));
  }

  /** Returns whether an object is an array of numbers. */
  static boolean isTable(Object object) {
    return object.getClass().isArray() && object.getClass().getComponentType().isPrimitive();
  }

  Expr element(Frame frame, KernelCode code, Object outside, Expr index) {
    Object array = copies.of(outside);
    if (index instanceof Const at) {
      if (at.bits() < 0 || at.bits() >= Array.getLength(array)) {
        throw Refusal.at(
            frame,
            "reads index %d of an array of %d elements"
                .formatted(at.bits(), Array.getLength(array)));
      }
      return ((Value.Num) Heap.lifted(Array.get(array, (int) at.bits()))).expr();
    }
    if (Array.getLength(array) == 0) {
      throw Refusal.at(frame, "reads an array that has no elements");
    }
    TypeKind kind = TypeKind.from(array.getClass().getComponentType());
    Buffer buffer = buffers.get(array);
    if (buffer == null) {
      // No elements are told, for those of a parameter whose size is known are passed by value.
      buffer = new Buffer("t" + buffers.size(), Heap.storage(kind), 0, false);
      buffers.put(array, buffer);
      tables.put(buffer, memory(array));
    }
    Expr at = KernelCode.index(index);
    Expr length = Expr.of(Array.getLength(array));
    Expr loaded = code.load(buffer, at, Check.of(at, length, "an array from outside"));
    return kind == TypeKind.CHAR ? KernelCode.narrow(loaded, 16, false) : loaded;
  }

  private static MemorySegment memory(Object array) {
    return switch (array) {
      case double[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      case char[] a -> MemorySegment.ofArray(a);
      case byte[] a -> MemorySegment.ofArray(a);
      default -> {
        boolean[] flags = (boolean[]) array;
        byte[] bytes = new byte[flags.length];
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = flags[i] ? (byte) 1 : 0;
        }
        yield MemorySegment.ofArray(bytes);
      }
    };
  }
}
