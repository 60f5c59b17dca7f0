package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Arrays as vectors: in their own memory where that has no gaps and is where the operator is, else
 * copied there and, when the vector is closed, back.
 */
final class ArrayVectors {
  private ArrayVectors() {}

  /** Returns an array as vectors of the host. */
  static MultiVector onHost(IndexMap map, Array array, boolean writes) {
    HaloMemory.Kind kind = kind(map, array);
    if (!array.isOnDevice() && ArrayFit.isDense(array)) {
      return new MultiVector(VectorMemory.of(kind, array));
    }
    return copied(new MultiVector(VectorMemory.allocate(kind, null)), array, writes);
  }

  /** Returns an array as vectors of a device. */
  static MultiVector on(SparseDevice home, IndexMap map, Array array, boolean writes) {
    HaloMemory.Kind kind = kind(map, array);
    if (isOn(array, home) && ArrayFit.isDense(array)) {
      return new MultiVector(VectorMemory.of(kind, home, array, writes));
    }
    if (array.isOnDevice() && !isOn(array, home)) {
      throw elsewhere(array, home);
    }
    return copied(new MultiVector(VectorMemory.allocate(kind, home)), array, writes);
  }

  /** Returns an array as a vector of an operator on the host that reads halos where they are. */
  static MultiVector of(LinearOperator a, Array array, boolean writes) {
    if (array.isOnDevice()) {
      throw elsewhere(array, null);
    }
    a.map().arrays().width(array, a.type());
    return onHost(a.map(), array, writes);
  }

  /** Returns a vector for an operator with the elements of an array. */
  static MultiVector copied(LinearOperator a, Array array, boolean writes) {
    MultiVector made = a.vector();
    SparseDevice home = made.home();
    try {
      if (array.isOnDevice() && !isOn(array, home)) {
        throw elsewhere(array, home);
      }
      int width = a.map().arrays().width(array, a.type());
      if (width > 1) {
        made.close();
        made = new MultiVector(a.map(), a.type(), width, home);
      }
    } catch (RuntimeException | Error e) {
      made.close();
      throw e;
    }
    return copied(made, array, writes);
  }

  private static MultiVector copied(MultiVector made, Array array, boolean writes) {
    try {
      load(made, array);
    } catch (RuntimeException | Error e) {
      made.close();
      throw e;
    }
    return writes ? made.before(() -> store(made, array)) : made;
  }

  private static HaloMemory.Kind kind(IndexMap map, Array array) {
    return new HaloMemory.Kind(map, array.type(), map.arrays().width(array, array.type()));
  }

  /** Returns what says that an array is where the operator is not. */
  static UnsupportedOperationException elsewhere(Array array, @Nullable SparseDevice home) {
    return new UnsupportedOperationException(
        "%s, with a matrix on %s; bring the matrix there with copyTo(x.space())"
            .formatted(array, home == null ? "the host" : home.device().name()));
  }

  /** Returns whether an array is on a device. */
  private static boolean isOn(Array array, @Nullable SparseDevice device) {
    return device != null
        && array.isOnDevice()
        && array.space().client().device().name().equals(device.device().name());
  }

  /** Copies the elements that this rank owns of an array to a vector with memory of its own. */
  private static void load(MultiVector vector, Array array) {
    SparseDevice there = vector.home();
    if (vector.count() == 0) {
      return;
    }
    if (there == null) {
      array.copyTo(vector.memory());
    } else if (isOn(array, there)) {
      ComputeClient client = array.space().client();
      try (Buffer packed = client.empty("a vector without its gaps", bytes(vector))) {
        client.copy(owned(array), dense(array, packed));
        try (Resource lent = client.resource(packed, false)) {
          there.copy(lent.segment(), vector.memory(), bytes(vector));
        }
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
  private static void store(MultiVector vector, Array array) {
    SparseDevice there = vector.home();
    if (vector.count() == 0) {
      return;
    }
    if (there == null) {
      array.copyFrom(vector.memory());
    } else if (isOn(array, there)) {
      ComputeClient client = array.space().client();
      try (Buffer packed = client.empty("a vector without its gaps", bytes(vector))) {
        try (Resource lent = client.resource(packed, true)) {
          there.copy(vector.memory(), lent.segment(), bytes(vector));
        }
        client.copy(dense(array, packed), owned(array));
      }
    } else {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment staged = arena.allocate(Math.max(64, bytes(vector)), 64);
        there.copy(vector.memory(), staged, bytes(vector));
        array.copyFrom(staged);
      }
    }
  }

  private static Tensor owned(Array array) {
    return new Tensor(array.buffer(), Shape.of(array.owned().count()), array.owned());
  }

  private static Tensor dense(Array array, Buffer buffer) {
    long count = array.owned().count();
    return new Tensor(buffer, Shape.of(count), Layout.contiguous(array.type(), count));
  }

  private static long bytes(MultiVector vector) {
    return vector.type().bytes(vector.count());
  }
}
