package dev.rialto.example.socket;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TimeoutException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A collective under way: this rank's blocks are sent, and it takes those of the others as they
 * come. Of several blocks from one rank the first comes first, since links keep their order.
 */
final class Exchange implements Request {
  /**
   * A block, and the rank that it goes to or comes from.
   *
   * @param rank the other end
   * @param block the bytes
   */
  record Edge(int rank, MemorySegment block) {}

  private final Mailbox mailbox;
  private final Group group;
  private final int tag;
  private final Queue<Edge> missing;
  private final AtomicInteger pending;
  private @Nullable RuntimeException failure;

  /**
   * Waits for blocks.
   *
   * @param incoming the blocks, in order
   * @param pending counts the exchanges of the communicator that are not complete
   */
  Exchange(Mailbox mailbox, Group group, int tag, List<Edge> incoming, AtomicInteger pending) {
    this.mailbox = mailbox;
    this.group = group;
    this.tag = tag;
    this.missing = new ArrayDeque<>(incoming);
    this.pending = pending;
    if (!missing.isEmpty()) {
      pending.incrementAndGet();
    }
  }

  private boolean isCompleteWithin(long nanos) {
    long start = System.nanoTime();
    while (failure == null && !missing.isEmpty()) {
      Edge next = missing.element();
      try {
        long rest = nanos == Mailbox.FOREVER ? nanos : nanos - (System.nanoTime() - start);
        Frame frame =
            mailbox.await(group, next.rank(), () -> mailbox.take(group, next.rank(), tag), rest);
        if (frame == null) {
          return false;
        }
        unpack(frame.payload(), next);
        missing.remove();
        if (missing.isEmpty()) {
          pending.decrementAndGet();
        }
      } catch (RuntimeException e) {
        pending.decrementAndGet();
        failure = e;
      }
    }
    return true;
  }

  private void unpack(MemorySegment payload, Edge edge) {
    if (payload.byteSize() != edge.block().byteSize()) {
      throw new MismatchException(
          "rank "
              + edge.rank()
              + " sent "
              + payload.byteSize()
              + " bytes, not "
              + edge.block().byteSize(),
          group.where(),
          "call the same collective with the same count on all ranks",
          null);
    }
    edge.block().copyFrom(payload);
  }

  @Override
  public boolean test() {
    return isCompleteWithin(0);
  }

  @Override
  public Status await() {
    isCompleteWithin(Mailbox.FOREVER);
    return outcome();
  }

  @Override
  public Status await(Duration limit) {
    if (!isCompleteWithin(TimeUnit.NANOSECONDS.convert(limit))) {
      throw new TimeoutException(
          "blocks of " + missing.size() + " ranks have not come within " + limit,
          group.where(),
          "wait again",
          null);
    }
    return outcome();
  }

  private Status outcome() {
    if (failure != null) {
      throw failure;
    }
    return Status.EMPTY;
  }

  /** Returns false: other ranks count on this one. */
  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    isCompleteWithin(Mailbox.FOREVER);
  }
}
