package dev.rialto.jit.kernel;

/**
 * Changes of elements that nothing comes in between, of parameters of a kernel and of arrays that a
 * block shares. Floating-point numbers are compared as {@link Math#min(double, double)} does it,
 * but for {@code atomicCompareExchange}, which compares bits.
 */
interface Atomics {
  /** Adds to an element, as one step, and returns what it was before. */
  int atomicAdd(I32 array, long index, int value);

  /** Adds to an element, as one step, and returns what it was before. */
  int atomicAdd(int[] shared, int index, int value);

  /** Adds to an element, as one step, and returns what it was before. */
  long atomicAdd(I64 array, long index, long value);

  /** Adds to an element, as one step, and returns what it was before. */
  long atomicAdd(long[] shared, int index, long value);

  /** Adds to an element, as one step, and returns what it was before. */
  float atomicAdd(F32 array, long index, float value);

  /** Adds to an element, as one step, and returns what it was before. */
  float atomicAdd(float[] shared, int index, float value);

  /** Adds to an element, as one step, and returns what it was before. */
  double atomicAdd(F64 array, long index, double value);

  /** Adds to an element, as one step, and returns what it was before. */
  double atomicAdd(double[] shared, int index, double value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  int atomicMin(I32 array, long index, int value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  int atomicMin(int[] shared, int index, int value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  long atomicMin(I64 array, long index, long value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  long atomicMin(long[] shared, int index, long value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  float atomicMin(F32 array, long index, float value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  float atomicMin(float[] shared, int index, float value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  double atomicMin(F64 array, long index, double value);

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  double atomicMin(double[] shared, int index, double value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  int atomicMax(I32 array, long index, int value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  int atomicMax(int[] shared, int index, int value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  long atomicMax(I64 array, long index, long value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  long atomicMax(long[] shared, int index, long value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  float atomicMax(F32 array, long index, float value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  float atomicMax(float[] shared, int index, float value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  double atomicMax(F64 array, long index, double value);

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  double atomicMax(double[] shared, int index, double value);

  /**
   * Keeps the bits of an element that a value has too, as one step, and returns what it was before.
   */
  int atomicAnd(I32 array, long index, int value);

  /**
   * Keeps the bits of an element that a value has too, as one step, and returns what it was before.
   */
  int atomicAnd(int[] shared, int index, int value);

  /**
   * Keeps the bits of an element that a value has too, as one step, and returns what it was before.
   */
  long atomicAnd(I64 array, long index, long value);

  /**
   * Keeps the bits of an element that a value has too, as one step, and returns what it was before.
   */
  long atomicAnd(long[] shared, int index, long value);

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  int atomicOr(I32 array, long index, int value);

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  int atomicOr(int[] shared, int index, int value);

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  long atomicOr(I64 array, long index, long value);

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  long atomicOr(long[] shared, int index, long value);

  /**
   * Inverts the bits of an element that a value has, as one step, and returns what it was before.
   */
  int atomicXor(I32 array, long index, int value);

  /**
   * Inverts the bits of an element that a value has, as one step, and returns what it was before.
   */
  int atomicXor(int[] shared, int index, int value);

  /**
   * Inverts the bits of an element that a value has, as one step, and returns what it was before.
   */
  long atomicXor(I64 array, long index, long value);

  /**
   * Inverts the bits of an element that a value has, as one step, and returns what it was before.
   */
  long atomicXor(long[] shared, int index, long value);

  /** Replaces an element, as one step, and returns what it was before. */
  int atomicExchange(I32 array, long index, int value);

  /** Replaces an element, as one step, and returns what it was before. */
  int atomicExchange(int[] shared, int index, int value);

  /** Replaces an element, as one step, and returns what it was before. */
  long atomicExchange(I64 array, long index, long value);

  /** Replaces an element, as one step, and returns what it was before. */
  long atomicExchange(long[] shared, int index, long value);

  /** Replaces an element, as one step, and returns what it was before. */
  float atomicExchange(F32 array, long index, float value);

  /** Replaces an element, as one step, and returns what it was before. */
  float atomicExchange(float[] shared, int index, float value);

  /** Replaces an element, as one step, and returns what it was before. */
  double atomicExchange(F64 array, long index, double value);

  /** Replaces an element, as one step, and returns what it was before. */
  double atomicExchange(double[] shared, int index, double value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  int atomicCompareExchange(I32 array, long index, int expected, int value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  int atomicCompareExchange(int[] shared, int index, int expected, int value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  long atomicCompareExchange(I64 array, long index, long expected, long value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  long atomicCompareExchange(long[] shared, int index, long expected, long value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  float atomicCompareExchange(F32 array, long index, float expected, float value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  float atomicCompareExchange(float[] shared, int index, float expected, float value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  double atomicCompareExchange(F64 array, long index, double expected, double value);

  /**
   * Replaces an element if it has the expected bits, as one step, and returns what it was before.
   */
  double atomicCompareExchange(double[] shared, int index, double expected, double value);
}
