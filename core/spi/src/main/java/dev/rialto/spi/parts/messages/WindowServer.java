package dev.rialto.spi.parts.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.parts.messages.WindowRequest.Kind;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A thread that does what other ranks ask of this rank's windows, so that they need not wait for
 * this rank to call in. It never waits for another rank but in receiving the next request: the rank
 * that asks has a receive for the answer open.
 */
final class WindowServer {
  /** The most bytes of an answer in words. */
  static final int WORDS = 1000;

  private final Communicator comm;
  private final PointToPoint messages;
  private final Map<Long, WindowTarget> targets = new ConcurrentHashMap<>();
  private boolean started;
  private boolean stopped;
  private volatile @Nullable Throwable end;

  WindowServer(Communicator comm, PointToPoint messages) {
    this.comm = comm;
    this.messages = messages;
  }

  /** Begins to serve a window; the first one starts the thread. */
  synchronized void add(long window, WindowTarget target) {
    targets.put(window, target);
    if (!started) {
      started = true;
      Thread.ofPlatform().daemon().name("windows of " + comm.name()).start(this::run);
    }
  }

  void remove(long window) {
    targets.remove(window);
  }

  /** Ends the threads of all ranks once all have called this: until then one may have to answer. */
  synchronized void stop() {
    if (started && !stopped && end == null) {
      stopped = true;
      for (int rank = 0; rank < messages.size(); rank++) {
        send(rank, WindowRequest.TAG, WindowRequest.of(Kind.STOP, 0, 0).write(messages));
      }
    }
  }

  /** Checks that requests of this rank to itself are still answered. */
  void check() {
    Throwable cause = end;
    if (cause != null) {
      throw new CommunicationException(
          "the windows of " + comm.name() + " have ended: " + cause.getMessage(),
          "rank " + messages.rank(),
          "close windows before other ranks leave",
          cause);
    }
  }

  private void run() {
    MemorySegment room = WindowRequest.room(messages);
    int stops = 0;
    try {
      while (true) {
        Status status =
            messages.receive(
                room, DType.I8, room.byteSize(), PointToPoint.ANY_SOURCE, WindowRequest.TAG);
        WindowRequest request = WindowRequest.read(room.asSlice(0, status.bytes()));
        if (request.kind() == Kind.STOP) {
          if (++stops == messages.size()) {
            return;
          }
          continue;
        }
        WindowTarget target = targets.get(request.window());
        if (target == null) {
          refuse(status.source(), request);
        } else {
          target.serve(status.source(), request);
        }
      }
    } catch (CommunicationException | IllegalStateException e) {
      // The world has failed or is closed: every other call says so too.
      end = e;
    } catch (RuntimeException | Error e) {
      end = e;
      comm.abort("rank " + messages.rank() + " cannot serve its windows any more: " + e);
    }
  }

  /** Answers for a window that this rank has closed, which was the last it had to wait for. */
  private void refuse(int source, WindowRequest request) {
    boolean fetches = request.kind() == Kind.UPDATE || request.kind() == Kind.SWAP;
    String words = fetches || request.kind() == Kind.ARRIVE ? "" : closed("the window");
    answer(source, request.reply(), words);
  }

  static String closed(String window) {
    return window + " is closed there; let all ranks close it together";
  }

  /** Answers with what went wrong, in words; none if nothing did. */
  void answer(int source, int reply, String failure) {
    byte[] words = failure.getBytes(UTF_8);
    answer(source, reply, MemorySegment.ofArray(words).asSlice(0, Math.min(words.length, WORDS)));
  }

  void answer(int source, int reply, MemorySegment bytes) {
    if (reply != WindowRequest.SILENT) {
      send(source, reply, copy(bytes));
    }
  }

  /** Copies bytes to where messages may lie. */
  MemorySegment copy(MemorySegment bytes) {
    return MessageCollectives.room(messages, bytes.byteSize()).copyFrom(bytes);
  }

  private void send(int target, int tag, MemorySegment bytes) {
    messages.send(bytes, DType.I8, bytes.byteSize(), target, tag);
  }
}
