package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.error.TruncationException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A collective under way: messages that are awaited in order, and what is done with each of them
 * once it is there.
 */
final class MessageExchange implements Request {
  private static final long FOREVER = Long.MAX_VALUE;

  /**
   * A message under way.
   *
   * @param request its receive or send
   * @param then what is done when it is complete
   */
  private record Step(Request request, Runnable then) {}

  private final MessageCollectives comm;
  private final Deque<Supplier<Step>> steps = new ArrayDeque<>();
  private final Deque<Request> receives = new ArrayDeque<>();
  private @Nullable Step current;
  private @Nullable Throwable failure;
  private boolean complete;
  private Runnable lastly = () -> {};

  MessageExchange(MessageCollectives comm) {
    this.comm = comm;
    comm.opened();
  }

  /** Adds a message that is being received; it must be {@code bytes} long. */
  void receive(Request request, int source, long bytes) {
    receives.add(request);
    steps.add(() -> received(request, source, bytes, () -> {}));
  }

  /** Adds a message whose receive is begun when its turn comes, and what is done with it then. */
  void receiveLater(Supplier<Request> begin, int source, long bytes, Runnable then) {
    steps.add(
        () -> {
          Request request = begin.get();
          receives.add(request);
          return received(request, source, bytes, then);
        });
  }

  private Step received(Request request, int source, long bytes, Runnable then) {
    return new Step(
        request,
        () -> {
          long came = request.await().bytes();
          if (came != bytes) {
            throw mismatch("rank " + source + " sent " + came + " bytes, not " + bytes, null);
          }
          then.run();
        });
  }

  /** Adds a message that is being sent. */
  void send(Request request) {
    steps.add(() -> new Step(request, () -> {}));
  }

  /** Says what is done last, when all messages have come and gone. */
  void last(Runnable work) {
    lastly = work;
  }

  /** Gives up because the rest could not be begun. */
  RuntimeException broken(RuntimeException reason) {
    end(reason);
    return reason;
  }

  private MismatchException mismatch(String what, @Nullable Throwable cause) {
    return new MismatchException(
        what, comm.where(), "call the same collective with the same count on all ranks", cause);
  }

  private boolean isCompleteWithin(long nanos) {
    long start = System.nanoTime();
    try {
      while (!complete) {
        if (current == null && steps.isEmpty()) {
          lastly.run();
          end(null);
        } else {
          current = current == null ? steps.remove().get() : current;
          long rest = nanos == FOREVER ? nanos : nanos - (System.nanoTime() - start);
          if (!isThere(current.request, rest)) {
            return false;
          }
          current.then.run();
          current = null;
        }
      }
    } catch (TruncationException e) {
      end(mismatch("a rank sent more than was expected: " + e.getMessage(), e));
    } catch (RuntimeException | Error e) {
      end(e);
    }
    return true;
  }

  private static boolean isThere(Request request, long nanos) {
    if (nanos <= 0) {
      return request.test();
    }
    try {
      var _ = nanos == FOREVER ? request.await() : request.await(Duration.ofNanos(nanos));
      return true;
    } catch (TimeoutException _) {
      return false;
    }
  }

  private void end(@Nullable Throwable reason) {
    complete = true;
    failure = reason;
    comm.closed();
    if (reason != null) {
      receives.forEach(Request::close);
    }
  }

  @Override
  public boolean test() {
    return isCompleteWithin(0);
  }

  @Override
  public Status await() {
    isCompleteWithin(FOREVER);
    return outcome();
  }

  @Override
  public Status await(Duration limit) {
    if (!isCompleteWithin(TimeUnit.NANOSECONDS.convert(limit))) {
      throw new TimeoutException(
          "the messages of a collective have not come within " + limit,
          comm.where(),
          "await it again",
          null);
    }
    return outcome();
  }

  private Status outcome() {
    return switch (failure) {
      case null -> Status.EMPTY;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default ->
          throw new CommunicationException(
              "a step of a collective threw " + failure, comm.where(), "see its cause", failure);
    };
  }

  /** Returns false: other ranks count on this one. */
  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    isCompleteWithin(FOREVER);
  }
}
