package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.world.Job;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.data.DType;

/**
 * Tags as the library sees them: the caller's, and in the bits above it the type of the elements.
 *
 * <p>So a receive never meets a message of another type, at no cost to those that fit: nothing is
 * added to a message, and the library compares tags anyway. A receive that waits in vain looks for
 * its message under the tags of the other types. The price is four bits: callers' tags end at 2^27
 * with Open MPI, 2^24 with MPICH. A library that has too few bits, or {@code
 * -Drialto.mpi.checks=false}, leaves tags as they are.
 */
public final class TypedTags {
  private static final DType[] TYPES = DType.values();

  /** The bits that callers must have, to 32767. */
  private static final int LEAST_BITS = 15;

  private static final int LIBRARYS = Job.largestTag();

  /** The bits that are left to callers. */
  private static final int BITS =
      Long.SIZE
          - 1
          - Long.numberOfLeadingZeros(LIBRARYS + 1L)
          - (Integer.SIZE - Integer.numberOfLeadingZeros(TYPES.length - 1));

  /** Whether tags name types. */
  public static final boolean ON = Job.CHECKED && BITS >= LEAST_BITS;

  /** The largest tag of a caller. */
  public static final int LARGEST = ON ? (1 << BITS) - 1 : LIBRARYS;

  /** The bits of a library's tag that are the caller's. */
  static final int MASK = ON ? LARGEST : -1;

  private TypedTags() {}

  /** Returns the library's tag of a message; its wildcard for {@link PointToPoint#ANY_TAG}. */
  @SuppressWarnings("EnumOrdinal") // All ranks run the same classes.
  static int of(int tag, DType type) {
    if (tag == PointToPoint.ANY_TAG) {
      return Mpi.CONSTANTS.anyTag();
    }
    return ON ? tag | type.ordinal() << BITS : tag;
  }

  /** Returns the type that a message was sent as; {@code expected} if its tag does not tell. */
  static DType type(int libraryTag, DType expected) {
    return ON ? TYPES[libraryTag >>> BITS] : expected;
  }
}
