package dev.rialto.array.part;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.Layout;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;

/** Copies the elements that a rank owns, without gaps, to the caller's memory and back. */
public final class ElementCopy {
  private ElementCopy() {}

  public static void read(Operand array, MemorySegment target) {
    long bytes = array.owned().bytes();
    HostMemory.requireWritable(target, bytes, "the target");
    if (array.isOnDevice()) {
      array.usable("reading").read(target.asSlice(0, bytes));
    } else {
      pack(array, array.local(), target);
    }
  }

  /** Sets the elements of an array that is not in use, as {@link #read} gives them. */
  public static void write(Operand array, MemorySegment source) {
    long bytes = array.owned().bytes();
    HostMemory.requireReadable(source, bytes, "the source");
    if (array.isOnDevice()) {
      array.usable("writing").write(source.asSlice(0, bytes));
    } else {
      unpack(array, source, array.local());
    }
  }

  /** Copies elements from an array's memory to memory that has room for them. */
  public static void pack(Operand array, MemorySegment from, MemorySegment target) {
    StridedCopy.of(array.owned(), together(array)).run(from, target);
  }

  /** Copies elements that lie without gaps to an array's memory. */
  public static void unpack(Operand array, MemorySegment source, MemorySegment to) {
    StridedCopy.of(together(array), array.owned()).run(source, to);
  }

  private static Layout together(Operand array) {
    return Layout.contiguous(array.owned().type(), array.owned().count());
  }
}
