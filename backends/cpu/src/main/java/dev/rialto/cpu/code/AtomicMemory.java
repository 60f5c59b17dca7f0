package dev.rialto.cpu.code;

import static dev.rialto.system.AddressSpace.MEMORY;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * Atomic steps that generated classes call, by address. All have the same parameters: the operand,
 * and the value that a compare-and-set expects. Each returns the element's value from before.
 */
@SuppressWarnings("unused") // by generated classes, which pass what the operation needs or not
final class AtomicMemory {
  private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();
  private static final boolean BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
  private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

  private AtomicMemory() {}

  static int add(long address, int value, int unused) {
    return (int) INTS.getAndAdd(MEMORY, address, value);
  }

  static int and(long address, int value, int unused) {
    return (int) INTS.getAndBitwiseAnd(MEMORY, address, value);
  }

  static int or(long address, int value, int unused) {
    return (int) INTS.getAndBitwiseOr(MEMORY, address, value);
  }

  static int xor(long address, int value, int unused) {
    return (int) INTS.getAndBitwiseXor(MEMORY, address, value);
  }

  static int get(long address, int unused, int alsoUnused) {
    return (int) INTS.getVolatile(MEMORY, address);
  }

  static int exchange(long address, int value, int unused) {
    return (int) INTS.getAndSet(MEMORY, address, value);
  }

  static int min(long address, int value, int unused) {
    return updateInt(address, value, Math::min);
  }

  static int max(long address, int value, int unused) {
    return updateInt(address, value, Math::max);
  }

  static int compareAndSet(long address, int value, int expected) {
    return (int) INTS.compareAndExchange(MEMORY, address, expected, value);
  }

  static int compareAndSetByte(long address, int value, int expected) {
    return compareAndSetPart(address, 0xff, (byte) expected, value);
  }

  static int compareAndSetShort(long address, int value, int expected) {
    return compareAndSetPart(address, 0xffff, (short) expected, value);
  }

  /** Memory has no such step for less than a word. */
  private static int compareAndSetPart(long address, int bits, int expected, int value) {
    long word = address & -4;
    int at = (int) (address & 3) * 8;
    int shift = BIG_ENDIAN ? 32 - Integer.bitCount(bits) - at : at;
    while (true) {
      int old = (int) INTS.getVolatile(MEMORY, word);
      int part = bits == 0xff ? (byte) (old >> shift) : (short) (old >> shift);
      int next = (old & ~(bits << shift)) | ((value & bits) << shift);
      if (part != expected || INTS.compareAndSet(MEMORY, word, old, next)) {
        return part;
      }
    }
  }

  static long add(long address, long value, long unused) {
    return (long) LONGS.getAndAdd(MEMORY, address, value);
  }

  static long and(long address, long value, long unused) {
    return (long) LONGS.getAndBitwiseAnd(MEMORY, address, value);
  }

  static long or(long address, long value, long unused) {
    return (long) LONGS.getAndBitwiseOr(MEMORY, address, value);
  }

  static long xor(long address, long value, long unused) {
    return (long) LONGS.getAndBitwiseXor(MEMORY, address, value);
  }

  static long get(long address, long unused, long alsoUnused) {
    return (long) LONGS.getVolatile(MEMORY, address);
  }

  static long exchange(long address, long value, long unused) {
    return (long) LONGS.getAndSet(MEMORY, address, value);
  }

  static long min(long address, long value, long unused) {
    return updateLong(address, value, Math::min);
  }

  static long max(long address, long value, long unused) {
    return updateLong(address, value, Math::max);
  }

  static long compareAndSet(long address, long value, long expected) {
    return (long) LONGS.compareAndExchange(MEMORY, address, expected, value);
  }

  static float add(long address, float value, float unused) {
    return updateFloat(address, value, Float::sum);
  }

  static float min(long address, float value, float unused) {
    return updateFloat(address, value, Math::min);
  }

  static float max(long address, float value, float unused) {
    return updateFloat(address, value, Math::max);
  }

  static float get(long address, float unused, float alsoUnused) {
    return Float.intBitsToFloat((int) INTS.getVolatile(MEMORY, address));
  }

  static float exchange(long address, float value, float unused) {
    return Float.intBitsToFloat(
        (int) INTS.getAndSet(MEMORY, address, Float.floatToRawIntBits(value)));
  }

  static float compareAndSet(long address, float value, float expected) {
    return Float.intBitsToFloat(
        (int)
            INTS.compareAndExchange(
                MEMORY,
                address,
                Float.floatToRawIntBits(expected),
                Float.floatToRawIntBits(value)));
  }

  static double add(long address, double value, double unused) {
    return updateDouble(address, value, Double::sum);
  }

  static double min(long address, double value, double unused) {
    return updateDouble(address, value, Math::min);
  }

  static double max(long address, double value, double unused) {
    return updateDouble(address, value, Math::max);
  }

  static double get(long address, double unused, double alsoUnused) {
    return Double.longBitsToDouble((long) LONGS.getVolatile(MEMORY, address));
  }

  static double exchange(long address, double value, double unused) {
    return Double.longBitsToDouble(
        (long) LONGS.getAndSet(MEMORY, address, Double.doubleToRawLongBits(value)));
  }

  static double compareAndSet(long address, double value, double expected) {
    return Double.longBitsToDouble(
        (long)
            LONGS.compareAndExchange(
                MEMORY,
                address,
                Double.doubleToRawLongBits(expected),
                Double.doubleToRawLongBits(value)));
  }

  /** Combines two floats. */
  private interface FloatCombination {
    float of(float old, float value);
  }

  private static int updateInt(long address, int value, IntBinaryOperator operation) {
    int old;
    do {
      old = (int) INTS.getVolatile(MEMORY, address);
    } while (!INTS.compareAndSet(MEMORY, address, old, operation.applyAsInt(old, value)));
    return old;
  }

  private static long updateLong(long address, long value, LongBinaryOperator operation) {
    long old;
    do {
      old = (long) LONGS.getVolatile(MEMORY, address);
    } while (!LONGS.compareAndSet(MEMORY, address, old, operation.applyAsLong(old, value)));
    return old;
  }

  private static float updateFloat(long address, float value, FloatCombination operation) {
    int old;
    int next;
    do {
      old = (int) INTS.getVolatile(MEMORY, address);
      next = Float.floatToRawIntBits(operation.of(Float.intBitsToFloat(old), value));
    } while (!INTS.compareAndSet(MEMORY, address, old, next));
    return Float.intBitsToFloat(old);
  }

  private static double updateDouble(long address, double value, DoubleBinaryOperator operation) {
    long old;
    long next;
    do {
      old = (long) LONGS.getVolatile(MEMORY, address);
      next =
          Double.doubleToRawLongBits(operation.applyAsDouble(Double.longBitsToDouble(old), value));
    } while (!LONGS.compareAndSet(MEMORY, address, old, next));
    return Double.longBitsToDouble(old);
  }
}
