package dev.rialto.jit.library;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.F32;

/** An array of a kernel whose elements are computed with as floats, however they are stored. */
sealed interface Floats {
  float get(long index);

  void set(long index, float value);

  /** Elements of 32 bits. */
  record Singles(F32 array) implements Floats {
    @Override
    public float get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, float value) {
      array.set(index, value);
    }
  }

  /** Elements of 16 bits with 5 of the exponent. */
  record Halves(F16 array) implements Floats {
    @Override
    public float get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, float value) {
      array.set(index, value);
    }
  }

  /** Elements of 16 bits with 8 of the exponent. */
  record Brains(BF16 array) implements Floats {
    @Override
    public float get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, float value) {
      array.set(index, value);
    }
  }
}
