package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.runtime.Resource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Copies between arrays and vectors, each on the host or on a device. */
final class ArrayVectors {
  private ArrayVectors() {}

  /** Makes a vector for an operator with the elements of an array. */
  static MultiVector of(LinearOperator a, Array array) {
    int width = a.map().arrays().width(array, a.type());
    MultiVector made = a.vector();
    SparseDevice home = made.home();
    if (array.isOnDevice() && !isOn(array, home)) {
      made.close();
      throw new UnsupportedOperationException(
          "%s, with a matrix on %s; bring the matrix there with copyTo(x.space())"
              .formatted(array, home == null ? "the host" : home.device().name()));
    }
    if (width > 1) {
      made.close();
      made = new MultiVector(a.map(), a.type(), width, home);
    }
    try {
      return made.load(array);
    } catch (RuntimeException | Error e) {
      made.close();
      throw e;
    }
  }

  /** Returns whether an array is on a device. */
  private static boolean isOn(Array array, @Nullable SparseDevice device) {
    return device != null
        && array.isOnDevice()
        && array.space().client().device().name().equals(device.device().name());
  }

  /** Copies the elements that this rank owns of an array to a vector. */
  static void load(MultiVector vector, Array array) {
    requireFits(vector, array);
    SparseDevice there = vector.home();
    if (there == null) {
      array.copyTo(vector.memory());
    } else if (isOn(array, there) && ArrayFit.isDense(array)) {
      try (Resource lent = array.space().client().resource(array.buffer(), false)) {
        there.copy(lent.segment(), vector.memory(), bytes(vector));
      }
    } else {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment staged = arena.allocate(Math.max(64, bytes(vector)), 64);
        array.copyTo(staged);
        there.copy(staged, vector.memory(), bytes(vector));
      }
    }
  }

  /** Copies the elements that this rank owns of a vector to an array. */
  static void store(MultiVector vector, Array array) {
    requireFits(vector, array);
    SparseDevice there = vector.home();
    if (there == null) {
      array.copyFrom(vector.memory());
    } else if (isOn(array, there) && ArrayFit.isDense(array)) {
      try (Resource lent = array.space().client().resource(array.buffer(), true)) {
        there.copy(vector.memory(), lent.segment(), bytes(vector));
      }
    } else {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment staged = arena.allocate(Math.max(64, bytes(vector)), 64);
        there.copy(vector.memory(), staged, bytes(vector));
        array.copyFrom(staged);
      }
    }
  }

  private static long bytes(MultiVector vector) {
    return vector.type().bytes(vector.count());
  }

  private static void requireFits(MultiVector vector, Array array) {
    int vectors = vector.map().arrays().width(array, vector.type());
    if (vectors != vector.width()) {
      throw new IllegalArgumentException(
          "%s is %d vectors, where %d are needed".formatted(array, vectors, vector.width()));
    }
  }
}
