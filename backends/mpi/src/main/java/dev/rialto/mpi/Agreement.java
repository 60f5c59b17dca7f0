package dev.rialto.mpi;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of signatures that comes before each collective of a communicator.
 *
 * <p>Ranks that disagree find out here, on all ranks, before the library would mix up their data or
 * wait for ever. And as this is awaited by looking again and again, a rank that waits for one that
 * has failed, or will not come, gets an exception; a call inside of the library would not return.
 *
 * <p>It is a collective too, and the library matches those of a communicator in order. As one comes
 * before every other, signatures meet signatures, and need no communicator of their own: making one
 * for each would double the time that {@code dup} and {@code split} take.
 */
final class Agreement {
  private static final class Functions {
    static final MethodHandle ALL_GATHER = Mpi.function("MPI_Iallgather", "pihpihhp");
  }

  private final MpiGroup group;
  private final long comm;
  private final AtomicLong count = new AtomicLong();

  /** Memory for signatures, this rank's and those of all, that no exchange uses. */
  private final Deque<MemorySegment> free = new ConcurrentLinkedDeque<>();

  /** Makes that of a communicator, with the library's handle of it. */
  Agreement(MpiGroup group, long handle) {
    this.group = group;
    this.comm = handle;
  }

  /** Begins the exchange for a collective. */
  Exchange begin(Signature mine, Operation operation) {
    MemorySegment memory = free.pollFirst();
    if (memory == null) {
      memory = Arena.ofAuto().allocate((group.size() + 1L) * Signature.BYTES, Signature.BYTES);
    }
    long address = memory.address();
    mine.write(address);
    int code =
        Native.call(
            Functions.ALL_GATHER,
            address,
            Signature.BYTES,
            Mpi.BYTE,
            address + Signature.BYTES,
            Signature.BYTES,
            Mpi.BYTE,
            comm,
            Scratch.get().request());
    group.check(code, operation);
    MpiRequest request =
        new MpiRequest(group, operation, MpiRequest.Kind.COLLECTIVE, false, memory);
    return new Exchange(request, memory, count.incrementAndGet(), mine.collective().closes());
  }

  /** One exchange. */
  final class Exchange {
    private final MpiRequest request;
    private final MemorySegment memory;
    private final long number;
    private final boolean closing;
    private @Nullable MismatchException mismatch;
    private boolean judged;

    private Exchange(MpiRequest request, MemorySegment memory, long number, boolean closing) {
      this.request = request;
      this.memory = memory;
      this.number = number;
      this.closing = closing;
    }

    /** Waits until all ranks have come, and throws if they disagree. */
    void await() {
      request.await(closing);
      judge();
    }

    boolean test() {
      if (!request.test()) {
        return false;
      }
      judge();
      return true;
    }

    private void judge() {
      if (!judged) {
        request.await();
        judged = true;
        mismatch = compare();
        free.addFirst(memory);
      }
      if (mismatch != null) {
        throw mismatch;
      }
    }

    private @Nullable MismatchException compare() {
      long first = memory.address() + Signature.BYTES;
      long call = Native.getLong(first);
      long amount = Native.getLong(first + Long.BYTES);
      for (int rank = 1; rank < group.size(); rank++) {
        long address = first + (long) rank * Signature.BYTES;
        if (Native.getLong(address) != call || Native.getLong(address + Long.BYTES) != amount) {
          return new MismatchException(
              describe(first), group.where(), "call the same on all ranks, in order", null);
        }
      }
      return null;
    }

    private String describe(long first) {
      Map<String, List<Integer>> calls = new LinkedHashMap<>();
      for (int rank = 0; rank < group.size(); rank++) {
        Signature signature = Signature.at(first + (long) rank * Signature.BYTES);
        calls.computeIfAbsent(signature.toString(), any -> new ArrayList<>()).add(rank);
      }
      return calls.entrySet().stream()
          .map(each -> who(each.getValue()) + " called " + each.getKey())
          .collect(Collectors.joining(", ", "ranks disagree on collective " + number + ": ", ""));
    }

    private static String who(List<Integer> ranks) {
      return (ranks.size() == 1 ? "rank " : "ranks ")
          + ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
  }

  /** A collective that was begun with its exchange: it is complete when both are. */
  record Agreed(Exchange exchange, Request request) implements Request {
    @Override
    public boolean test() {
      return exchange.test() && request.test();
    }

    @Override
    public Status await() {
      exchange.await();
      return request.await();
    }

    @Override
    public Status await(Duration limit) {
      long end = System.nanoTime() + limit.toNanos();
      exchange.request.await(limit);
      exchange.judge();
      return request.await(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }

    @Override
    public boolean cancel() {
      return false;
    }

    @Override
    public void close() {
      exchange.request.close();
      exchange.judge();
      request.close();
    }
  }
}
