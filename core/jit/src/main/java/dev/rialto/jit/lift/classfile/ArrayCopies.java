package dev.rialto.jit.lift.classfile;

import java.lang.reflect.Array;
import java.util.IdentityHashMap;
import java.util.Objects;

/**
 * Copies of the arrays of numbers from outside that a kernel reads, each with the elements that it
 * had when the kernel first looked. All forms of a kernel share them: its code, what proves its
 * indices and what checks its items agree, whatever becomes of the arrays. Costs a copy of each.
 */
public final class ArrayCopies {
  private final IdentityHashMap<Object, Object> copies = new IdentityHashMap<>();

  /** Returns the copy of an array of a primitive type. */
  public synchronized Object of(Object array) {
    return copies.computeIfAbsent(array, ArrayCopies::copy);
  }

  private static Object copy(Object array) {
    int length = Array.getLength(array);
    Object copy = Array.newInstance(array.getClass().getComponentType(), length);
    System.arraycopy(array, 0, copy, 0, length);
    return copy;
  }

  /** Returns whether all arrays still have the elements of their copies. */
  public synchronized boolean areCurrent() {
    return copies.entrySet().stream()
        .allMatch(each -> Objects.deepEquals(each.getKey(), each.getValue()));
  }
}
