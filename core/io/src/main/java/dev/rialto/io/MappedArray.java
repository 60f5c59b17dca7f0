package dev.rialto.io;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * The elements of an array in a file that is mapped into memory, in whatever order and byte order
 * the file has them: parts are copied to native row-major memory without the rest.
 */
final class MappedArray {
  private static final ValueLayout.OfShort SHORT = swapped(ValueLayout.JAVA_SHORT_UNALIGNED);
  private static final ValueLayout.OfInt INT = swapped(ValueLayout.JAVA_INT_UNALIGNED);
  private static final ValueLayout.OfLong LONG = swapped(ValueLayout.JAVA_LONG_UNALIGNED);

  private final Path path;
  private final MemorySegment data;
  private final DType type;
  private final Shape shape;
  private final long[] strides;
  private final boolean foreign;

  /**
   * Describes elements.
   *
   * @param path the file, for messages
   * @param fortran whether the first axis is the contiguous one
   * @param foreign whether bytes are in the other order than this machine's
   */
  MappedArray(
      Path path, MemorySegment data, DType type, Shape shape, boolean fortran, boolean foreign) {
    this.path = path;
    this.data = data;
    this.type = type;
    this.shape = shape;
    this.foreign = foreign && unit(type) > 1;
    this.strides = shape.strides();
    if (fortran) {
      long stride = 1;
      for (int axis = 0; axis < strides.length; axis++) {
        strides[axis] = stride;
        stride *= Math.max(shape.extent(axis), 1);
      }
    }
  }

  @SuppressWarnings("unchecked") // withOrder returns the same kind of layout
  private static <L extends ValueLayout> L swapped(L layout) {
    boolean big = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    return (L) layout.withOrder(big ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
  }

  /** Returns the bytes that belong together: those of an element, or of a complex one's part. */
  private static int unit(DType type) {
    return type.kind() == DType.Kind.COMPLEX ? type.size() / 2 : type.size();
  }

  DType type() {
    return type;
  }

  Shape shape() {
    return shape;
  }

  /**
   * Copies a part from the file; a real element may become the real part of a complex one.
   *
   * @throws UncheckedIOException if the file has lost elements since it was opened
   */
  void read(Part part, DType as, MemorySegment into, LongConsumer copied) {
    check(part, as, into);
    try {
      part.forEachRun(
          (local, stride, index, count) -> {
            copy(data, at(index), step(), into, as.bytes(local), as.bytes(stride), count);
            copied.accept(count);
          });
    } catch (InternalError e) {
      // So the JVM tells of mapped memory that is not there any more.
      FileFormatException shorter =
          new FileFormatException(
              path, "became shorter while it was read", "Copy or save it again.");
      throw new UncheckedIOException(shorter.getMessage(), shorter);
    }
  }

  private void check(Part part, DType as, MemorySegment memory) {
    if (!part.shape().equals(shape)) {
      throw new IllegalArgumentException(
          "an array of shape %s and a file of %s; they have to be alike"
              .formatted(part.shape(), shape));
    }
    boolean widened = as.kind() == DType.Kind.COMPLEX && as.size() == 2 * type.size();
    if (as != type && !(widened && type.kind() == DType.Kind.FLOAT)) {
      throw new IllegalArgumentException(
          "%s elements and a file of %s; give memory of the file's type".formatted(as, type));
    }
    if (as != type) {
      memory.fill((byte) 0);
    }
  }

  private long at(long[] index) {
    long element = 0;
    for (int axis = 0; axis < index.length; axis++) {
      element += index[axis] * strides[axis];
    }
    return type.bytes(element);
  }

  /** Returns the bytes from one element of the last axis to the next. */
  private long step() {
    return type.bytes(strides.length == 0 ? 1 : strides[strides.length - 1]);
  }

  private void copy(
      MemorySegment from,
      long fromAt,
      long fromStep,
      MemorySegment to,
      long toAt,
      long toStep,
      long count) {
    int size = type.size();
    if (!foreign && fromStep == size && toStep == size) {
      MemorySegment.copy(from, fromAt, to, toAt, type.bytes(count));
      return;
    }
    for (long i = 0; i < count; i++) {
      long source = fromAt + i * fromStep;
      long target = toAt + i * toStep;
      if (foreign) {
        for (int unit = 0; unit < size; unit += unit(type)) {
          swap(from, source + unit, to, target + unit);
        }
      } else {
        MemorySegment.copy(from, source, to, target, size);
      }
    }
  }

  private void swap(MemorySegment from, long source, MemorySegment to, long target) {
    switch (unit(type)) {
      case 2 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, target, from.get(SHORT, source));
      case 4 -> to.set(ValueLayout.JAVA_INT_UNALIGNED, target, from.get(INT, source));
      default -> to.set(ValueLayout.JAVA_LONG_UNALIGNED, target, from.get(LONG, source));
    }
  }
}
