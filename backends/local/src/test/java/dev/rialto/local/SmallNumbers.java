package dev.rialto.local;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Elements of any type that are all the same small integer. */
final class SmallNumbers {
  private SmallNumbers() {}

  static MemorySegment all(DType type, int count, int value) {
    MemorySegment memory = MemorySegment.ofArray(new long[(int) (type.bytes(count) + 7) / 8]);
    for (int i = 0; i < count; i++) {
      switch (type) {
        case I8 -> memory.setAtIndex(ValueLayout.JAVA_BYTE, i, (byte) value);
        case I32 -> memory.setAtIndex(ValueLayout.JAVA_INT, i, value);
        case I64 -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, value);
        case F16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(value));
        case BF16 ->
            memory.setAtIndex(
                ValueLayout.JAVA_SHORT, i, (short) (Float.floatToIntBits(value) >>> 16));
        case F32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        case C64 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, 2L * i, value);
        case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
        case C128 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, 2L * i, value);
        default -> throw new AssertionError(type + " has no reductions");
      }
    }
    return memory.asSlice(0, type.bytes(count));
  }
}
