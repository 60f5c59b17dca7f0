package dev.rialto.array.part;

import java.io.Serializable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The places of the elements of a box, by their numbers in row-major order of the box: in memory,
 * or among the elements of a whole array. Compiled into the kernels of a device, so that the
 * divisions are by constants, and elements without gaps need none.
 */
@FunctionalInterface
public interface Places extends Serializable {
  Places DENSE = i -> i;

  int MOST_AXES = 4;

  long of(long i);

  /**
   * Returns the places of a box.
   *
   * @param extents the extents, the slowest axis first
   * @param strides what each axis adds to a place
   * @param offset the place of the first
   * @return null if there are more than {@value #MOST_AXES} axes with gaps between them
   */
  static @Nullable Places of(long[] extents, long[] strides, long offset) {
    long[] n = new long[extents.length];
    long[] s = new long[extents.length];
    int axes = 0;
    for (int axis = 0; axis < extents.length; axis++) {
      if (extents[axis] == 1) {
        continue;
      }
      if (axes > 0 && s[axes - 1] == extents[axis] * strides[axis]) {
        n[axes - 1] *= extents[axis];
        s[axes - 1] = strides[axis];
      } else {
        n[axes] = extents[axis];
        s[axes++] = strides[axis];
      }
    }
    boolean none = Arrays.stream(extents).anyMatch(extent -> extent == 0);
    boolean dense = offset == 0 && (axes == 0 || (axes == 1 && s[0] == 1));
    return none || dense ? DENSE : strided(axes, n, s, offset);
  }

  private static @Nullable Places strided(int axes, long[] n, long[] s, long offset) {
    long s0 = axes > 0 ? s[0] : 0;
    long s1 = axes > 1 ? s[1] : 0;
    long s2 = axes > 2 ? s[2] : 0;
    long s3 = axes > 3 ? s[3] : 0;
    long n1 = axes > 1 ? n[1] : 1;
    long n2 = axes > 2 ? n[2] : 1;
    long n3 = axes > 3 ? n[3] : 1;
    return switch (axes) {
      case 0, 1 -> i -> offset + i * s0;
      case 2 -> i -> offset + i / n1 * s0 + i % n1 * s1;
      case 3 -> i -> offset + i / n2 / n1 * s0 + i / n2 % n1 * s1 + i % n2 * s2;
      case 4 ->
          i ->
              offset
                  + i / n3 / n2 / n1 * s0
                  + i / n3 / n2 % n1 * s1
                  + i / n3 % n2 * s2
                  + i % n3 * s3;
      default -> null;
    };
  }
}
