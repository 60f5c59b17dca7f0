package dev.rialto.spi.code;

import dev.rialto.spi.code.Type.Kind;

/**
 * Memory that a procedure reads and writes.
 *
 * @param name unique in the procedure; letters, digits and underscores
 * @param storage what an element is in memory
 * @param elements how many there are; 0 for a parameter whose size only the caller knows
 * @param local whether each call has an array of its own, zeros at first, instead of a parameter
 * @param byValue whether launches on a device pass the elements themselves: a parameter of I64
 *     whose size is known and that is read at constant offsets. Code that the host's threads call
 *     gets memory for it as for the others
 */
public record Buffer(String name, Storage storage, long elements, boolean local, boolean byValue) {
  /** Memory that is not passed by value. */
  public Buffer(String name, Storage storage, long elements, boolean local) {
    this(name, storage, elements, local, false);
  }

  /** The form of elements in memory, and what they become when loaded. */
  public enum Storage {
    /** Bytes; loaded with their sign. */
    I8(1, Kind.I32),
    /** 16-bit integers, also the bits of 16-bit floating-point numbers; loaded with their sign. */
    I16(2, Kind.I32),
    /** 32-bit integers. */
    I32(4, Kind.I32),
    /** 64-bit integers. */
    I64(8, Kind.I64),
    /** Binary32. */
    F32(4, Kind.F32),
    /** Binary64. */
    F64(8, Kind.F64);

    private final int bytes;
    private final Kind register;

    Storage(int bytes, Kind register) {
      this.bytes = bytes;
      this.register = register;
    }

    /** Returns the bytes of an element. */
    public int bytes() {
      return bytes;
    }

    /** Returns what an element is once loaded; storing keeps the low bits. */
    public Kind register() {
      return register;
    }
  }
}
