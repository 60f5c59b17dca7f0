package dev.rialto.spi.parts.messages;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp.Builtin;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A request of one rank to the {@link WindowServer} of another.
 *
 * @param kind what is asked for
 * @param window which window of the communicator
 * @param reply the tag of the answer; {@link #SILENT} if none is wanted
 * @param type the type of the elements
 * @param op how they are combined into the place
 * @param offset where the place begins
 * @param count how many elements
 * @param elements the origin's; for a comparison the new one and the one expected
 */
record WindowRequest(
    Kind kind,
    long window,
    int reply,
    DType type,
    Builtin op,
    long offset,
    long count,
    MemorySegment elements) {
  static final int TAG = 0;

  /** Asks for no answer. */
  static final int SILENT = 0;

  /** The most bytes of elements: accesses of more are several requests. */
  static final long LONGEST = 1 << 20;

  private static final int FIELDS = 7;

  /** The bytes before the elements, which are so aligned for all types. */
  private static final long HEADER = 64;

  /** A request of a rank to another. */
  enum Kind {
    /** Combines elements into a place; its answer is what was there. */
    UPDATE,
    /** Replaces an element if it is as expected; its answer is what was there. */
    SWAP,
    /** Is answered when all accesses before it are done, with what went wrong with them. */
    FLUSH,
    /** Is answered when the lock is granted. */
    LOCK_SHARED,
    /** Is answered when the lock is granted. */
    LOCK_EXCLUSIVE,
    /** Lets a lock go; also a flush. */
    UNLOCK,
    /** Is answered when the server's rank has posted to the one that asks. */
    START,
    /** Is answered when the server's rank has completed its accesses to the one that asks. */
    AWAIT,
    /** Is answered when the server's rank has come to the same fence, or to the window's end. */
    ARRIVE,
    /** Ends the server of this rank. */
    STOP
  }

  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<DType> TYPES = List.of(DType.values());
  private static final List<Builtin> OPERATORS = List.of(Builtin.values());

  long bytes() {
    return type.bytes(count);
  }

  /** Makes a request without elements. */
  static WindowRequest of(Kind kind, long window, int reply) {
    return new WindowRequest(
        kind, window, reply, DType.I8, Builtin.NO_OP, 0, 0, MemorySegment.NULL);
  }

  WindowRequest answeredBy(int tag) {
    return new WindowRequest(kind, window, tag, type, op, offset, count, elements);
  }

  static MemorySegment room(PointToPoint messages) {
    return MessageCollectives.room(messages, HEADER + LONGEST);
  }

  MemorySegment write(PointToPoint messages) {
    MemorySegment message = MessageCollectives.room(messages, HEADER + elements.byteSize());
    long[] fields = {
      KINDS.indexOf(kind), window, reply, TYPES.indexOf(type), OPERATORS.indexOf(op), offset, count
    };
    MemorySegment.copy(fields, 0, message, JAVA_LONG, 0, FIELDS);
    MemorySegment.copy(elements, 0, message, HEADER, elements.byteSize());
    return message;
  }

  /** Reads a message; the elements stay in it. */
  static WindowRequest read(MemorySegment message) {
    long[] fields = new long[FIELDS];
    MemorySegment.copy(message, JAVA_LONG, 0, fields, 0, FIELDS);
    return new WindowRequest(
        KINDS.get((int) fields[0]),
        fields[1],
        (int) fields[2],
        TYPES.get((int) fields[3]),
        OPERATORS.get((int) fields[4]),
        fields[5],
        fields[6],
        message.asSlice(HEADER));
  }
}
