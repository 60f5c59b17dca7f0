package dev.rialto.jit.kernel.host;

import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Item;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;

/** Atomic steps of items of which one runs at a time: nothing can come in between. */
abstract class PlainAtomics implements Item {
  /** A new value for a float. */
  private interface FloatStep {
    float applyAsFloat(float old);
  }

  private static int step(I32 array, long index, IntUnaryOperator next) {
    int old = array.get(index);
    array.set(index, next.applyAsInt(old));
    return old;
  }

  private static int step(int[] shared, int index, IntUnaryOperator next) {
    int old = shared[index];
    shared[index] = next.applyAsInt(old);
    return old;
  }

  private static long step(I64 array, long index, LongUnaryOperator next) {
    long old = array.get(index);
    array.set(index, next.applyAsLong(old));
    return old;
  }

  private static long step(long[] shared, int index, LongUnaryOperator next) {
    long old = shared[index];
    shared[index] = next.applyAsLong(old);
    return old;
  }

  private static float step(F32 array, long index, FloatStep next) {
    float old = array.get(index);
    array.set(index, next.applyAsFloat(old));
    return old;
  }

  private static float step(float[] shared, int index, FloatStep next) {
    float old = shared[index];
    shared[index] = next.applyAsFloat(old);
    return old;
  }

  private static double step(F64 array, long index, DoubleUnaryOperator next) {
    double old = array.get(index);
    array.set(index, next.applyAsDouble(old));
    return old;
  }

  private static double step(double[] shared, int index, DoubleUnaryOperator next) {
    double old = shared[index];
    shared[index] = next.applyAsDouble(old);
    return old;
  }

  @Override
  public int atomicAdd(I32 array, long index, int value) {
    return step(array, index, old -> old + value);
  }

  @Override
  public int atomicAdd(int[] shared, int index, int value) {
    return step(shared, index, old -> old + value);
  }

  @Override
  public long atomicAdd(I64 array, long index, long value) {
    return step(array, index, old -> old + value);
  }

  @Override
  public long atomicAdd(long[] shared, int index, long value) {
    return step(shared, index, old -> old + value);
  }

  @Override
  public float atomicAdd(F32 array, long index, float value) {
    return step(array, index, old -> old + value);
  }

  @Override
  public float atomicAdd(float[] shared, int index, float value) {
    return step(shared, index, old -> old + value);
  }

  @Override
  public double atomicAdd(F64 array, long index, double value) {
    return step(array, index, old -> old + value);
  }

  @Override
  public double atomicAdd(double[] shared, int index, double value) {
    return step(shared, index, old -> old + value);
  }

  @Override
  public int atomicMin(I32 array, long index, int value) {
    return step(array, index, old -> Math.min(old, value));
  }

  @Override
  public int atomicMin(int[] shared, int index, int value) {
    return step(shared, index, old -> Math.min(old, value));
  }

  @Override
  public long atomicMin(I64 array, long index, long value) {
    return step(array, index, old -> Math.min(old, value));
  }

  @Override
  public long atomicMin(long[] shared, int index, long value) {
    return step(shared, index, old -> Math.min(old, value));
  }

  @Override
  public float atomicMin(F32 array, long index, float value) {
    return step(array, index, old -> Math.min(old, value));
  }

  @Override
  public float atomicMin(float[] shared, int index, float value) {
    return step(shared, index, old -> Math.min(old, value));
  }

  @Override
  public double atomicMin(F64 array, long index, double value) {
    return step(array, index, old -> Math.min(old, value));
  }

  @Override
  public double atomicMin(double[] shared, int index, double value) {
    return step(shared, index, old -> Math.min(old, value));
  }

  @Override
  public int atomicMax(I32 array, long index, int value) {
    return step(array, index, old -> Math.max(old, value));
  }

  @Override
  public int atomicMax(int[] shared, int index, int value) {
    return step(shared, index, old -> Math.max(old, value));
  }

  @Override
  public long atomicMax(I64 array, long index, long value) {
    return step(array, index, old -> Math.max(old, value));
  }

  @Override
  public long atomicMax(long[] shared, int index, long value) {
    return step(shared, index, old -> Math.max(old, value));
  }

  @Override
  public float atomicMax(F32 array, long index, float value) {
    return step(array, index, old -> Math.max(old, value));
  }

  @Override
  public float atomicMax(float[] shared, int index, float value) {
    return step(shared, index, old -> Math.max(old, value));
  }

  @Override
  public double atomicMax(F64 array, long index, double value) {
    return step(array, index, old -> Math.max(old, value));
  }

  @Override
  public double atomicMax(double[] shared, int index, double value) {
    return step(shared, index, old -> Math.max(old, value));
  }

  @Override
  public int atomicAnd(I32 array, long index, int value) {
    return step(array, index, old -> old & value);
  }

  @Override
  public int atomicAnd(int[] shared, int index, int value) {
    return step(shared, index, old -> old & value);
  }

  @Override
  public long atomicAnd(I64 array, long index, long value) {
    return step(array, index, old -> old & value);
  }

  @Override
  public long atomicAnd(long[] shared, int index, long value) {
    return step(shared, index, old -> old & value);
  }

  @Override
  public int atomicOr(I32 array, long index, int value) {
    return step(array, index, old -> old | value);
  }

  @Override
  public int atomicOr(int[] shared, int index, int value) {
    return step(shared, index, old -> old | value);
  }

  @Override
  public long atomicOr(I64 array, long index, long value) {
    return step(array, index, old -> old | value);
  }

  @Override
  public long atomicOr(long[] shared, int index, long value) {
    return step(shared, index, old -> old | value);
  }

  @Override
  public int atomicXor(I32 array, long index, int value) {
    return step(array, index, old -> old ^ value);
  }

  @Override
  public int atomicXor(int[] shared, int index, int value) {
    return step(shared, index, old -> old ^ value);
  }

  @Override
  public long atomicXor(I64 array, long index, long value) {
    return step(array, index, old -> old ^ value);
  }

  @Override
  public long atomicXor(long[] shared, int index, long value) {
    return step(shared, index, old -> old ^ value);
  }

  @Override
  public int atomicExchange(I32 array, long index, int value) {
    return step(array, index, _ -> value);
  }

  @Override
  public int atomicExchange(int[] shared, int index, int value) {
    return step(shared, index, _ -> value);
  }

  @Override
  public long atomicExchange(I64 array, long index, long value) {
    return step(array, index, _ -> value);
  }

  @Override
  public long atomicExchange(long[] shared, int index, long value) {
    return step(shared, index, _ -> value);
  }

  @Override
  public float atomicExchange(F32 array, long index, float value) {
    return step(array, index, _ -> value);
  }

  @Override
  public float atomicExchange(float[] shared, int index, float value) {
    return step(shared, index, _ -> value);
  }

  @Override
  public double atomicExchange(F64 array, long index, double value) {
    return step(array, index, _ -> value);
  }

  @Override
  public double atomicExchange(double[] shared, int index, double value) {
    return step(shared, index, _ -> value);
  }

  @Override
  public int atomicCompareExchange(I32 array, long index, int expected, int value) {
    return step(array, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public int atomicCompareExchange(int[] shared, int index, int expected, int value) {
    return step(shared, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public long atomicCompareExchange(I64 array, long index, long expected, long value) {
    return step(array, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public long atomicCompareExchange(long[] shared, int index, long expected, long value) {
    return step(shared, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public float atomicCompareExchange(F32 array, long index, float expected, float value) {
    return step(array, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public float atomicCompareExchange(float[] shared, int index, float expected, float value) {
    return step(shared, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public double atomicCompareExchange(F64 array, long index, double expected, double value) {
    return step(array, index, old -> isSame(old, expected) ? value : old);
  }

  @Override
  public double atomicCompareExchange(double[] shared, int index, double expected, double value) {
    return step(shared, index, old -> isSame(old, expected) ? value : old);
  }

  private static boolean isSame(int one, int other) {
    return one == other;
  }

  private static boolean isSame(long one, long other) {
    return one == other;
  }

  /** By bits: a NaN is itself, and the zeros differ, as in a compiled kernel. */
  private static boolean isSame(float one, float other) {
    return Float.floatToRawIntBits(one) == Float.floatToRawIntBits(other);
  }

  private static boolean isSame(double one, double other) {
    return Double.doubleToRawLongBits(one) == Double.doubleToRawLongBits(other);
  }

  @Override
  public byte atomicCompareExchange(I8 array, long index, byte expected, byte value) {
    byte old = array.get(index);
    array.set(index, old == expected ? value : old);
    return old;
  }

  @Override
  public byte atomicCompareExchange(byte[] shared, int index, byte expected, byte value) {
    byte old = shared[index];
    shared[index] = old == expected ? value : old;
    return old;
  }

  @Override
  public short atomicCompareExchange(I16 array, long index, short expected, short value) {
    short old = array.get(index);
    array.set(index, old == expected ? value : old);
    return old;
  }

  @Override
  public short atomicCompareExchange(short[] shared, int index, short expected, short value) {
    short old = shared[index];
    shared[index] = old == expected ? value : old;
    return old;
  }
}
