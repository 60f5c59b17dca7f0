package dev.rialto.runtime;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;

/**
 * An array in a buffer; closing it closes the buffer.
 *
 * @param buffer the memory
 * @param shape the extents
 * @param layout where the elements lie in the buffer
 */
public record Tensor(Buffer buffer, Shape shape, Layout layout) implements AutoCloseable {

  /** The layout of the rows of a tensor. */
  public enum Rows {
    /** One after the other. */
    CONTIGUOUS,
    /** Each at a multiple of the memory's alignment, with a gap before the next. */
    PITCHED
  }

  /**
   * The description of a tensor to make.
   *
   * @param name for messages and tables
   * @param type the elements' type
   * @param shape the extents
   * @param rows how they lie
   */
  public record Spec(String name, DType type, Shape shape, Rows rows) {
    Layout layout(long alignment) {
      int last = shape.rank() - 1;
      if (rows == Rows.CONTIGUOUS || last < 0) {
        return Layout.contiguous(type, shape.count());
      }
      long unit = Math.max(1, alignment / type.size());
      return Layout.pitched(type, shape, (shape.extent(last) + unit - 1) / unit * unit);
    }
  }

  /** Checks that the layout fits. */
  public Tensor {
    if (layout.count() != shape.count() || layout.span() > buffer.bytes()) {
      throw new IllegalArgumentException(
          "a layout of %s elements over %s bytes does not fit shape %s and %s"
              .formatted(layout.count(), layout.span(), shape, buffer));
    }
  }

  @Override
  public void close() {
    buffer.close();
  }
}
