package dev.rialto.array.part;

import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Relations of arrays: views and zips of them, and whether operations can take them together. */
public final class Operands {
  private Operands() {}

  // --- Views and zips -------------------------------------------------------------------------

  /** Returns every {@code step}-th index of a part of an array, on the same memory. */
  public static Operand slice(Operand array, int axis, long from, long to, long step) {
    array.checkOpen();
    int axes = array.shape().rank();
    if (axis < 0 || axis >= axes) {
      throw new IllegalArgumentException(
          "a slice of axis %d of %s; give an axis from 0 to %d".formatted(axis, array, axes - 1));
    }
    long extent = array.shape().extent(axis);
    if (from < 0 || to < from || to > extent) {
      throw new IndexOutOfBoundsException(
          "a slice from %d to %d of axis %d of %s; give a part of 0 to %d"
              .formatted(from, to, axis, array, extent));
    }
    if (step < 1) {
      throw new IllegalArgumentException(
          "a slice of %s in steps of %d; give 1 or more".formatted(array, step));
    }
    return view(array, array.shown().slice(axis, from, to, step));
  }

  /** Returns an array with its axes in another order, on the same memory. */
  public static Operand transposed(Operand array, int... axes) {
    array.checkOpen();
    int[] sorted = axes.clone();
    Arrays.sort(sorted);
    if (!Arrays.equals(sorted, IntStream.range(0, array.shape().rank()).toArray())) {
      throw new IllegalArgumentException(
          "axes %s of %s; give each of its %d axes once"
              .formatted(Arrays.toString(axes), array, array.shape().rank()));
    }
    return view(array, array.shown().transposed(axes));
  }

  private static Operand view(Operand array, ViewBox shown) {
    array.requireStored("a view of");
    return array.team().describe(divided(array, shown.distribution()), array.type()).show(shown);
  }

  /** Returns an array of a function of each element of one and of another. */
  public static Operand zip(Operand first, Operand second, Object function) {
    first.checkOpen();
    second.checkOpen();
    requireSameShape(first, second);
    if (anyOnDevice(first, second)) {
      requireOneDevice("zip", first, second);
    }
    if (!isAligned(first, second)) {
      throw new IllegalArgumentException(
          "a zip of %s and %s; give arrays that are divided alike, or copy one to an array like the other"
              .formatted(first, second));
    }
    DType of = first.type().kind() == DType.Kind.FLOAT ? DType.F64 : DType.I64;
    return first
        .team()
        .describe(divided(first, first.distribution()), of)
        .show(new Zip(first, second, function, first.part(), second.part()));
  }

  /** Returns the space of other arrays on an array's device, without a halo. */
  public static IndexSpace divided(Operand like, Distribution division) {
    return like.space()
        .team()
        .space(division.shape().extents())
        .on(like.client())
        .divided(Decomposition.of(division));
  }

  // --- Comparisons ----------------------------------------------------------------------------

  public static boolean anyOnDevice(Operand... arrays) {
    for (Operand each : arrays) {
      if (each.isOnDevice()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether two arrays hold the same elements at the same places in order. */
  public static boolean isAligned(Operand array, Operand other) {
    return array.shape().equals(other.shape())
        && (array.space().decomposition().equals(other.space().decomposition())
            || (array.team().communicator().size() == 1
                && Arrays.equals(order(array), order(other)))
            || (array.isInOrder()
                && other.isInOrder()
                && array.values().hasCountsOf(other.distribution())));
  }

  /** Returns the axes in the order of memory. */
  private static int[] order(Operand array) {
    return array.distribution() instanceof Grid grid
        ? grid.order()
        : IntStream.range(0, array.shape().rank()).toArray();
  }

  /** Returns whether some memory is in both arrays, of which one may be a view of the other. */
  public static boolean overlap(Operand array, Operand other) {
    Zip of = array.zip();
    if (of != null) {
      return overlap(of.first(), other) || overlap(of.second(), other);
    }
    return other.zip() != null
        ? overlap(other, array)
        : other == array || array.shown().overlaps(other.shown());
  }

  // --- Refusals -------------------------------------------------------------------------------

  /** Refuses arrays of two teams or shapes. */
  public static void requireSameShape(Operand array, Operand other) {
    if (!array.team().equals(other.team())) {
      throw new IllegalArgumentException(
          "%s and %s are of two teams; give arrays of one team".formatted(array, other));
    }
    if (!array.shape().equals(other.shape())) {
      throw new IllegalArgumentException(
          "arrays of shapes %s and %s; give two of one shape"
              .formatted(array.shape(), other.shape()));
    }
  }

  /** Refuses arrays that are not of one shape and on one device. */
  public static void requireOneDevice(String operation, Operand... arrays) {
    Operand first = arrays[0];
    for (Operand other : arrays) {
      requireSameShape(first, other);
      if (first.client().device() != other.client().device()) {
        throw new IllegalArgumentException(
            "%s of %s on %s and %s on %s; copy one to an array where the other is"
                .formatted(
                    operation,
                    first,
                    first.client().device().name(),
                    other,
                    other.client().device().name()));
      }
    }
  }

  /** Refuses to write an array while another is read that has its elements at other places. */
  public static void requireApart(Operand in, Operand out) {
    Zip zip = in.zip();
    if (zip != null) {
      requireApart(zip.first(), out);
      requireApart(zip.second(), out);
    } else if ((in.isView() || out.isView()) && in.shown().mixesWith(out.shown())) {
      throw new IllegalArgumentException(
          "%s and %s overlap in one array; copy one of them first".formatted(in, out));
    }
  }

  /** Refuses complex elements in a kernel of a function. */
  public static void requireReal(Operand array) {
    if (array.type().kind() == DType.Kind.COMPLEX && array.isOnDevice()) {
      throw new UnsupportedOperationException(
          "a function of elements of %s, on %s, which takes real numbers; copy the array to one of space().onHost()"
              .formatted(array, array.client().device().name()));
    }
  }
}
