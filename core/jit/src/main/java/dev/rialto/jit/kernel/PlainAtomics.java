package dev.rialto.jit.kernel;

/** Atomic steps of items of which one runs at a time: nothing can come in between. */
abstract class PlainAtomics implements Item {
  @Override
  public int atomicAdd(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, old + value);
    return old;
  }

  @Override
  public int atomicAdd(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = old + value;
    return old;
  }

  @Override
  public long atomicAdd(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, old + value);
    return old;
  }

  @Override
  public long atomicAdd(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = old + value;
    return old;
  }

  @Override
  public float atomicAdd(F32 array, long index, float value) {
    float old = array.get(index);
    array.set(index, old + value);
    return old;
  }

  @Override
  public float atomicAdd(float[] shared, int index, float value) {
    float old = shared[index];
    shared[index] = old + value;
    return old;
  }

  @Override
  public double atomicAdd(F64 array, long index, double value) {
    double old = array.get(index);
    array.set(index, old + value);
    return old;
  }

  @Override
  public double atomicAdd(double[] shared, int index, double value) {
    double old = shared[index];
    shared[index] = old + value;
    return old;
  }

  @Override
  public int atomicMin(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, Math.min(old, value));
    return old;
  }

  @Override
  public int atomicMin(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = Math.min(old, value);
    return old;
  }

  @Override
  public long atomicMin(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, Math.min(old, value));
    return old;
  }

  @Override
  public long atomicMin(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = Math.min(old, value);
    return old;
  }

  @Override
  public float atomicMin(F32 array, long index, float value) {
    float old = array.get(index);
    array.set(index, Math.min(old, value));
    return old;
  }

  @Override
  public float atomicMin(float[] shared, int index, float value) {
    float old = shared[index];
    shared[index] = Math.min(old, value);
    return old;
  }

  @Override
  public double atomicMin(F64 array, long index, double value) {
    double old = array.get(index);
    array.set(index, Math.min(old, value));
    return old;
  }

  @Override
  public double atomicMin(double[] shared, int index, double value) {
    double old = shared[index];
    shared[index] = Math.min(old, value);
    return old;
  }

  @Override
  public int atomicMax(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, Math.max(old, value));
    return old;
  }

  @Override
  public int atomicMax(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = Math.max(old, value);
    return old;
  }

  @Override
  public long atomicMax(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, Math.max(old, value));
    return old;
  }

  @Override
  public long atomicMax(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = Math.max(old, value);
    return old;
  }

  @Override
  public float atomicMax(F32 array, long index, float value) {
    float old = array.get(index);
    array.set(index, Math.max(old, value));
    return old;
  }

  @Override
  public float atomicMax(float[] shared, int index, float value) {
    float old = shared[index];
    shared[index] = Math.max(old, value);
    return old;
  }

  @Override
  public double atomicMax(F64 array, long index, double value) {
    double old = array.get(index);
    array.set(index, Math.max(old, value));
    return old;
  }

  @Override
  public double atomicMax(double[] shared, int index, double value) {
    double old = shared[index];
    shared[index] = Math.max(old, value);
    return old;
  }

  @Override
  public int atomicAnd(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, old & value);
    return old;
  }

  @Override
  public int atomicAnd(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = old & value;
    return old;
  }

  @Override
  public long atomicAnd(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, old & value);
    return old;
  }

  @Override
  public long atomicAnd(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = old & value;
    return old;
  }

  @Override
  public int atomicOr(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, old | value);
    return old;
  }

  @Override
  public int atomicOr(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = old | value;
    return old;
  }

  @Override
  public long atomicOr(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, old | value);
    return old;
  }

  @Override
  public long atomicOr(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = old | value;
    return old;
  }

  @Override
  public int atomicXor(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, old ^ value);
    return old;
  }

  @Override
  public int atomicXor(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = old ^ value;
    return old;
  }

  @Override
  public long atomicXor(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, old ^ value);
    return old;
  }

  @Override
  public long atomicXor(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = old ^ value;
    return old;
  }

  @Override
  public int atomicExchange(I32 array, long index, int value) {
    int old = array.get(index);
    array.set(index, value);
    return old;
  }

  @Override
  public int atomicExchange(int[] shared, int index, int value) {
    int old = shared[index];
    shared[index] = value;
    return old;
  }

  @Override
  public long atomicExchange(I64 array, long index, long value) {
    long old = array.get(index);
    array.set(index, value);
    return old;
  }

  @Override
  public long atomicExchange(long[] shared, int index, long value) {
    long old = shared[index];
    shared[index] = value;
    return old;
  }

  @Override
  public float atomicExchange(F32 array, long index, float value) {
    float old = array.get(index);
    array.set(index, value);
    return old;
  }

  @Override
  public float atomicExchange(float[] shared, int index, float value) {
    float old = shared[index];
    shared[index] = value;
    return old;
  }

  @Override
  public double atomicExchange(F64 array, long index, double value) {
    double old = array.get(index);
    array.set(index, value);
    return old;
  }

  @Override
  public double atomicExchange(double[] shared, int index, double value) {
    double old = shared[index];
    shared[index] = value;
    return old;
  }

  @Override
  public int atomicCompareExchange(I32 array, long index, int expected, int value) {
    int old = array.get(index);
    array.set(index, old == expected ? value : old);
    return old;
  }

  @Override
  public int atomicCompareExchange(int[] shared, int index, int expected, int value) {
    int old = shared[index];
    shared[index] = old == expected ? value : old;
    return old;
  }

  @Override
  public long atomicCompareExchange(I64 array, long index, long expected, long value) {
    long old = array.get(index);
    array.set(index, old == expected ? value : old);
    return old;
  }

  @Override
  public long atomicCompareExchange(long[] shared, int index, long expected, long value) {
    long old = shared[index];
    shared[index] = old == expected ? value : old;
    return old;
  }

  @Override
  public float atomicCompareExchange(F32 array, long index, float expected, float value) {
    float old = array.get(index);
    array.set(
        index, Float.floatToRawIntBits(old) == Float.floatToRawIntBits(expected) ? value : old);
    return old;
  }

  @Override
  public float atomicCompareExchange(float[] shared, int index, float expected, float value) {
    float old = shared[index];
    shared[index] = Float.floatToRawIntBits(old) == Float.floatToRawIntBits(expected) ? value : old;
    return old;
  }

  @Override
  public double atomicCompareExchange(F64 array, long index, double expected, double value) {
    double old = array.get(index);
    array.set(
        index,
        Double.doubleToRawLongBits(old) == Double.doubleToRawLongBits(expected) ? value : old);
    return old;
  }

  @Override
  public double atomicCompareExchange(double[] shared, int index, double expected, double value) {
    double old = shared[index];
    shared[index] =
        Double.doubleToRawLongBits(old) == Double.doubleToRawLongBits(expected) ? value : old;
    return old;
  }
}
