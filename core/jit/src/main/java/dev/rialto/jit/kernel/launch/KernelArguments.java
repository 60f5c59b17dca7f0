package dev.rialto.jit.kernel.launch;

import dev.rialto.jit.lift.BlockQuotient;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The arguments of launches, checked and as the code takes them: memory and numbers. */
public final class KernelArguments {
  private final Lifted lifted;
  private final Shape block;
  private final long[] captured;

  /**
   * Knows what a kernel takes.
   *
   * @param captured what its lambda captures
   */
  public KernelArguments(Lifted lifted, Shape block, List<Object> captured) {
    this.lifted = lifted;
    this.block = block;
    this.captured = new long[lifted.captured().size()];
    int count = 0;
    for (Map.Entry<Integer, Argument> each : lifted.captured().entrySet()) {
      this.captured[count++] = bits(each.getKey(), each.getValue(), captured.get(each.getKey()));
    }
  }

  /**
   * The arguments of one launch.
   *
   * @param dense whether each tensor has neighbours along its last axis
   */
  public record Bound(List<Buffer> buffers, List<Long> numbers, boolean dense) {}

  /** Refuses arrays of Java's whose elements are not those of the kernel's arrays. */
  public void requireTypes(Object... arguments) {
    List<Argument> types = lifted.arguments();
    for (int i = 0; i < Math.min(types.size(), arguments.length); i++) {
      Class<?> element = arguments[i] == null ? null : arguments[i].getClass().getComponentType();
      Argument type = types.get(i);
      if (element != null && type.isArray() && !element.equals(element(type))) {
        throw mismatch(i, "%s elements, or %s[]".formatted(type, element(type)), element + "[]");
      }
    }
  }

  private static Class<?> element(Argument array) {
    return switch (array) {
      case I8 -> byte.class;
      case I16, F16, BF16 -> short.class;
      case I32 -> int.class;
      case I64 -> long.class;
      case F32 -> float.class;
      case F64 -> double.class;
      case INT, LONG, FLOAT, DOUBLE -> throw new IllegalArgumentException(array + " is no array");
    };
  }

  public Bound bind(Blocks grid, Object... arguments) {
    List<Argument> expected = lifted.arguments();
    int arrays = lifted.outside().size();
    List<Argument> behind = List.copyOf(lifted.numbers().values());
    int taken = expected.size() + arrays + behind.size();
    if (arguments.length != taken) {
      throw new IllegalArgumentException(
          "the kernel takes " + taken + " arguments, but " + arguments.length + " are given");
    }
    int axes = block.rank();
    List<Long> numbers = new ArrayList<>();
    for (int axis = 0; axis < axes; axis++) {
      numbers.add(grid.items().extent(axis));
    }
    List<Buffer> buffers = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      Argument type = expected.get(i);
      if (type.isArray()) {
        Buffer buffer = buffer(i, type, arguments[i]);
        buffers.add(buffer);
        numbers.add(buffer.bytes() / type.bytes());
      } else {
        numbers.add(bits(i, type, arguments[i]));
      }
    }
    for (long each : captured) {
      numbers.add(each);
    }
    for (int axis = 1; axis < axes; axis++) {
      numbers.add(BlockQuotient.word(Math.max(1, grid.along(axis))));
    }
    for (int i = expected.size(); i < taken; i++) {
      int number = i - expected.size() - arrays;
      if (number >= 0) {
        numbers.add(bits(i, behind.get(number), arguments[i]));
      } else if (arguments[i] instanceof Buffer buffer) {
        buffers.add(buffer);
      } else {
        throw mismatch(i, "a Buffer", arguments[i]);
      }
    }
    boolean dense = true;
    for (Map.Entry<Integer, Lifted.Axes> each : lifted.tensors().entrySet()) {
      dense &= addTensor(each.getKey(), each.getValue(), arguments[each.getKey()], numbers);
    }
    return new Bound(buffers, numbers, dense);
  }

  private static Buffer buffer(int place, Argument type, Object given) {
    return switch (given) {
      case Buffer buffer -> buffer;
      case Tensor tensor when holds(tensor.layout().type(), type) -> tensor.buffer();
      default -> throw mismatch(place, "a Buffer or Tensor of " + type + " elements", given);
    };
  }

  /** Whether elements are those of an array; shorts may be the bits of any 16-bit numbers. */
  private static boolean holds(DType given, Argument type) {
    return given.name().equals(type.name()) || (type == Argument.I16 && given.size() == 2);
  }

  /** Adds the first place, extents and strides; returns whether the last axis has neighbours. */
  private static boolean addTensor(int place, Lifted.Axes axes, Object given, List<Long> numbers) {
    Tensor tensor = given instanceof Tensor t ? t : null;
    long[] strides = tensor == null ? null : strides(tensor);
    int rank = tensor == null ? 0 : tensor.shape().rank();
    boolean fits = axes.isExact() ? rank == axes.count() : rank >= axes.count();
    if (tensor == null || strides == null || !fits) {
      throw mismatch(
          place,
          "a Tensor of %d axes%s, with a stride for each"
              .formatted(axes.count(), axes.isExact() ? "" : " or more"),
          given);
    }
    numbers.add(tensor.layout() instanceof Layout.Strided strided ? strided.offset() : 0L);
    for (int axis = 0; axis < axes.count(); axis++) {
      numbers.add(tensor.shape().extent(axis));
      numbers.add(strides[axis]);
    }
    return strides[axes.count() - 1] == 1;
  }

  private static long @Nullable [] strides(Tensor tensor) {
    return switch (tensor.layout()) {
      case Layout.Contiguous _ -> tensor.shape().strides();
      case Layout.Strided strided when strided.extents().equals(tensor.shape()) ->
          strided.strides();
      default -> null;
    };
  }

  private static IllegalArgumentException mismatch(int place, String wanted, Object given) {
    return new IllegalArgumentException(
        "argument " + (place + 1) + " of the kernel is " + wanted + ", but " + given + " is given");
  }

  private static long bits(int place, Argument type, Object given) {
    return switch (given) {
      case Boolean b when type == Argument.INT -> b ? 1 : 0;
      case Character c when type == Argument.INT -> c;
      case Byte b when type == Argument.INT -> b;
      case Short s when type == Argument.INT -> s;
      case Integer i when type == Argument.INT || type == Argument.LONG -> i;
      case Long l when type == Argument.LONG -> l;
      case Float f when type == Argument.FLOAT -> Float.floatToRawIntBits(f);
      case Number n when type == Argument.DOUBLE -> Double.doubleToRawLongBits(n.doubleValue());
      default -> throw mismatch(place, "a number of type " + type, given);
    };
  }
}
