package dev.rialto.jit.kernel;

/** The checks of a kernel's launches. */
public enum Checks {
  /**
   * Nothing: an index that an array does not have is undefined. For code that is known to be right.
   */
  NONE,
  /**
   * Indices. An access whose index the array does not have is left out, a value that is read is 0
   * then, and the launch fails with the line, the item and the index. Indices that are known to be
   * right from what a launch passes cost nothing; others, such as those that are read from an
   * array, cost a comparison each.
   */
  INDICES,
  /**
   * Everything, on the host, item by item and some ten thousand times slower; launches return when
   * they have run. They refuse with the source line and the items: two items that use one element,
   * at least one of which writes it, with neither a barrier between them nor both atomic; an index
   * that an array does not have; a barrier that not all items of a block come to; an integer that
   * is divided by 0, which is 0 without these checks. The buffers of a launch that is refused stay
   * as they were.
   */
  RACES
}
