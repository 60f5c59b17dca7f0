package dev.rialto.sparse;

import dev.rialto.array.Array;

/**
 * An array without gaps for loops that step over none: the array given or, if that has a halo of
 * its own or is a view, a copy. After a failure the copy is left to the team, since closing an
 * array is collective.
 */
public final class DenseArray {
  private final Array original;
  private final Array array;

  private DenseArray(Array original, Array array) {
    this.original = original;
    this.array = array;
  }

  /** Returns an array or its copy. Collective. */
  public static DenseArray of(Array array) {
    if (ArrayFit.isDense(array)) {
      return new DenseArray(array, array);
    }
    Array copy = array.space().halo(0).array(array.type());
    copy.copy(array);
    return new DenseArray(array, copy);
  }

  /** Returns the array without gaps. */
  public Array array() {
    return array;
  }

  /** Copies what was written to the array that was given. */
  public void bringBack() {
    if (!array.equals(original)) {
      original.copy(array);
    }
  }

  /** Closes the copy, if there is one. Collective. */
  public void end() {
    if (!array.equals(original)) {
      array.close();
    }
  }
}
