package dev.rialto.spi.parts.messages;

import dev.rialto.spi.data.ReduceOp.Builtin;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.parts.messages.WindowRequest.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One rank's side of a window over messages: its memory, its lock, and the ranks that wait for it.
 *
 * <p>The rank and its server do one thing at a time here, which makes every access atomic. An
 * access that fails does not end the server: its origin is told at its next flush.
 */
final class WindowTarget {
  /** Memory that others reach; {@code base} is the window offset of its first byte. */
  private record Region(MemorySegment memory, long base) {
    boolean holds(long offset, long length) {
      long bytes = memory.byteSize();
      return offset >= base && length <= bytes && offset - base <= bytes - length;
    }
  }

  /** A request whose answer waits for something. */
  private record Waiting(Kind kind, int source, int reply) {
    boolean isFor(Kind wanted, int rank) {
      return kind == wanted && source == rank;
    }
  }

  /** The time to wait for other ranks before looking whether the server is still there. */
  private static final long LOOK_MILLIS = 1000;

  private final WindowServer server;
  private final String name;
  private final List<Region> regions = new ArrayList<>();
  private final List<Waiting> lockWaits = new ArrayList<>();
  private final List<Waiting> locks = new ArrayList<>();

  /** Ranks that wait for this one to come to a point, and those that it was ahead of. */
  private final List<Waiting> waits = new ArrayList<>();

  private final List<Waiting> passes = new ArrayList<>();

  /** The first failure of the accesses of a rank since its last flush. */
  private final Map<Integer, String> failures = new HashMap<>();

  WindowTarget(WindowServer server, String name) {
    this.server = server;
    this.name = name;
  }

  /** Lets others reach memory. */
  synchronized void add(MemorySegment memory, long base) {
    long bytes = memory.byteSize();
    if (regions.stream()
        .anyMatch(each -> base < each.base + each.memory.byteSize() && each.base < base + bytes)) {
      throw new IllegalArgumentException(
          "%d bytes at %d overlap what is attached; detach that first".formatted(bytes, base));
    }
    regions.add(new Region(memory, base));
  }

  /** Takes memory out; when this returns it is not accessed any more. */
  synchronized void remove(long base, long bytes) {
    if (!regions.removeIf(each -> each.base == base && each.memory.byteSize() == bytes)) {
      throw new IllegalArgumentException(
          "%d bytes at %d are not attached; give what attach was given".formatted(bytes, base));
    }
  }

  /** Checks that this rank's memory is still there when others are let in. */
  synchronized void requireAlive(String call) {
    if (regions.stream().anyMatch(each -> !each.memory.scope().isAlive())) {
      throw new IllegalStateException(
          call + " on " + name + ": its memory was freed; keep it until the window is closed");
    }
  }

  /** Does what a rank asks for, now or when the time has come. */
  synchronized void serve(int source, WindowRequest request) {
    Kind kind = request.kind();
    Waiting waiting = new Waiting(kind, source, request.reply());
    switch (kind) {
      case UPDATE, SWAP -> access(source, request);
      case FLUSH -> answerFlush(waiting);
      case LOCK_SHARED, LOCK_EXCLUSIVE -> {
        lockWaits.add(waiting);
        grant();
      }
      case UNLOCK -> {
        release(source);
        answerFlush(waiting);
        grant();
      }
      case START, AWAIT, ARRIVE -> {
        if (takeFirst(passes, each -> each.isFor(kind, source)) == null) {
          waits.add(waiting);
        } else {
          answer(waiting);
          notifyAll();
        }
      }
      case STOP -> throw new AssertionError("a window cannot stop its server");
    }
  }

  /** Lets ranks pass that wait, or will wait, for this one to come so far. */
  synchronized void pass(Kind kind, int[] ranks) {
    for (int rank : ranks) {
      Waiting waiting = takeFirst(waits, each -> each.isFor(kind, rank));
      if (waiting == null) {
        passes.add(new Waiting(kind, rank, WindowRequest.SILENT));
      } else {
        answer(waiting);
      }
    }
  }

  /** Waits until every rank has asked for what it was let pass to, and has its answer. */
  synchronized void awaitPassed(Kind kind) {
    while (passes.stream().anyMatch(each -> each.kind == kind)) {
      server.check();
      try {
        wait(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommunicationException("interrupted while closing", name, "", e);
      }
    }
  }

  /** Takes all memory out, and tells those who wait that nothing will come of it. */
  synchronized void close() {
    regions.clear();
    Stream.concat(lockWaits.stream(), waits.stream())
        .forEach(each -> server.answer(each.source, each.reply, WindowServer.closed(name)));
    lockWaits.clear();
    waits.clear();
  }

  private void answer(Waiting waiting) {
    server.answer(waiting.source, waiting.reply, "");
  }

  private void answerFlush(Waiting waiting) {
    String failure = failures.remove(waiting.source);
    server.answer(waiting.source, waiting.reply, failure == null ? "" : failure);
  }

  /** Grants the lock to those who may have it, in the order in which they asked. */
  private void grant() {
    while (!lockWaits.isEmpty()) {
      Waiting next = lockWaits.getFirst();
      boolean free =
          next.kind == Kind.LOCK_EXCLUSIVE
              ? locks.isEmpty()
              : locks.stream().noneMatch(each -> each.kind == Kind.LOCK_EXCLUSIVE);
      if (!free) {
        return;
      }
      locks.add(lockWaits.removeFirst());
      answer(next);
    }
  }

  /** Takes the lock from a rank, or out of the queue for it if the rank has given up. */
  private void release(int source) {
    if (takeFirst(locks, each -> each.source == source) == null) {
      Waiting unlocked = takeFirst(lockWaits, each -> each.source == source);
      if (unlocked != null) {
        answer(unlocked);
      }
    }
  }

  private static @Nullable Waiting takeFirst(List<Waiting> list, Predicate<Waiting> wanted) {
    for (int i = 0; i < list.size(); i++) {
      if (wanted.test(list.get(i))) {
        return list.remove(i);
      }
    }
    return null;
  }

  private void access(int source, WindowRequest request) {
    MemorySegment before = MemorySegment.NULL;
    try {
      MemorySegment place = place(request);
      if (request.reply() != WindowRequest.SILENT) {
        before = server.copy(place);
      }
      if (request.kind() == Kind.SWAP) {
        swap(place, request.elements());
      } else {
        update(place, request);
      }
    } catch (RuntimeException | Error e) {
      before = MemorySegment.NULL;
      failures.putIfAbsent(
          source,
          "an access to %d bytes at %d of %s: %s"
              .formatted(request.bytes(), request.offset(), name, e.getMessage()));
    }
    if (request.reply() != WindowRequest.SILENT) {
      server.answer(source, request.reply(), before);
    }
  }

  private MemorySegment place(WindowRequest request) {
    long offset = request.offset();
    long bytes = request.bytes();
    for (Region each : regions) {
      if (each.holds(offset, bytes)) {
        return each.memory.asSlice(offset - each.base, bytes);
      }
    }
    throw new IndexOutOfBoundsException("no memory is attached there; attach it first");
  }

  private static void update(MemorySegment place, WindowRequest request) {
    MemorySegment elements = request.elements();
    Builtin op = request.op();
    if (op == Builtin.NO_OP) {
      return;
    }
    if (op != Builtin.REPLACE) {
      ElementFold.combine(op, place, elements, request.type(), request.count());
    }
    place.copyFrom(elements);
  }

  /** Replaces an element by the first of two if it equals the second. */
  private static void swap(MemorySegment place, MemorySegment elements) {
    long bytes = place.byteSize();
    if (place.mismatch(elements.asSlice(bytes)) < 0) {
      place.copyFrom(elements.asSlice(0, bytes));
    }
  }
}
