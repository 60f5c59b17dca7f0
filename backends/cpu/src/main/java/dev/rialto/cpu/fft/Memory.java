package dev.rialto.cpu.fft;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** The process's memory by address: one kind of segment for all loops, known to the compiler. */
final class Memory {
  /** Read by the code that {@link Emitter} writes. */
  static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private Memory() {}

  static double get(DType type, long address) {
    return type == DType.F64
        ? MEMORY.get(JAVA_DOUBLE_UNALIGNED, address)
        : MEMORY.get(JAVA_FLOAT_UNALIGNED, address);
  }

  static void set(DType type, long address, double value) {
    if (type == DType.F64) {
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, address, value);
    } else {
      MEMORY.set(JAVA_FLOAT_UNALIGNED, address, (float) value);
    }
  }

  static void copy(long from, long to, long bytes) {
    MemorySegment.copy(MEMORY, from, MEMORY, to, bytes);
  }

  /** Zeroes bytes, a multiple of four. */
  static void zero(long address, long bytes) {
    for (long at = address; at < address + bytes; at += Integer.BYTES) {
      MEMORY.set(JAVA_INT_UNALIGNED, at, 0);
    }
  }
}
