package dev.rialto.jit.kernel;

/**
 * The shape of a matrix product that the items of a subgroup compute together: a tile of {@code
 * rows} by {@code depth} elements and one of {@code depth} by {@code columns} are multiplied and
 * added to sums, of which each item has its share. GPUs with instructions for that use them; what
 * others do is written here.
 *
 * <p>A tile is made outside of the kernel, as a constant or a captured value. Its methods are
 * called by all items of a subgroup together, and blocks are whole ones of a multiple of 32 items.
 * Tiles lie in arrays row by row, from an element on, with a stride from row to row; in shared
 * arrays both are multiples of 8. Products of 16-bit elements are added in single precision, in any
 * order. An item's sums are not to be counted on: which elements they are is the device's.
 *
 * @param rows of the sums, a multiple of 16
 * @param columns of the sums, a multiple of 16
 * @param depth what is summed over in a step, a multiple of 16
 */
public record Tile(int rows, int columns, int depth) {
  private static final int UNIT = 16;
  private static final int MOST = 256;
  private static final int MOST_SUMS = 1 << 13;
  private static final int TF32_HALF = 0x1000;
  private static final int TF32_MASK = 0xffffe000;
  private static final int INFINITY = 0x7f800000;

  /** Checks the shape. */
  public Tile {
    for (int each : new int[] {rows, columns, depth}) {
      if (each < UNIT || each > MOST || each % UNIT != 0) {
        throw new IllegalArgumentException(
            "a tile of %d rows, %d columns and depth %d; give multiples of 16 up to 256"
                .formatted(rows, columns, depth));
      }
    }
    if (rows * columns > MOST_SUMS) {
      throw new IllegalArgumentException(
          "a tile of %d rows and %d columns has %d sums, of which a subgroup has room for %d; make it smaller"
              .formatted(rows, columns, rows * columns, MOST_SUMS));
    }
  }

  // --- Sums -------------------------------------------------------------------------------------

  /** Returns this item's share of sums in single precision, zeros. */
  public float[] zeros(Item it) {
    requireWhole(it);
    return new float[rows * columns / Item.SUBGROUP];
  }

  /** Returns this item's share of sums in double precision, zeros. */
  public double[] zeroDoubles(Item it) {
    requireWhole(it);
    return new double[rows * columns / Item.SUBGROUP];
  }

  private static void requireWhole(Item it) {
    if (it.subgroupSize() != Item.SUBGROUP) {
      throw new IllegalStateException(
          "tiles are of whole subgroups, but this one has "
              + it.subgroupSize()
              + " items; use blocks of a multiple of 32 items that divide the launch");
    }
  }

  /** The row of one of an item's sums in single precision. */
  private int row(int lane, int i) {
    return i / 4 / (columns / 8) * UNIT + i % 4 / 2 * 8 + lane / 4;
  }

  /** The column of one of an item's sums in single precision. */
  private int column(int lane, int i) {
    return i / 4 % (columns / 8) * 8 + lane % 4 * 2 + i % 2;
  }

  private int doubleRow(int lane, int i) {
    return i / 2 / (columns / 8) * 8 + lane / 4;
  }

  private int doubleColumn(int lane, int i) {
    return i / 2 % (columns / 8) * 8 + lane % 4 * 2 + i % 2;
  }

  /** Replaces the sums by elements of an array. */
  public void load(Item it, float[] sums, F32 from, long at, long stride) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] = from.get(at + row(it.lane(), i) * stride + column(it.lane(), i));
    }
  }

  /** Replaces the sums by elements of an array. */
  public void load(Item it, double[] sums, F64 from, long at, long stride) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] = from.get(at + doubleRow(it.lane(), i) * stride + doubleColumn(it.lane(), i));
    }
  }

  /** Writes the sums to an array. */
  public void store(Item it, float[] sums, F32 to, long at, long stride) {
    for (int i = 0; i < sums.length; i++) {
      to.set(at + row(it.lane(), i) * stride + column(it.lane(), i), sums[i]);
    }
  }

  /** Writes the sums to an array, each rounded to the nearest. */
  public void store(Item it, float[] sums, F16 to, long at, long stride) {
    for (int i = 0; i < sums.length; i++) {
      to.set(at + row(it.lane(), i) * stride + column(it.lane(), i), sums[i]);
    }
  }

  /** Writes the sums to an array, each rounded to the nearest. */
  public void store(Item it, float[] sums, BF16 to, long at, long stride) {
    for (int i = 0; i < sums.length; i++) {
      to.set(at + row(it.lane(), i) * stride + column(it.lane(), i), sums[i]);
    }
  }

  /** Writes the sums to an array. */
  public void store(Item it, double[] sums, F64 to, long at, long stride) {
    for (int i = 0; i < sums.length; i++) {
      to.set(at + doubleRow(it.lane(), i) * stride + doubleColumn(it.lane(), i), sums[i]);
    }
  }

  // --- Products ---------------------------------------------------------------------------------

  /** Adds the product of two tiles to the sums. */
  public void multiplyAdd(
      Item it, float[] sums, F16 a, long aAt, long aStride, F16 b, long bAt, long bStride) {
    for (int i = 0; i < sums.length; i++) {
      long left = aAt + row(it.lane(), i) * aStride;
      long right = bAt + column(it.lane(), i);
      float sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += a.get(left + k) * b.get(right + k * bStride);
      }
      sums[i] = sum;
    }
  }

  /** Adds the product of two tiles to the sums. */
  public void multiplyAdd(
      Item it, float[] sums, BF16 a, long aAt, long aStride, BF16 b, long bAt, long bStride) {
    for (int i = 0; i < sums.length; i++) {
      long left = aAt + row(it.lane(), i) * aStride;
      long right = bAt + column(it.lane(), i);
      float sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += a.get(left + k) * b.get(right + k * bStride);
      }
      sums[i] = sum;
    }
  }

  /** Adds the product of two tiles of shared arrays, of the bits of binary16, to the sums. */
  public void multiplyAddF16(
      Item it, float[] sums, short[] a, int aAt, int aStride, short[] b, int bAt, int bStride) {
    for (int i = 0; i < sums.length; i++) {
      int left = aAt + row(it.lane(), i) * aStride;
      int right = bAt + column(it.lane(), i);
      float sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += Float.float16ToFloat(a[left + k]) * Float.float16ToFloat(b[right + k * bStride]);
      }
      sums[i] = sum;
    }
  }

  /** Adds the product of two tiles of shared arrays, of the bits of bfloat16, to the sums. */
  public void multiplyAddBf16(
      Item it, float[] sums, short[] a, int aAt, int aStride, short[] b, int bAt, int bStride) {
    for (int i = 0; i < sums.length; i++) {
      int left = aAt + row(it.lane(), i) * aStride;
      int right = bAt + column(it.lane(), i);
      float sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum +=
            Float.intBitsToFloat(a[left + k] << 16)
                * Float.intBitsToFloat(b[right + k * bStride] << 16);
      }
      sums[i] = sum;
    }
  }

  /** Rounds to 11 significant bits. The bits of a NaN would round to an infinity, or to a zero. */
  private static float tf32(float x) {
    int bits = Float.floatToRawIntBits(x);
    boolean isNumber = (bits & Integer.MAX_VALUE) <= INFINITY;
    return isNumber ? Float.intBitsToFloat((bits + TF32_HALF) & TF32_MASK) : x;
  }

  /**
   * Adds the product of two tiles, whose elements are rounded to 11 significant bits, to the sums.
   */
  public void multiplyAddTf32(
      Item it, float[] sums, F32 a, long aAt, long aStride, F32 b, long bAt, long bStride) {
    for (int i = 0; i < sums.length; i++) {
      long left = aAt + row(it.lane(), i) * aStride;
      long right = bAt + column(it.lane(), i);
      float sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += tf32(a.get(left + k)) * tf32(b.get(right + k * bStride));
      }
      sums[i] = sum;
    }
  }

  /** Adds the product of two tiles of shared arrays, rounded in the same way, to the sums. */
  public void multiplyAddTf32(
      Item it, float[] sums, float[] a, int aAt, int aStride, float[] b, int bAt, int bStride) {
    for (int i = 0; i < sums.length; i++) {
      int left = aAt + row(it.lane(), i) * aStride;
      int right = bAt + column(it.lane(), i);
      float sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += tf32(a[left + k]) * tf32(b[right + k * bStride]);
      }
      sums[i] = sum;
    }
  }

  /** Adds the product of two tiles to the sums. */
  public void multiplyAdd(
      Item it, double[] sums, F64 a, long aAt, long aStride, F64 b, long bAt, long bStride) {
    for (int i = 0; i < sums.length; i++) {
      long left = aAt + doubleRow(it.lane(), i) * aStride;
      long right = bAt + doubleColumn(it.lane(), i);
      double sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += a.get(left + k) * b.get(right + k * bStride);
      }
      sums[i] = sum;
    }
  }

  /** Adds the product of two tiles of shared arrays to the sums. */
  public void multiplyAdd(
      Item it, double[] sums, double[] a, int aAt, int aStride, double[] b, int bAt, int bStride) {
    for (int i = 0; i < sums.length; i++) {
      int left = aAt + doubleRow(it.lane(), i) * aStride;
      int right = bAt + doubleColumn(it.lane(), i);
      double sum = sums[i];
      for (int k = 0; k < depth; k++) {
        sum += a[left + k] * b[right + k * bStride];
      }
      sums[i] = sum;
    }
  }

  // --- Copies -----------------------------------------------------------------------------------

  /**
   * Copies rows of elements to a shared array, all items of the block together. They are there
   * after the next barrier: a GPU copies while the items go on.
   *
   * @param rows a constant
   * @param columns a constant
   */
  public static void copy(
      Item it,
      short[] to,
      int toAt,
      int toStride,
      F16 from,
      long fromAt,
      long fromStride,
      int rows,
      int columns) {
    for (int e = it.local(); e < rows * columns; e += it.blockSize()) {
      int row = e / columns;
      int column = e % columns;
      to[toAt + row * toStride + column] = from.bits().get(fromAt + row * fromStride + column);
    }
  }

  /** Copies rows of elements to a shared array; see above. */
  public static void copy(
      Item it,
      short[] to,
      int toAt,
      int toStride,
      BF16 from,
      long fromAt,
      long fromStride,
      int rows,
      int columns) {
    for (int e = it.local(); e < rows * columns; e += it.blockSize()) {
      int row = e / columns;
      int column = e % columns;
      to[toAt + row * toStride + column] = from.bits().get(fromAt + row * fromStride + column);
    }
  }

  /** Copies rows of elements to a shared array; see above. */
  public static void copy(
      Item it,
      float[] to,
      int toAt,
      int toStride,
      F32 from,
      long fromAt,
      long fromStride,
      int rows,
      int columns) {
    for (int e = it.local(); e < rows * columns; e += it.blockSize()) {
      int row = e / columns;
      int column = e % columns;
      to[toAt + row * toStride + column] = from.get(fromAt + row * fromStride + column);
    }
  }

  /** Copies rows of elements to a shared array; see above. */
  public static void copy(
      Item it,
      double[] to,
      int toAt,
      int toStride,
      F64 from,
      long fromAt,
      long fromStride,
      int rows,
      int columns) {
    for (int e = it.local(); e < rows * columns; e += it.blockSize()) {
      int row = e / columns;
      int column = e % columns;
      to[toAt + row * toStride + column] = from.get(fromAt + row * fromStride + column);
    }
  }
}
