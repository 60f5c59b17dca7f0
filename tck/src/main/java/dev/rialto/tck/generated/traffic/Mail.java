package dev.rialto.tck.generated.traffic;

import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.tck.generated.Draw;
import dev.rialto.tck.generated.GuardedBuffers;
import dev.rialto.tck.generated.Placement;
import dev.rialto.tck.reference.LayoutReference;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message, and the receive that the rules of matching give it to.
 *
 * @param from the sender
 * @param to the receiver
 * @param key what its bytes are made from
 * @param mode how it is sent
 * @param fromLayout where its elements lie at the sender; null if together
 * @param tagAsked the tag that the receive names
 * @param room the elements that the receive has room for
 * @param toLayout where its elements go at the receiver; null if together
 */
record Mail(
    int from,
    int to,
    int tag,
    DType type,
    long count,
    long key,
    SendMode mode,
    @Nullable Layout fromLayout,
    Placement fromAt,
    int tagAsked,
    long room,
    @Nullable Layout toLayout,
    Placement toAt) {

  Mail asked(int newTagAsked) {
    return new Mail(
        from,
        to,
        tag,
        type,
        count,
        key,
        mode,
        fromLayout,
        fromAt,
        newTagAsked,
        room,
        toLayout,
        toAt);
  }

  /**
   * Returns the messages of one sender to one receiver in an order in which they may be received:
   * again and again one of those left is chosen, by its tag or by any, and the first that fits is
   * the one that comes.
   */
  static List<Mail> received(Draw draw, List<Mail> sent) {
    List<Mail> left = new ArrayList<>(sent);
    List<Mail> received = new ArrayList<>();
    while (!left.isEmpty()) {
      boolean any = draw.once(5);
      int tag = draw.of(left).tag;
      for (int i = 0; i < left.size(); i++) {
        if (any || left.get(i).tag == tag) {
          received.add(left.remove(i).asked(any ? PointToPoint.ANY_TAG : tag));
          break;
        }
      }
    }
    return received;
  }

  private long bytes() {
    return type.bytes(count);
  }

  MemorySegment source(GuardedBuffers buffers) {
    return buffers.source(
        fromAt, fromLayout == null ? bytes() : fromLayout.span(), to -> write(to, 0));
  }

  /** Writes the message as it is sent for a time, which has other bytes each time. */
  void write(MemorySegment to, int round) {
    if (fromLayout == null) {
      RankMemory.write(key + round, to);
    } else {
      LayoutReference.copy(plain(round), Layout.contiguous(type, count), to, fromLayout, count);
    }
  }

  /** Makes memory to send from that can be written again. */
  MemorySegment rewritable(GuardedBuffers buffers) {
    return buffers.target(fromAt, fromLayout == null ? bytes() : fromLayout.span());
  }

  MemorySegment target(GuardedBuffers buffers) {
    return buffers.target(toAt, toLayout == null ? type.bytes(room) : toLayout.span());
  }

  private MemorySegment plain(int round) {
    MemorySegment plain = MemorySegment.ofArray(new byte[(int) bytes()]);
    RankMemory.write(key + round, plain);
    return plain;
  }

  /** Checks what a receive got of a message that is sent once. */
  void check(MemorySegment target, Status status, GuardedBuffers buffers) {
    check(target, status, buffers, 0);
  }

  void check(MemorySegment target, Status status, GuardedBuffers buffers, int round) {
    checkStatus(status);
    MemorySegment expected = buffers.expected(target.byteSize());
    if (toLayout == null) {
      RankMemory.write(key + round, expected.asSlice(0, bytes()));
    } else {
      LayoutReference.copy(plain(round), Layout.contiguous(type, count), expected, toLayout, count);
    }
    RankMemory.check(expected, target, toString());
  }

  void checkStatus(Status status) {
    Status wanted = new Status(from, tag, bytes(), false);
    if (!status.equals(wanted) || status.count(type) != count) {
      throw new AssertionError(this + ": wanted " + wanted + ", got " + status);
    }
  }

  @Override
  public String toString() {
    return "message of %s %s from %s to %s with tag %s%s%s%s"
        .formatted(
            count,
            type,
            from,
            to,
            tag,
            tagAsked == tag ? "" : " received by any tag",
            fromLayout == null ? "" : " sent from " + fromLayout,
            toLayout == null ? "" : " received into " + toLayout);
  }
}
