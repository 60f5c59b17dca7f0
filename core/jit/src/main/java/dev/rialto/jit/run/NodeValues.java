package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.jit.kernel.HalfPrecision;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Elements of any type as doubles, for tests, tools and small data. */
final class NodeValues {
  private NodeValues() {}

  private static int parts(Node node) {
    return node.type().kind() == DType.Kind.COMPLEX ? 2 : 1;
  }

  /** Returns memory of the host that holds a node's elements. */
  static MemorySegment of(Node node, double[] values) {
    MemorySegment memory =
        MemorySegment.ofArray(new long[Math.toIntExact((node.bytes() + 7) / 8)])
            .asSlice(0, node.bytes());
    write(node, memory, values);
    return memory;
  }

  static void write(Node node, MemorySegment memory, double[] values) {
    long count = node.shape().count() * parts(node);
    if (values.length != count) {
      throw new IllegalArgumentException(
          "node %s of shape %s takes %s values, but %s were given"
              .formatted(node, node.shape(), count, values.length));
    }
    for (int i = 0; i < values.length; i++) {
      switch (node.type()) {
        case F16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, HalfPrecision.f16(values[i]));
        case BF16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, HalfPrecision.bf16(values[i]));
        case F32, C64 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) values[i]);
        case F64, C128 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
        case I8, U8 -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) values[i]);
        case I16, U16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) values[i]);
        case I32 -> memory.setAtIndex(ValueLayout.JAVA_INT, i, (int) values[i]);
        case U32 -> memory.setAtIndex(ValueLayout.JAVA_INT, i, (int) (long) values[i]);
        case I64 -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, (long) values[i]);
        case U64 -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, unsigned(values[i]));
      }
    }
  }

  private static long unsigned(double value) {
    return value < 0x1p63 ? (long) value : (long) (value - 0x1p63) ^ Long.MIN_VALUE;
  }

  private static double unsigned(long bits) {
    return bits < 0 ? ((bits >>> 1) | (bits & 1)) * 2.0 : bits;
  }

  static double[] read(Node node, MemorySegment memory) {
    double[] values = new double[Math.toIntExact(node.shape().count() * parts(node))];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (node.type()) {
            case F16 -> Float.float16ToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT, i));
            case BF16 -> Float.intBitsToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
            case F32, C64 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            case F64, C128 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            case I8 -> memory.get(ValueLayout.JAVA_BYTE, i);
            case I32 -> memory.getAtIndex(ValueLayout.JAVA_INT, i);
            case I64 -> memory.getAtIndex(ValueLayout.JAVA_LONG, i);
            case I16 -> memory.getAtIndex(ValueLayout.JAVA_SHORT, i);
            case U8 -> Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, i));
            case U16 -> memory.getAtIndex(ValueLayout.JAVA_CHAR, i);
            case U32 -> Integer.toUnsignedLong(memory.getAtIndex(ValueLayout.JAVA_INT, i));
            case U64 -> unsigned(memory.getAtIndex(ValueLayout.JAVA_LONG, i));
          };
    }
    return values;
  }
}
