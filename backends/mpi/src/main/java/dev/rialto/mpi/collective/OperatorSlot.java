package dev.rialto.mpi.collective;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * A function that the library calls back to combine elements, lent to one reduction at a time.
 *
 * <p>Making one is slow and native code holds on to it, so there are as many as were ever needed at
 * once, and they are used again.
 */
final class OperatorSlot {
  private static final MethodHandle CREATE = Mpi.function("MPI_Op_create", "pip");
  private static final Deque<OperatorSlot> FREE = new ConcurrentLinkedDeque<>();

  private final long ordered;
  private final long commutative;
  private volatile @Nullable Loan loan;

  private record Loan(ReduceOp.Combiner function, boolean commutes, DType type) {}

  private volatile @Nullable Throwable failure;

  private OperatorSlot() {
    long stub = stub().address();
    ordered = create(stub, false);
    commutative = create(stub, true);
  }

  /** Takes a slot for a reduction, which must {@link #release} it. */
  static OperatorSlot take(ReduceOp.Combiner function, boolean commutes, DType type) {
    OperatorSlot slot = FREE.pollFirst();
    if (slot == null) {
      slot = new OperatorSlot();
    }
    slot.failure = null;
    slot.loan = new Loan(function, commutes, type);
    return slot;
  }

  /** Returns the library's name for the operator. */
  long handle() {
    return loan().commutes() ? commutative : ordered;
  }

  /** Gives the slot back and returns what the function has thrown, if it has. */
  @Nullable Throwable release() {
    Throwable thrown = failure;
    loan = null;
    FREE.addFirst(this);
    return thrown;
  }

  /** Combines vectors for the library; an exception must not reach it, so it is kept. */
  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // The library calls it, and so.
  private void combine(long left, long right, long count, long datatype) {
    CombiningThreads.enter();
    try {
      Loan lent = loan();
      long n = Native.getInt(count);
      long bytes = lent.type().bytes(n);
      lent.function().combine(Native.at(left, bytes), Native.at(right, bytes), lent.type(), n);
    } catch (Throwable e) {
      failure = e;
    } finally {
      CombiningThreads.leave();
    }
  }

  private Loan loan() {
    Loan lent = loan;
    if (lent == null) {
      throw new IllegalStateException("the library combines outside of a reduction");
    }
    return lent;
  }

  @SuppressWarnings("restricted") // The library has to be able to call back.
  private MemorySegment stub() {
    try {
      MethodHandle combine =
          MethodHandles.lookup()
              .findVirtual(
                  OperatorSlot.class,
                  "combine",
                  MethodType.methodType(
                      void.class, long.class, long.class, long.class, long.class));
      return Linker.nativeLinker()
          .upcallStub(
              combine.bindTo(this),
              FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a method of this class is missing", e);
    }
  }

  private static long create(long stub, boolean commutes) {
    long out = Scratch.get().out();
    Errors.check(Native.call(CREATE, stub, commutes ? 1 : 0, out), "making an operator");
    return Mpi.getHandle(out);
  }
}
