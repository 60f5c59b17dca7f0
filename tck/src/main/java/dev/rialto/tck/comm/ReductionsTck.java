package dev.rialto.tck.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.generated.Kind;
import dev.rialto.tck.generated.Script.Contribution;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.function.Executable;

/** Reductions and scans: what is combined, in which order, with which bits. */
@Requires(Capability.REDUCTIONS)
public final class ReductionsTck extends CommunicationTck {
  @Requirement(
      id = "RED-001",
      with = "REDUCE",
      text = "A reduce combines at the root, for every type and operator.")
  @Requirement(
      id = "RED-003",
      with = "ALL_REDUCE",
      text = "An allReduce combines on all ranks, for every type and operator.")
  @Requirement(
      id = "RED-004",
      with = "SCAN",
      text = "A scan gives each rank the combination of the ranks up to and including itself.")
  @Requirement(
      id = "RED-005",
      with = "EXSCAN",
      text = "An exscan gives each rank the combination of those before it and leaves rank 0's.")
  @Requirement(
      id = "RED-006",
      with = "REDUCE_SCATTER",
      text = "A reduceScatter gives rank i the i-th block of the combination, which may be empty.")
  void combines(Kind kind) {
    scripts(script -> script.reduction(kind, Form.BLOCKING, false, ReductionsTck::notHalf));
  }

  private static boolean notHalf(Contribution of) {
    return of.type() != DType.F16 && of.type() != DType.BF16;
  }

  /** Accepts a few types, where all are tried in another form. */
  private static boolean few(Contribution of) {
    return of.type() == DType.I64 || of.type() == DType.F32 || of.type() == DType.C128;
  }

  @Requirement(
      id = "RED-002",
      text = "A reduce combines at any root and uses the result's buffer there only.")
  void reduceToEachRoot(Communicator comm, RankMemory memory) {
    ReduceOp op = ReduceOp.SUM;
    for (int root = 0; root < comm.size(); root++) {
      for (long count : COUNTS) {
        long mine = RankMemory.key(root, comm.rank());
        MemorySegment own = ReductionReference.operands(memory, mine, DType.I64, count, op);
        MemorySegment result = memory.blank(DType.I64, count);
        comm.reduce(own, result, DType.I64, count, op, root);
        MemorySegment wanted =
            comm.rank() == root
                ? ReductionReference.combined(memory, root, DType.I64, count, op, comm.size())
                : memory.blank(DType.I64, count);
        RankMemory.check(wanted, result, "reduce to " + root);
      }
    }
  }

  @Requirement(id = "RED-007", text = "The result may be the very memory of the operands.")
  void inPlace() {
    everyKind(Form.BLOCKING, true, ReductionsTck::few);
  }

  private void everyKind(Form form, boolean inPlace, Predicate<Contribution> wanted) {
    for (Kind kind : Kind.COMBINING) {
      scripts(script -> script.reduction(kind, form, inPlace, wanted));
    }
  }

  @Requirement(id = "RED-008", text = "Long vectors are combined by each reduction.")
  void longVectors() {
    scripts(script -> Kind.COMBINING.forEach(script::longSum));
  }

  @Requirement(id = "RED-009", text = "Integers of 64 bits are combined in 64 bits.", ranks = 2)
  void longsAreNotNarrowed(Communicator comm, RankMemory memory) {
    MemorySegment result = memory.blank(8);
    comm.reduce(memory.longs(3_000_000_000L), result, DType.I64, 1, ReduceOp.SUM, 0);
    if (comm.rank() == 0) {
      RankMemory.check(memory.longs(3_000_000_000L * comm.size()), result, "the sum");
    }
    comm.allReduce(memory.longs(comm.rank() - 5_000_000_000L), result, DType.I64, 1, ReduceOp.MIN);
    RankMemory.check(memory.longs(-5_000_000_000L), result, "the minimum");
  }

  @Requirement(
      id = "RED-010",
      text = "Floating-point numbers of 16 bits are combined by every operator for them.",
      capability = Capability.HALF_REDUCTIONS)
  void halves() {
    everyKind(Form.BLOCKING, false, of -> !notHalf(of));
  }

  @Requirement(
      id = "RED-011",
      text = "An allReduce gives all ranks the same bits, also where bracketing changes rounding.",
      capability = Capability.POINT_TO_POINT,
      ranks = 2)
  void allRanksGetTheSameBits(Communicator comm, RankMemory memory) {
    for (DType type : new DType[] {DType.F32, DType.F64, DType.C128}) {
      for (long count : new long[] {1, 7, 1025, 40_003}) {
        MemorySegment result = memory.blank(type, count);
        MemorySegment own = fractions(memory, comm, type, count);
        comm.allReduce(own, result, type, count, ReduceOp.SUM);
        MemorySegment previous = memory.blank(type, count);
        int next = next(comm);
        int before = previous(comm);
        comm.sendReceive(result, count, next, 1, previous, count, before, 1, type);
        RankMemory.check(previous, result, count + " " + type + " against the rank before");
      }
    }
  }

  @Requirement(
      id = "RED-012",
      text = "The same inputs give the same bits each time, in any order of arrival.",
      ranks = 2)
  void bitsAreReproducible(Communicator comm, RankMemory memory) throws Exception {
    Random delays = new Random(comm.rank());
    for (long count : new long[] {1, 1025, 40_003}) {
      MemorySegment own = fractions(memory, comm, DType.F64, count);
      MemorySegment first = memory.blank(DType.F64, count);
      comm.allReduce(own, first, DType.F64, count, ReduceOp.SUM);
      for (int round = 0; round < 6; round++) {
        Thread.sleep(0, delays.nextInt(300_000));
        MemorySegment again = memory.blank(DType.F64, count);
        comm.allReduce(own, again, DType.F64, count, ReduceOp.SUM);
        RankMemory.check(first, again, "round " + round + " of " + count);
      }
    }
  }

  /** Makes numbers whose sums round; they depend on the rank alone. */
  private static MemorySegment fractions(
      RankMemory memory, Communicator comm, DType type, long count) {
    Random random = new Random(comm.rank());
    MemorySegment buffer = memory.blank(type, count);
    boolean single = type == DType.F32;
    for (long i = 0; i < buffer.byteSize() / (single ? 4 : 8); i++) {
      double value = random.nextDouble() * Math.pow(10, random.nextInt(7));
      if (single) {
        buffer.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      } else {
        buffer.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
      }
    }
    return buffer;
  }

  @Requirement(
      id = "RED-016",
      text = "An operator that does not apply to a type, or is for windows only, is refused.")
  void unsuitableOperatorsAreRefused(Communicator comm, RankMemory memory) {
    MemorySegment a = memory.blank(16L * comm.size());
    MemorySegment b = memory.blank(16L * comm.size());
    long[] ones = new long[comm.size()];
    Arrays.fill(ones, 1);
    for (DType type : DType.values()) {
      for (ReduceOp op : ReduceOp.Builtin.values()) {
        if (ReductionReference.operators(type).contains(op)) {
          continue;
        }
        List<Executable> calls =
            List.of(
                () -> comm.reduce(a, b, type, 1, op, 0),
                () -> comm.allReduce(a, b, type, 1, op),
                () -> comm.scan(a, b, type, 1, op),
                () -> comm.exscan(a, b, type, 1, op),
                () -> comm.reduceScatter(a, b, type, ones, op));
        for (Executable call : calls) {
          refuses(IllegalArgumentException.class, op.label(), call);
        }
      }
    }
    reduceToEachRoot(comm, memory);
  }

  @Requirement(
      id = "RED-017",
      text = "Roots, counts and buffers that do not fit are refused before anything moves.")
  void argumentsAreChecked(Communicator comm, RankMemory memory) {
    int n = comm.size();
    MemorySegment fits = memory.blank(8L * n);
    MemorySegment small = memory.blank(7);
    MemorySegment readOnly = memory.blank(8).asReadOnly();
    DType type = DType.I64;
    ReduceOp op = ReduceOp.SUM;
    Class<IllegalArgumentException> wrong = IllegalArgumentException.class;
    Class<IndexOutOfBoundsException> beyond = IndexOutOfBoundsException.class;
    refuses(beyond, n, () -> comm.reduce(fits, fits, type, 1, op, n));
    refuses(beyond, -1, () -> comm.reduce(fits, fits, type, 1, op, -1));
    refuses(wrong, -2, () -> comm.allReduce(fits, fits, type, -2, op));
    refuses(beyond, 7, () -> comm.allReduce(small, fits, type, 1, op));
    refuses(beyond, 7, () -> comm.allReduce(fits, small, type, 1, op));
    refuses(beyond, 7, () -> comm.scan(small, fits, type, 1, op));
    refuses(beyond, 7, () -> comm.exscan(fits, small, type, 1, op));
    refuses(wrong, "read-only", () -> comm.allReduce(fits, readOnly, type, 1, op));
    refuses(wrong, "read-only", () -> comm.scan(fits, readOnly, type, 1, op));
    refuses(wrong, n + 1, () -> comm.reduceScatter(fits, fits, type, new long[n + 1], op));
    long[] ones = new long[n];
    Arrays.fill(ones, 1);
    refuses(beyond, 7, () -> comm.reduceScatter(small, fits, type, ones, op));
    refuses(beyond, 7, () -> comm.reduceScatter(fits, small, type, ones, op));
    long[] most = new long[n];
    Arrays.fill(most, Long.MAX_VALUE / 8);
    if (n > 1) {
      refuses(wrong, "2^63-1", () -> comm.reduceScatter(fits, fits, type, most, op));
    }
    reduceToEachRoot(comm, memory);
  }

  @Requirement(
      id = "RED-018",
      text = "Ranks that disagree on the operator, count, type, root or operation are all told.",
      capability = {Capability.SPLIT, Capability.MISMATCH_DETECTION},
      ranks = 2)
  void mismatchesAreTold(Communicator comm, RankMemory memory) {
    MemorySegment a = memory.blank(1024);
    MemorySegment b = memory.blank(1024);
    boolean odd = comm.rank() == last(comm);
    int one = odd ? 1 : 0;
    DType type = odd ? DType.I64 : DType.F64;
    ReduceOp op = odd ? ReduceOp.MAX : ReduceOp.SUM;
    ReduceOp sum = ReduceOp.SUM;
    DType i64 = DType.I64;
    CollectivesTck.mismatch(comm, c -> c.allReduce(a, b, i64, 4, op));
    CollectivesTck.mismatch(comm, c -> c.allReduce(a, b, i64, 4 + one, sum));
    CollectivesTck.mismatch(comm, c -> c.allReduce(a, b, type, 4, sum));
    CollectivesTck.mismatch(comm, c -> c.reduce(a, b, i64, 4, sum, one));
    CollectivesTck.mismatch(comm, c -> c.reduce(a, b, i64, 4 + one, sum, 0));
    CollectivesTck.mismatch(comm, c -> c.scan(a, b, i64, 4, op));
    long[] counts = new long[comm.size()];
    Arrays.fill(counts, 2 + one);
    CollectivesTck.mismatch(comm, c -> c.reduceScatter(a, b, i64, counts, sum));
    CollectivesTck.mismatch(
        comm,
        c -> {
          if (odd) {
            c.scan(a, b, i64, 4, sum);
          } else {
            c.exscan(a, b, i64, 4, sum);
          }
        });
  }

  @Requirement(
      id = "RED-019",
      text = "Each non-blocking reduction combines as its blocking form does, also in place.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void nonBlockingForms() {
    everyKind(Form.NON_BLOCKING, false, ReductionsTck::few);
    everyKind(Form.NON_BLOCKING, true, ReductionsTck::few);
  }

  @Requirement(
      id = "RED-020",
      text = "Several reductions may be under way; they are completed in any order on each rank.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void manyAreUnderWay() {
    scripts(
        script -> {
          for (Kind kind : Kind.COMBINING) {
            script.reduction(kind, Form.NON_BLOCKING, false, ReductionsTck::few);
          }
          script.shuffledFrom(0);
        });
  }

  @Requirement(
      id = "RED-021",
      text = "Each persistent reduction combines what the operands are at each start.",
      capability = Capability.PERSISTENT_COLLECTIVES)
  void persistentForms() {
    everyKind(Form.PERSISTENT, false, ReductionsTck::few);
    everyKind(Form.PERSISTENT, true, ReductionsTck::few);
  }
}
