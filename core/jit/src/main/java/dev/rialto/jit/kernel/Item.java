package dev.rialto.jit.kernel;

/**
 * One of the items that a launch runs a kernel for, in blocks whose items share arrays and wait for
 * one another.
 *
 * <p>A launch over {@code n} items has exactly those from 0 to {@code n - 1}; its last block is
 * smaller if the size of blocks does not divide {@code n}. Launches and blocks may have up to three
 * axes; the last blocks along each are smaller then, and numbers go through items and blocks row by
 * row.
 */
public interface Item extends NarrowAtomics {
  /**
   * The items of a subgroup: those whose numbers in the block are the same when divided by this.
   * The last of a block may be smaller.
   */
  int SUBGROUP = 32;

  /** Returns this item's number among all. */
  long global();

  /** Returns this item's place along an axis of the launch, a constant from 0. */
  long global(int axis);

  /** Returns how many items the launch has. */
  long globalSize();

  /** Returns how many items the launch has along an axis. */
  long globalSize(int axis);

  /** Returns this item's number in its block. */
  int local();

  /** Returns this item's place in its block along an axis. */
  int local(int axis);

  /** Returns how many items this block has. */
  int blockSize();

  /** Returns how many items this block has along an axis. */
  int blockSize(int axis);

  /** Returns the number of this item's block. */
  long block();

  /** Returns the place of this item's block along an axis. */
  long block(int axis);

  /** Returns how many blocks the launch has. */
  long blocks();

  /** Returns how many blocks the launch has along an axis. */
  long blocks(int axis);

  /**
   * Waits for all items of the block that have not returned, and makes what they wrote before
   * visible to all. Either all of these come to a barrier or none does: a condition or loop around
   * it must be the same for each.
   */
  void barrier();

  /** Returns this item's place in its subgroup. */
  int lane();

  /** Returns how many items this subgroup has. */
  int subgroupSize();

  /**
   * Returns the value that the item at a lane of this subgroup passes. All items of the subgroup
   * that have not returned come to it together.
   *
   * @param lane of an item that has not returned
   */
  int shuffle(int value, int lane);

  /** Returns the value that an item of this subgroup passes; see {@link #shuffle(int, int)}. */
  long shuffle(long value, int lane);

  /** Returns the value that an item of this subgroup passes; see {@link #shuffle(int, int)}. */
  float shuffle(float value, int lane);

  /** Returns the value that an item of this subgroup passes; see {@link #shuffle(int, int)}. */
  double shuffle(double value, int lane);

  /**
   * Returns the conditions of the items of this subgroup as bits, by lane; those of items that have
   * returned are 0. All others come to it together.
   */
  int ballot(boolean condition);

  /**
   * Returns an array that all items of the block have together, the same each time this line runs.
   * Its elements are undefined until one writes them.
   *
   * @param length a constant, or a value that the kernel captures
   */
  int[] sharedInts(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  long[] sharedLongs(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  short[] sharedShorts(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  byte[] sharedBytes(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  boolean[] sharedBooleans(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  char[] sharedChars(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  float[] sharedFloats(int length);

  /** Returns an array that all items of the block have together; see {@link #sharedInts}. */
  double[] sharedDoubles(int length);

  /**
   * Prints a line with the number of this item to standard output. A launch that prints returns
   * when it has run; its lines come in the order of their items, the first 4096 of them.
   *
   * @param text a constant, or a value that the kernel captures
   */
  void print(String text);

  /** Prints a line with a number behind the text. */
  void print(String text, long value);

  /** Prints a line with a number behind the text. */
  void print(String text, double value);
}
