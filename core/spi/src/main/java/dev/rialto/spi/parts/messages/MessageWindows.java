package dev.rialto.spi.parts.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.parts.messages.WindowRequest.Kind;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Windows of a communicator that has messages only.
 *
 * <p>An access is a message to its target, where a thread takes it in and carries it out: a put
 * costs a copy at each end more than a network that writes memory, and a get a message each way.
 * Links keep the order of messages, so that an answer to the last of them says that all before are
 * done. Operators of the user's do not travel and are refused, and so are layouts.
 */
public final class MessageWindows implements AutoCloseable {
  /** Memory is aligned to this. */
  private static final int ALIGNMENT = 64;

  /**
   * The time that a rank waits for an answer before it looks whether its own server is still there.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** The number of tags of answers to accesses, and as many to questions. */
  private static final int ANSWERS = 0x3fff;

  private final Communicator comm;
  private final PointToPoint messages;
  private final WindowServer server;
  private final AtomicInteger fetches = new AtomicInteger();

  /**
   * The questions that are not answered, by their tags. Accesses are answered in order, so that a
   * tag may come again; an answer that waits for another rank must not be taken for a later one.
   */
  private final BitSet questions = new BitSet(ANSWERS);

  private int lastQuestion;
  private long made;
  private int open;
  private boolean closed;

  /**
   * Makes the windows of a communicator.
   *
   * @param comm the communicator, with collectives; not used before there is a window
   * @param messages non-blocking messages between its ranks, for several threads, that nothing else
   *     uses and that do not mix with the communicator's own. They are needed until the last window
   *     is closed, which may be after the communicator.
   */
  public MessageWindows(Communicator comm, PointToPoint messages) {
    if (!messages.capabilities().contains(Capability.MULTI_THREADED)) {
      throw new IllegalArgumentException(
          messages.name() + " serves one thread at a time, but windows need a thread of their own");
    }
    this.comm = comm;
    this.messages = messages;
    this.server = new WindowServer(comm, messages);
  }

  /** Opens memory to all ranks; see {@link dev.rialto.spi.comm.Communicator#window}. */
  public Window window(MemorySegment memory) {
    HostMemory.requireReadable(memory, 0, "memory of a window");
    HostMemory.requireShared(memory, "memory of a window");
    return open(memory, null, false);
  }

  /**
   * Allocates memory for all ranks; see {@link dev.rialto.spi.comm.Communicator#allocateWindow}.
   */
  public Window allocateWindow(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a window of " + bytes + " bytes; give 0 or more");
    }
    Arena arena = Arena.ofShared();
    return open(arena.allocate(bytes, ALIGNMENT), arena, false);
  }

  /** Opens a window without memory; see {@link dev.rialto.spi.comm.Communicator#dynamicWindow}. */
  public Window dynamicWindow() {
    return open(MemorySegment.NULL, null, true);
  }

  /** Returns how many windows are not closed. */
  public synchronized int open() {
    return open;
  }

  private Window open(MemorySegment memory, @Nullable Arena arena, boolean dynamic) {
    long number = opened();
    WindowTarget target = new WindowTarget(server, nameOf(number));
    if (!dynamic) {
      target.add(memory, 0);
    }
    server.add(number, target);
    try {
      // Others send requests as soon as they know of this rank's memory.
      long[] mine = {
        number, dynamic ? Long.MAX_VALUE : memory.byteSize(), memory.isReadOnly() ? 1 : 0
      };
      long[] all = gather(mine);
      long[] bytes = new long[messages.size()];
      boolean[] fixed = new boolean[bytes.length];
      for (int rank = 0; rank < bytes.length; rank++) {
        checkSame(number, all[mine.length * rank], rank);
        bytes[rank] = all[mine.length * rank + 1];
        fixed[rank] = all[mine.length * rank + 2] != 0;
      }
      return new MessageWindow(this, number, target, memory, arena, bytes, fixed);
    } catch (RuntimeException | Error e) {
      closed(number, target, arena);
      throw e;
    }
  }

  private long[] gather(long[] mine) {
    MemorySegment send = MessageCollectives.room(messages, 8L * mine.length);
    MemorySegment receive = MessageCollectives.room(messages, send.byteSize() * messages.size());
    send.copyFrom(MemorySegment.ofArray(mine));
    comm.allGather(send, receive, DType.I64, mine.length);
    return receive.toArray(ValueLayout.JAVA_LONG);
  }

  private void checkSame(long number, long other, int rank) {
    if (number != other) {
      throw new MismatchException(
          nameOf(number) + " is made together with number " + other + " of rank " + rank,
          where(),
          "make windows in the same order on all ranks",
          null);
    }
  }

  private synchronized long opened() {
    open++;
    return made++;
  }

  /** Ends a window that this rank has no part in any more, and frees its memory. */
  void closed(long number, WindowTarget target, @Nullable Arena arena) {
    server.remove(number);
    try {
      target.close();
    } finally {
      if (arena != null) {
        arena.close();
      }
      synchronized (this) {
        open--;
        stopIfUnused();
      }
    }
  }

  /** Says that no more windows are made; those that are open can still be used and closed. */
  @Override
  public synchronized void close() {
    closed = true;
    stopIfUnused();
  }

  private void stopIfUnused() {
    if (closed && open == 0) {
      server.stop();
    }
  }

  int size() {
    return messages.size();
  }

  String nameOf(long window) {
    return "window " + window + " of " + comm.name();
  }

  private String where() {
    return "rank " + messages.rank() + " of " + messages.size() + " of " + comm.name();
  }

  /** Sends a request that is not answered. */
  void tell(int target, WindowRequest request) {
    MemorySegment message = request.write(messages);
    messages.send(message, DType.I8, message.byteSize(), target, WindowRequest.TAG);
  }

  /** Asks a target for something; the result waits for its answer. */
  Runnable ask(int target, Kind kind, long window) {
    int question = question();
    int tag = ANSWERS + 1 + question;
    MemorySegment words = MessageCollectives.room(messages, WindowServer.WORDS);
    Request answer = send(target, WindowRequest.of(kind, window, tag), words, tag);
    return () -> {
      long length = await(answer).bytes();
      answered(question);
      if (length > 0) {
        byte[] failure = words.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        throw new CommunicationException(
            "rank " + target + " tells: " + new String(failure, UTF_8), where(), "", null);
      }
    };
  }

  private synchronized int question() {
    int free = questions.nextClearBit(lastQuestion + 1);
    if (free >= ANSWERS) {
      free = questions.nextClearBit(0);
    }
    if (free >= ANSWERS) {
      throw new IllegalStateException(
          "%s: %d locks and flushes of windows of %s wait, which is the most; let some end first"
              .formatted(where(), ANSWERS, comm.name()));
    }
    questions.set(free);
    lastQuestion = free;
    return free;
  }

  private synchronized void answered(int question) {
    questions.clear(question);
  }

  /** Sends an access; the result waits for what was at its place. */
  Runnable fetch(int target, WindowRequest access, MemorySegment result) {
    int tag = 1 + (fetches.getAndIncrement() & Integer.MAX_VALUE) % ANSWERS;
    Request answer = send(target, access.answeredBy(tag), result, tag);
    return () -> {
      var _ = await(answer);
    };
  }

  private Request send(int target, WindowRequest request, MemorySegment room, int tag) {
    Request answer = messages.ireceive(room, DType.I8, room.byteSize(), target, tag);
    try {
      tell(target, request);
      return answer;
    } catch (RuntimeException e) {
      answer.close();
      throw e;
    }
  }

  /** Waits for an answer; a rank that asked itself would wait forever if its server has ended. */
  private Status await(Request answer) {
    while (true) {
      try {
        return answer.await(PATIENCE);
      } catch (TimeoutException _) {
        server.check();
      }
    }
  }

  /** Waits for several answers, and throws the first failure when all are there. */
  static void awaitAll(List<Runnable> answers) {
    RuntimeException first = null;
    for (Runnable answer : answers) {
      try {
        answer.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    // Makes the writes of these ranks' servers visible to this thread.
    VarHandle.fullFence();
    if (first != null) {
      throw first;
    }
  }
}
