package dev.rialto.example.socket;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.error.TruncationException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A receive, from being posted to being complete.
 *
 * <p>The mailbox fills it with a message. The bytes are copied by the rank that asked for them, in
 * {@link #test} or {@link #await}, since the buffer may be memory that only its thread can access.
 */
final class Receive implements Request {
  private final Mailbox mailbox;
  private final Group group;
  private final int source;
  private final int tag;
  private final MemorySegment buffer;
  private @Nullable Frame frame;
  private @Nullable Status status;
  private @Nullable RuntimeException failure;

  Receive(Mailbox mailbox, Group group, int source, int tag, MemorySegment buffer) {
    this.mailbox = mailbox;
    this.group = group;
    this.source = source;
    this.tag = tag;
    this.buffer = buffer;
  }

  Group group() {
    return group;
  }

  int source() {
    return source;
  }

  int tag() {
    return tag;
  }

  /** Called by the mailbox, which guards {@code frame}. */
  void fill(Frame message) {
    frame = message;
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
          "no message from rank " + source + " with tag " + tag + " within " + limit,
          group.where(),
          "wait again, or cancel the receive (-1 stands for any)",
          null);
    }
    return outcome();
  }

  private boolean isCompleteWithin(long nanos) {
    if (status == null && failure == null) {
      try {
        Frame message = mailbox.await(group, source, () -> frame, nanos);
        if (message == null) {
          return false;
        }
        status = unpack(message);
      } catch (RuntimeException e) {
        mailbox.withdraw(this);
        failure = e;
      }
    }
    return true;
  }

  private Status unpack(Frame message) {
    return unpack(message, buffer, group);
  }

  /** Copies a message to a buffer that is long enough. */
  static Status unpack(Frame message, MemorySegment buffer, Group group) {
    long bytes = message.payload().byteSize();
    if (bytes > buffer.byteSize()) {
      throw new TruncationException(
          "a message of %s bytes from rank %s with tag %s does not fit into %s"
              .formatted(bytes, message.source(), message.tag(), buffer.byteSize()),
          group.where(),
          "probe for the length, or give a longer buffer",
          null);
    }
    buffer.asSlice(0, bytes).copyFrom(message.payload());
    return message.status();
  }

  private Status outcome() {
    if (failure != null) {
      throw failure;
    }
    return Objects.requireNonNull(status);
  }

  @Override
  public boolean cancel() {
    if (status == null && failure == null && mailbox.withdraw(this)) {
      status = Status.CANCELLED;
    }
    return status != null && status.cancelled();
  }

  @Override
  public void close() {
    if (!cancel()) {
      isCompleteWithin(0);
    }
  }
}
