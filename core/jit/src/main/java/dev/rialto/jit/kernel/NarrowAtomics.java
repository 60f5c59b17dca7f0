package dev.rialto.jit.kernel;

/**
 * Changes of elements of 8 and 16 bits that nothing comes in between. Devices replace such elements
 * if they are what is expected, most of them as part of a word; the others are written with that.
 */
interface NarrowAtomics extends Atomics {
  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  byte atomicCompareExchange(I8 array, long index, byte expected, byte value);

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  byte atomicCompareExchange(byte[] shared, int index, byte expected, byte value);

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  short atomicCompareExchange(I16 array, long index, short expected, short value);

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  short atomicCompareExchange(short[] shared, int index, short expected, short value);

  /** The value that an element gets. */
  interface Step {
    /** Returns the new value for an old one. */
    int of(int old);
  }

  /** The value that a 16-bit floating-point element gets. */
  interface RealStep {
    /** Returns the new value for an old one. */
    float of(float old);
  }

  private byte change(I8 array, long index, Step step) {
    byte old = 0;
    while (true) {
      byte seen = atomicCompareExchange(array, index, old, (byte) step.of(old));
      if (seen == old) {
        return old;
      }
      old = seen;
    }
  }

  private byte change(byte[] shared, int index, Step step) {
    byte old = 0;
    while (true) {
      byte seen = atomicCompareExchange(shared, index, old, (byte) step.of(old));
      if (seen == old) {
        return old;
      }
      old = seen;
    }
  }

  private short change(I16 array, long index, Step step) {
    short old = 0;
    while (true) {
      short seen = atomicCompareExchange(array, index, old, (short) step.of(old));
      if (seen == old) {
        return old;
      }
      old = seen;
    }
  }

  private short change(short[] shared, int index, Step step) {
    short old = 0;
    while (true) {
      short seen = atomicCompareExchange(shared, index, old, (short) step.of(old));
      if (seen == old) {
        return old;
      }
      old = seen;
    }
  }

  private float change(F16 array, long index, RealStep step) {
    short old = 0;
    while (true) {
      short next = Float.floatToFloat16(step.of(F16.number(old)));
      short seen = atomicCompareExchange(array.bits(), index, old, next);
      if (seen == old) {
        return F16.number(old);
      }
      old = seen;
    }
  }

  private float change(BF16 array, long index, RealStep step) {
    short old = 0;
    while (true) {
      short next = BF16.upperHalf(step.of(BF16.number(old)));
      short seen = atomicCompareExchange(array.bits(), index, old, next);
      if (seen == old) {
        return BF16.number(old);
      }
      old = seen;
    }
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default byte atomicAdd(I8 array, long index, byte value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default byte atomicAdd(byte[] shared, int index, byte value) {
    return change(shared, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default short atomicAdd(I16 array, long index, short value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default short atomicAdd(short[] shared, int index, short value) {
    return change(shared, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default float atomicAdd(F16 array, long index, float value) {
    return change(array, index, old -> old + value);
  }

  /** Adds to an element, as one step, and returns what it was before. */
  default float atomicAdd(BF16 array, long index, float value) {
    return change(array, index, old -> old + value);
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default byte atomicMin(I8 array, long index, byte value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default byte atomicMin(byte[] shared, int index, byte value) {
    return change(shared, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default short atomicMin(I16 array, long index, short value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default short atomicMin(short[] shared, int index, short value) {
    return change(shared, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default float atomicMin(F16 array, long index, float value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a smaller value, as one step, and returns what it was before. */
  default float atomicMin(BF16 array, long index, float value) {
    return change(array, index, old -> Math.min(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default byte atomicMax(I8 array, long index, byte value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default byte atomicMax(byte[] shared, int index, byte value) {
    return change(shared, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default short atomicMax(I16 array, long index, short value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default short atomicMax(short[] shared, int index, short value) {
    return change(shared, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default float atomicMax(F16 array, long index, float value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Replaces an element by a greater value, as one step, and returns what it was before. */
  default float atomicMax(BF16 array, long index, float value) {
    return change(array, index, old -> Math.max(old, value));
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default byte atomicAnd(I8 array, long index, byte value) {
    return change(array, index, old -> old & value);
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default byte atomicAnd(byte[] shared, int index, byte value) {
    return change(shared, index, old -> old & value);
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default short atomicAnd(I16 array, long index, short value) {
    return change(array, index, old -> old & value);
  }

  /** Keeps the bits that a value has too, as one step, and returns what was there before. */
  default short atomicAnd(short[] shared, int index, short value) {
    return change(shared, index, old -> old & value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default byte atomicOr(I8 array, long index, byte value) {
    return change(array, index, old -> old | value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default byte atomicOr(byte[] shared, int index, byte value) {
    return change(shared, index, old -> old | value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default short atomicOr(I16 array, long index, short value) {
    return change(array, index, old -> old | value);
  }

  /** Adds the bits of a value to an element, as one step, and returns what it was before. */
  default short atomicOr(short[] shared, int index, short value) {
    return change(shared, index, old -> old | value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default byte atomicXor(I8 array, long index, byte value) {
    return change(array, index, old -> old ^ value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default byte atomicXor(byte[] shared, int index, byte value) {
    return change(shared, index, old -> old ^ value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default short atomicXor(I16 array, long index, short value) {
    return change(array, index, old -> old ^ value);
  }

  /** Inverts the bits that a value has, as one step, and returns what was there before. */
  default short atomicXor(short[] shared, int index, short value) {
    return change(shared, index, old -> old ^ value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default byte atomicExchange(I8 array, long index, byte value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default byte atomicExchange(byte[] shared, int index, byte value) {
    return change(shared, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default short atomicExchange(I16 array, long index, short value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default short atomicExchange(short[] shared, int index, short value) {
    return change(shared, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default float atomicExchange(F16 array, long index, float value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element, as one step, and returns what it was before. */
  default float atomicExchange(BF16 array, long index, float value) {
    return change(array, index, _ -> value);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default float atomicCompareExchange(F16 array, long index, float expected, float value) {
    short seen =
        atomicCompareExchange(
            array.bits(), index, Float.floatToFloat16(expected), Float.floatToFloat16(value));
    return F16.number(seen);
  }

  /** Replaces an element if it has the expected bits, as one step; returns what it was before. */
  default float atomicCompareExchange(BF16 array, long index, float expected, float value) {
    short seen =
        atomicCompareExchange(array.bits(), index, BF16.upperHalf(expected), BF16.upperHalf(value));
    return BF16.number(seen);
  }
}
