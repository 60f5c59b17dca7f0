package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
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
 * wait for ever.
 *
 * <p>It is a collective too, and the library matches those of a communicator in order. As one comes
 * before every other, signatures meet signatures, and need no communicator of their own: making one
 * for each would double the time that {@code dup} and {@code split} take.
 */
public final class Agreement {
  private static final class Functions {
    static final MethodHandle ALL_GATHER = Mpi.function("MPI_Iallgather", "pihpihhp");
  }

  private final MpiGroup group;
  private final long comm;
  private final AtomicLong count = new AtomicLong();

  /** Memory for signatures, this rank's and those of all, that no exchange uses. */
  private final Deque<MemorySegment> free = new ConcurrentLinkedDeque<>();

  /** Makes that of a communicator, with the library's handle of it. */
  public Agreement(MpiGroup group, long handle) {
    this.group = group;
    this.comm = handle;
  }

  public SignatureExchange begin(Signature mine, MpiCall operation) {
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
    MpiRequest request = new MpiRequest(group, operation, false, memory);
    return new OfAll(request, memory, count.incrementAndGet(), mine.collective().closes());
  }

  /** The signatures of all ranks, after this rank's own. */
  private final class OfAll extends SignatureExchange {
    private final long number;
    private boolean unbalanced;

    OfAll(MpiRequest request, MemorySegment memory, long number, boolean closing) {
      super(Agreement.this.group, request, memory, free, closing);
      this.number = number;
    }

    private Signature of(int rank) {
      return Signature.at(memory.address() + (1L + rank) * Signature.BYTES);
    }

    @Override
    @Nullable MismatchException compare() {
      long first = memory.address() + Signature.BYTES;
      long call = Native.getLong(first);
      long amount = Native.getLong(first + Long.BYTES);
      boolean balanced = Signature.isBalanced(call);
      long sum = amount;
      for (int rank = 1; rank < group.size(); rank++) {
        long address = first + (long) rank * Signature.BYTES;
        long itsAmount = Native.getLong(address + Long.BYTES);
        if (Native.getLong(address) != call || (itsAmount != amount && !balanced)) {
          return mismatch(describe());
        }
        sum += itsAmount;
      }
      unbalanced = balanced && sum != 0;
      return unbalanced
          ? mismatch(of(0) + ": a rank sends another number of elements than is expected")
          : null;
    }

    @Override
    public boolean isUnbalanced() {
      return unbalanced;
    }

    private MismatchException mismatch(String words) {
      return new MismatchException(
          "ranks disagree on collective " + number + ": " + words,
          group.where(),
          "call the same on all ranks, in order",
          null);
    }

    private String describe() {
      Map<String, List<Integer>> calls = new LinkedHashMap<>();
      for (int rank = 0; rank < group.size(); rank++) {
        calls.computeIfAbsent(of(rank).toString(), any -> new ArrayList<>()).add(rank);
      }
      return calls.entrySet().stream()
          .map(each -> who(each.getValue()) + " called " + each.getKey())
          .collect(Collectors.joining(", "));
    }

    private static String who(List<Integer> ranks) {
      return (ranks.size() == 1 ? "rank " : "ranks ")
          + ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
  }
}
