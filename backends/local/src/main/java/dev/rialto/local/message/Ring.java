package dev.rialto.local.message;

import dev.rialto.local.memory.Memory;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The slots through which messages go from one rank to another, on one communicator.
 *
 * <p>A slot is two adjacent cache lines. Its first word holds the tag and the low bits of the
 * message's number; storing it publishes the rest, and as every lap around the ring has other
 * numbers, a slot is never cleared. A message of up to {@link #INLINE} bytes travels in its slot,
 * so that up to 48 bytes cost one transfer of a cache line and neither side waits. A longer one is
 * announced by its {@link Send}, from whose memory the receiver copies.
 *
 * <p>{@link Outlet} and {@link Inlet} are the two ends and keep the positions.
 */
public final class Ring {
  /** The most messages under way without the receiver looking. */
  public static final int SLOTS = 64;

  /** The longest message that travels in its slot. */
  public static final int INLINE = 112;

  private static final int SLOT_BYTES = 128;
  private static final int LENGTH = 8;
  private static final int PAYLOAD = 16;
  private static final int TYPE_SHIFT = 8;
  private static final int LENGTH_MASK = (1 << TYPE_SHIFT) - 1;
  private static final DType[] TYPES = DType.values();
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment slots;
  private final @Nullable Send[] sends = new Send[SLOTS];

  Ring(Arena arena) {
    slots = arena.allocate((long) SLOTS * SLOT_BYTES, SLOT_BYTES);
  }

  private static long at(long number) {
    return (number & (SLOTS - 1)) * SLOT_BYTES;
  }

  /** Puts a short message into a slot that is free. */
  @SuppressWarnings("EnumOrdinal")
  void put(long number, int tag, DType type, MemorySegment buffer, long offset, long bytes) {
    Memory.copySmall(buffer, offset, slots, at(number) + PAYLOAD, bytes);
    publish(number, tag, (long) type.ordinal() << TYPE_SHIFT | bytes);
  }

  /** Announces a message in a slot that is free. */
  void put(long number, Send send) {
    int index = (int) (number & (SLOTS - 1));
    // Storing a reference costs the garbage collector's barrier: a send that is used over and over
    // again is soon in all slots.
    if (sends[index] != send) {
      sends[index] = send;
    }
    WORD.set(slots, at(number) + PAYLOAD, send.startNumber());
    publish(number, send.tag(), ~send.bytes());
  }

  private void publish(long number, int tag, long typeAndLength) {
    long slot = at(number);
    WORD.set(slots, slot + LENGTH, typeAndLength);
    WORD.setRelease(slots, slot, (number + 1) << 32 | tag);
  }

  /** Returns whether message {@code number} is there. */
  boolean ready(long number) {
    return (int) ((long) WORD.getAcquire(slots, at(number)) >>> 32) == (int) (number + 1);
  }

  int tag(long number) {
    return (int) (long) WORD.get(slots, at(number));
  }

  /** Returns the bytes; their complement, which is negative, if the message is not in the slot. */
  long length(long number) {
    long word = (long) WORD.get(slots, at(number) + LENGTH);
    return word < 0 ? word : word & LENGTH_MASK;
  }

  /** Returns the type of a message in the slot. */
  DType type(long number) {
    return TYPES[(int) ((long) WORD.get(slots, at(number) + LENGTH) >> TYPE_SHIFT)];
  }

  /** Returns the send of a message that is not in the slot; its start is {@link #start}. */
  Send send(long number) {
    Send send = sends[(int) (number & (SLOTS - 1))];
    if (send == null) {
      throw new AssertionError("message " + number + " was announced without its send");
    }
    return send;
  }

  /** Returns which start of the send was announced: it may have been cancelled and begun again. */
  long start(long number) {
    return (long) WORD.get(slots, at(number) + PAYLOAD);
  }

  MemorySegment memory() {
    return slots;
  }

  /** Returns where a short message lies in {@link #memory}. */
  long payload(long number) {
    return at(number) + PAYLOAD;
  }
}
