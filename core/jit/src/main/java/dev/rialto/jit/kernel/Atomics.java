package dev.rialto.jit.kernel;

import java.util.function.DoubleUnaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Changes of elements that nothing comes in between, of parameters of a kernel and of arrays that a
 * block shares. Floating-point numbers are compared as {@link Math#min(double, double)} does it,
 * but for {@code atomicCompareExchange}, which compares bits.
 *
 * <p>Devices have instructions for them. The methods are for items of which one runs at a time, as
 * in a plain run.
 */
interface Atomics {
  /** The value that a float gets. */
  interface FloatStep {
    /** Returns the new value for an old one. */
    float of(float old);
  }

  private int change(I32 array, long index, IntUnaryOperator next) {
    int old = array.get(index);
    array.set(index, next.applyAsInt(old));
    return old;
  }

  private int change(int[] shared, int index, IntUnaryOperator next) {
    int old = shared[index];
    shared[index] = next.applyAsInt(old);
    return old;
  }

  private long change(I64 array, long index, LongUnaryOperator next) {
    long old = array.get(index);
    array.set(index, next.applyAsLong(old));
    return old;
  }

  private long change(long[] shared, int index, LongUnaryOperator next) {
    long old = shared[index];
    shared[index] = next.applyAsLong(old);
    return old;
  }

  private float change(F32 array, long index, FloatStep next) {
    float old = array.get(index);
    array.set(index, next.of(old));
    return old;
  }

  private float change(float[] shared, int index, FloatStep next) {
    float old = shared[index];
    shared[index] = next.of(old);
    return old;
  }

  private double change(F64 array, long index, DoubleUnaryOperator next) {
    double old = array.get(index);
    array.set(index, next.applyAsDouble(old));
    return old;
  }

  private double change(double[] shared, int index, DoubleUnaryOperator next) {
    double old = shared[index];
    shared[index] = next.applyAsDouble(old);
    return old;
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default int atomicGet(I32 array, long index) {
    return array.get(index);
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default int atomicGet(int[] shared, int index) {
    return shared[index];
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default long atomicGet(I64 array, long index) {
    return array.get(index);
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default long atomicGet(long[] shared, int index) {
    return shared[index];
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default float atomicGet(F32 array, long index) {
    return array.get(index);
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default float atomicGet(float[] shared, int index) {
    return shared[index];
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default double atomicGet(F64 array, long index) {
    return array.get(index);
  }

  /** Returns an element as other items have changed it last, while they still run. */
  default double atomicGet(double[] shared, int index) {
    return shared[index];
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default int atomicAdd(I32 array, long index, int value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default int atomicAdd(int[] shared, int index, int value) {
    return change(shared, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default long atomicAdd(I64 array, long index, long value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default long atomicAdd(long[] shared, int index, long value) {
    return change(shared, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default float atomicAdd(F32 array, long index, float value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default float atomicAdd(float[] shared, int index, float value) {
    return change(shared, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default double atomicAdd(F64 array, long index, double value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default double atomicAdd(double[] shared, int index, double value) {
    return change(shared, index, old -> old + value);
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default int atomicMin(I32 array, long index, int value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default int atomicMin(int[] shared, int index, int value) {
    return change(shared, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default long atomicMin(I64 array, long index, long value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default long atomicMin(long[] shared, int index, long value) {
    return change(shared, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default float atomicMin(F32 array, long index, float value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default float atomicMin(float[] shared, int index, float value) {
    return change(shared, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default double atomicMin(F64 array, long index, double value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default double atomicMin(double[] shared, int index, double value) {
    return change(shared, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default int atomicMax(I32 array, long index, int value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default int atomicMax(int[] shared, int index, int value) {
    return change(shared, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default long atomicMax(I64 array, long index, long value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default long atomicMax(long[] shared, int index, long value) {
    return change(shared, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default float atomicMax(F32 array, long index, float value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default float atomicMax(float[] shared, int index, float value) {
    return change(shared, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default double atomicMax(F64 array, long index, double value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default double atomicMax(double[] shared, int index, double value) {
    return change(shared, index, old -> Math.max(old, value));
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default int atomicAnd(I32 array, long index, int value) {
    return change(array, index, old -> old & value);
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default int atomicAnd(int[] shared, int index, int value) {
    return change(shared, index, old -> old & value);
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default long atomicAnd(I64 array, long index, long value) {
    return change(array, index, old -> old & value);
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default long atomicAnd(long[] shared, int index, long value) {
    return change(shared, index, old -> old & value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default int atomicOr(I32 array, long index, int value) {
    return change(array, index, old -> old | value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default int atomicOr(int[] shared, int index, int value) {
    return change(shared, index, old -> old | value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default long atomicOr(I64 array, long index, long value) {
    return change(array, index, old -> old | value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default long atomicOr(long[] shared, int index, long value) {
    return change(shared, index, old -> old | value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default int atomicXor(I32 array, long index, int value) {
    return change(array, index, old -> old ^ value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default int atomicXor(int[] shared, int index, int value) {
    return change(shared, index, old -> old ^ value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default long atomicXor(I64 array, long index, long value) {
    return change(array, index, old -> old ^ value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default long atomicXor(long[] shared, int index, long value) {
    return change(shared, index, old -> old ^ value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default int atomicExchange(I32 array, long index, int value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default int atomicExchange(int[] shared, int index, int value) {
    return change(shared, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default long atomicExchange(I64 array, long index, long value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default long atomicExchange(long[] shared, int index, long value) {
    return change(shared, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default float atomicExchange(F32 array, long index, float value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default float atomicExchange(float[] shared, int index, float value) {
    return change(shared, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default double atomicExchange(F64 array, long index, double value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default double atomicExchange(double[] shared, int index, double value) {
    return change(shared, index, _ -> value);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default int atomicCompareExchange(I32 array, long index, int expected, int value) {
    return change(array, index, old -> old == expected ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default int atomicCompareExchange(int[] shared, int index, int expected, int value) {
    return change(shared, index, old -> old == expected ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default long atomicCompareExchange(I64 array, long index, long expected, long value) {
    return change(array, index, old -> old == expected ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default long atomicCompareExchange(long[] shared, int index, long expected, long value) {
    return change(shared, index, old -> old == expected ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default float atomicCompareExchange(F32 array, long index, float expected, float value) {
    return change(array, index, old -> isSame(old, expected) ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default float atomicCompareExchange(float[] shared, int index, float expected, float value) {
    return change(shared, index, old -> isSame(old, expected) ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default double atomicCompareExchange(F64 array, long index, double expected, double value) {
    return change(array, index, old -> isSame(old, expected) ? value : old);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default double atomicCompareExchange(double[] shared, int index, double expected, double value) {
    return change(shared, index, old -> isSame(old, expected) ? value : old);
  }

  /** By bits: a NaN is itself, and the zeros differ, as in a compiled kernel. */
  private static boolean isSame(float one, float other) {
    return Float.floatToRawIntBits(one) == Float.floatToRawIntBits(other);
  }

  private static boolean isSame(double one, double other) {
    return Double.doubleToRawLongBits(one) == Double.doubleToRawLongBits(other);
  }
}
