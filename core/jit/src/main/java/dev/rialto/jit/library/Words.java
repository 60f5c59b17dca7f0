package dev.rialto.jit.library;

import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;

/** An array of a kernel whose elements are moved as they are, whatever their type. */
sealed interface Words {
  long get(long index);

  void set(long index, long value);

  static Words words(I64 array) {
    return new Eight(array);
  }

  static Words words(I32 array) {
    return new Four(array);
  }

  static Words words(I16 array) {
    return new Two(array);
  }

  static Words words(I8 array) {
    return new One(array);
  }

  /** Elements of 8 bytes. */
  record Eight(I64 array) implements Words {
    @Override
    public long get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, long value) {
      array.set(index, value);
    }
  }

  /** Elements of 4 bytes. */
  record Four(I32 array) implements Words {
    @Override
    public long get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, long value) {
      array.set(index, (int) value);
    }
  }

  /** Elements of 2 bytes. */
  record Two(I16 array) implements Words {
    @Override
    public long get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, long value) {
      array.set(index, (short) value);
    }
  }

  /** Elements of a byte. */
  record One(I8 array) implements Words {
    @Override
    public long get(long index) {
      return array.get(index);
    }

    @Override
    public void set(long index, long value) {
      array.set(index, (byte) value);
    }
  }

  /** Words of 4 bytes that a block shares. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record SharedInts(int[] array) implements Words {
    @Override
    public long get(long index) {
      return array[(int) index];
    }

    @Override
    public void set(long index, long value) {
      array[(int) index] = (int) value;
    }
  }

  /** Words of 8 bytes that a block shares. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record SharedLongs(long[] array) implements Words {
    @Override
    public long get(long index) {
      return array[(int) index];
    }

    @Override
    public void set(long index, long value) {
      array[(int) index] = value;
    }
  }
}
