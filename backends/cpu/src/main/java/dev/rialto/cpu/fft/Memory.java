package dev.rialto.cpu.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** The process's memory by address: one kind of segment for all loops, known to the compiler. */
final class Memory {
  @SuppressWarnings("restricted")
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private Memory() {}

  static double get(DType type, long address) {
    return type == DType.F64
        ? ALL.get(JAVA_DOUBLE_UNALIGNED, address)
        : ALL.get(JAVA_FLOAT_UNALIGNED, address);
  }

  static void set(DType type, long address, double value) {
    if (type == DType.F64) {
      ALL.set(JAVA_DOUBLE_UNALIGNED, address, value);
    } else {
      ALL.set(JAVA_FLOAT_UNALIGNED, address, (float) value);
    }
  }

  static void setLong(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  static void copy(long from, long to, long bytes) {
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  /** Zeroes bytes, a multiple of four. */
  static void zero(long address, long bytes) {
    for (long at = address; at < address + bytes; at += Integer.BYTES) {
      ALL.set(JAVA_INT_UNALIGNED, at, 0);
    }
  }
}
