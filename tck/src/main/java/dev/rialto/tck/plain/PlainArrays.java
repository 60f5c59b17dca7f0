package dev.rialto.tck.plain;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

/** {@link ArrayKernels} as plain loops over offsets. */
final class PlainArrays implements ArrayKernels {
  /** Something done to the memories. */
  private interface Body {
    void run(MemorySegment from, MemorySegment to);
  }

  private static Prepared prepared(Body body) {
    return new Prepared() {
      @Override
      public void run(MemorySegment from, MemorySegment to, Stream stream) {
        stream.run(() -> body.run(PlainDevice.all(from), PlainDevice.all(to)));
      }

      @Override
      public void close() {}
    };
  }

  /** Returns where each number is; a complex element is two. */
  private static long[] offsets(Layout layout) {
    int size = number(layout.type()).size();
    LongStream.Builder offsets = LongStream.builder();
    layout.forEachRun(
        (offset, bytes) -> {
          for (long at = offset; at < offset + bytes; at += size) {
            offsets.add(at);
          }
        });
    return offsets.build().toArray();
  }

  private static DType number(DType type) {
    return switch (type) {
      case C128 -> DType.F64;
      case C64 -> DType.F32;
      default -> type;
    };
  }

  static double get(MemorySegment memory, DType type, long at) {
    return switch (type) {
      case F64 -> memory.get(JAVA_DOUBLE_UNALIGNED, at);
      case F32 -> memory.get(JAVA_FLOAT_UNALIGNED, at);
      case F16 -> Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, at));
      case BF16 -> Float.intBitsToFloat(memory.get(JAVA_SHORT_UNALIGNED, at) << 16);
      default -> throw new IllegalArgumentException(type + " is not floating-point");
    };
  }

  static void set(MemorySegment memory, DType type, long at, double value) {
    switch (type) {
      case F64 -> memory.set(JAVA_DOUBLE_UNALIGNED, at, value);
      case F32 -> memory.set(JAVA_FLOAT_UNALIGNED, at, (float) value);
      case F16 -> memory.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16((float) value));
      default -> {
        int bits = Float.floatToRawIntBits((float) value);
        memory.set(JAVA_SHORT_UNALIGNED, at, (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16));
      }
    }
  }

  private static void add(MemorySegment from, long a, MemorySegment to, long b, DType type) {
    switch (type) {
      case I64 ->
          to.set(
              JAVA_LONG_UNALIGNED,
              b,
              to.get(JAVA_LONG_UNALIGNED, b) + from.get(JAVA_LONG_UNALIGNED, a));
      case I32 ->
          to.set(
              JAVA_INT_UNALIGNED,
              b,
              to.get(JAVA_INT_UNALIGNED, b) + from.get(JAVA_INT_UNALIGNED, a));
      case I8 -> to.set(JAVA_BYTE, b, (byte) (to.get(JAVA_BYTE, b) + from.get(JAVA_BYTE, a)));
      default -> set(to, type, b, get(to, type, b) + get(from, type, a));
    }
  }

  @Override
  public Prepared move(Layout from, Layout to, boolean add) {
    long[] sources = offsets(from);
    long[] targets = offsets(to);
    DType type = number(from.type());
    return prepared(
        (source, target) -> {
          for (int i = 0; i < sources.length; i++) {
            if (add) {
              add(source, sources[i], target, targets[i], type);
            } else {
              MemorySegment.copy(source, sources[i], target, targets[i], type.size());
            }
          }
        });
  }

  @Override
  public Prepared scale(Layout layout, double factor) {
    long[] places = offsets(layout);
    DType type = number(layout.type());
    return prepared(
        (_, target) -> {
          for (long at : places) {
            set(target, type, at, get(target, type, at) * factor);
          }
        });
  }

  @Override
  public Prepared convert(DType from, DType to, long count) {
    return prepared(
        (source, target) -> {
          for (long i = 0; i < count; i++) {
            set(target, to, i * to.size(), get(source, from, i * from.size()));
          }
        });
  }
}
