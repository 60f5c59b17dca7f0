package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.fft.Normalization;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.List;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * The transform to plan, and the distribution of its arrays.
 *
 * @param parts the process grid, where the input is not given; empty for the usual one
 * @param slabs whether one move may make all remaining axes local
 * @param onDevice whether arrays are in a device's memory
 */
public record Choices(
    Family family,
    DType precision,
    Shape shape,
    List<Kind> kinds,
    NavigableSet<Integer> axes,
    @Nullable Distribution input,
    @Nullable Distribution output,
    boolean transposed,
    Normalization normalization,
    List<Integer> parts,
    boolean slabs,
    boolean onDevice) {
  public DType type(boolean complex) {
    return precision == DType.F64
        ? complex ? DType.C128 : DType.F64
        : complex ? DType.C64 : DType.F32;
  }

  /** From which numbers to which. */
  public enum Family {
    COMPLEX,
    HALF,
    REAL
  }
}
