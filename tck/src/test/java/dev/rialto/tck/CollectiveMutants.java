package dev.rialto.tck;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.comm.CommunicationTck;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Communicators with broken collectives, reductions, topologies and windows. */
final class CollectiveMutants {
  private CollectiveMutants() {}

  static List<Mutant> all() {
    return List.of(
        mutant(
            "does not wait at a barrier",
            call -> call.is(Collectives.class, "barrier") ? null : call.proceed(),
            "COLL-001"),
        mutant(
            "broadcasts from rank 0 whatever the root",
            call -> {
              if (call.is(Collectives.class, "broadcast")) {
                call.arguments()[3] = 0;
              }
              return call.proceed();
            },
            "COLL-002"),
        mutant(
            "ignores where gathered blocks belong",
            call -> {
              if (call.is(Collectives.class, "gatherV")) {
                call.arguments()[4] = withoutGaps(call.argument(3, long[].class));
              }
              return call.proceed();
            },
            "COLL-004"),
        mutant(
            "lets a rank without elements leave",
            call ->
                call.is(Collectives.class, "allGatherV") && call.argument(1, Long.class) == 0
                    ? null
                    : call.proceed(),
            "COLL-008"),
        mutant(
            "sends all ranks its first block",
            call -> {
              if (call.is(Collectives.class, "allToAllV")) {
                long[] displacements = call.argument(2, long[].class).clone();
                Arrays.fill(displacements, 0);
                call.arguments()[2] = displacements;
              }
              return call.proceed();
            },
            "COLL-010"),
        mutant(
            "scribbles into the gap behind what it scatters",
            call -> {
              Object result = call.proceed();
              if (call.is(Collectives.class, "scatterV")) {
                MemorySegment receive = call.argument(3, MemorySegment.class);
                long end = call.argument(5, DType.class).bytes(call.argument(4, Long.class));
                receive.asSlice(end).fill((byte) 0);
              }
              return result;
            },
            "COLL-006"),
        mutant(
            "combines nothing",
            call -> {
              if (call.is(Collectives.class, "allReduce") && call.argument(3, Long.class) > 0) {
                call.argument(1, MemorySegment.class)
                    .copyFrom(call.argument(0, MemorySegment.class).asSlice(0, bytes(call)));
                return null;
              }
              return call.proceed();
            },
            "RED-003",
            "RED-008",
            "RED-009"),
        mutant(
            "counts its own contribution twice",
            call -> {
              boolean counts = call.is(Collectives.class, "allReduce");
              byte[] own = counts ? copy(call.argument(0, MemorySegment.class)) : new byte[0];
              Object result = call.proceed();
              if (counts) {
                ReductionReference.combine(
                    MemorySegment.ofArray(own),
                    call.argument(1, MemorySegment.class),
                    call.argument(2, DType.class),
                    call.argument(3, Long.class),
                    call.argument(4, ReduceOp.class));
              }
              return result;
            },
            "RED-003",
            "RED-007",
            "RED-008"),
        mutant(
            "adds 64-bit integers in 32 bits",
            call -> {
              Object result = call.proceed();
              if (call.is(Collectives.class, "reduce")
                  && call.arguments()[2] == DType.I64
                  && ((Communicator) call.target()).rank() == call.argument(5, Integer.class)) {
                MemorySegment sums = call.argument(1, MemorySegment.class);
                for (long i = 0; i < call.argument(3, Long.class); i++) {
                  long sum = sums.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
                  sums.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, sum << 32 >> 32);
                }
              }
              return result;
            },
            "RED-001",
            "RED-002",
            "RED-009"),
        mutant(
            "leaves itself out of a scan",
            call -> {
              if (!call.is(Collectives.class, "scan")) {
                return call.proceed();
              }
              ((Communicator) call.target())
                  .exscan(
                      call.argument(0, MemorySegment.class),
                      call.argument(1, MemorySegment.class),
                      call.argument(2, DType.class),
                      call.argument(3, Long.class),
                      call.argument(4, ReduceOp.class));
              return null;
            },
            "RED-004"),
        mutant(
            "writes to rank 0 in an exclusive scan",
            call -> {
              Object result = call.proceed();
              if (call.is(Collectives.class, "exscan")
                  && ((Communicator) call.target()).rank() == 0) {
                call.argument(1, MemorySegment.class).fill((byte) 0);
              }
              return result;
            },
            "RED-005",
            "RED-007"),
        mutant(
            "applies an operator from the last rank to the first",
            call -> {
              for (int i = 0; i < call.arguments().length; i++) {
                if (call.arguments()[i] instanceof ReduceOp.User user) {
                  call.arguments()[i] = reversed(user);
                }
              }
              return call.proceed();
            },
            "RED-013"),
        mutant(
            "sends what a persistent gather's buffer held when it was made",
            call -> {
              if (call.is(Communicator.class, "prepare")
                  && call.arguments()[0] instanceof Collective.Gather gather) {
                call.arguments()[0] =
                    new Collective.Gather(
                        CommunicationTck.onHeap(gather.send()),
                        gather.receive(),
                        gather.type(),
                        gather.count(),
                        gather.root());
              }
              return call.proceed();
            },
            "GEN-007"),
        mutant(
            "sorts its neighbours",
            call -> {
              if (call.is(Communicator.class, "topology")) {
                for (int i = 0; i < 2; i++) {
                  call.arguments()[i] =
                      Arrays.stream(call.argument(i, int[].class)).sorted().toArray();
                }
              }
              return call.proceed();
            },
            "NBR-001",
            "NBR-004"),
        mutant(
            "sends its neighbours the first block",
            call -> {
              if (call.is(Topology.class, "run")
                  && call.arguments()[0] instanceof Collective.AllToAllV it) {
                call.arguments()[0] = sentFrom(it, new long[it.sendDisplacements().length]);
              }
              return call.proceed();
            },
            "NBR-005"),
        mutant("loses a put that no fence follows", new PuttingAtFences(), "EPO-002", "EPO-006"),
        mutant("fetches and adds in two steps", CollectiveMutants::inTwoSteps, "ATM-004"),
        mutant(
            "compares nothing before it swaps",
            call -> {
              if (call.is(Window.class, "compareAndSwap")) {
                ((Window) call.target())
                    .fetchAndOp(
                        call.argument(0, MemorySegment.class),
                        call.argument(2, MemorySegment.class),
                        call.argument(3, DType.class),
                        call.argument(4, Integer.class),
                        call.argument(5, Long.class),
                        ReduceOp.REPLACE);
                return null;
              }
              return call.proceed();
            },
            "ATM-006"),
        mutant(
            "takes every lock for a shared one",
            call -> {
              if (call.is(Window.class, "lock")) {
                call.arguments()[1] = Window.LockMode.SHARED;
              }
              return call.proceed();
            },
            "EPO-008"),
        mutant(
            "accesses windows outside of epochs",
            call -> {
              try {
                return call.proceed();
              } catch (IllegalStateException e) {
                return null;
              }
            },
            "WRU-001",
            "WRU-002",
            "WRU-004"));
  }

  private static Mutant mutant(String name, Intercepted.Interceptor fault, String... caughtBy) {
    return new Mutant(name, "local", fault, List.of(caughtBy));
  }

  private static long bytes(Intercepted.Call call) {
    return call.argument(2, DType.class).bytes(call.argument(3, Long.class));
  }

  private static byte[] copy(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }

  private static long[] withoutGaps(long[] counts) {
    long[] starts = new long[counts.length];
    for (int i = 1; i < counts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }

  private static ReduceOp reversed(ReduceOp.User user) {
    return ReduceOp.user(
        user.label(),
        user.commutative(),
        (left, right, type, count) -> {
          MemorySegment result = MemorySegment.ofArray(copy(left));
          user.function().combine(right, result, type, count);
          right.copyFrom(result.asSlice(0, type.bytes(count)));
        });
  }

  /** Reads, waits, and writes, without excluding other ranks. */
  private static @Nullable Object inTwoSteps(Intercepted.Call call) throws Throwable {
    if (!call.is(Window.class, "fetchAndOp")) {
      return call.proceed();
    }
    Window window = (Window) call.target();
    MemorySegment result = call.argument(1, MemorySegment.class);
    DType type = call.argument(2, DType.class);
    int target = call.argument(3, Integer.class);
    long offset = call.argument(4, Long.class);
    window.get(result, type, 1, target, offset);
    window.flush(target);
    Thread.yield();
    MemorySegment sum = MemorySegment.ofArray(copy(call.argument(0, MemorySegment.class)));
    ReductionReference.combine(result, sum, type, 1, call.argument(5, ReduceOp.class));
    window.put(sum, type, 1, target, offset);
    window.flush(target);
    return null;
  }

  /** Does a put only in windows that are used with fences. */
  private static final class PuttingAtFences implements Intercepted.Interceptor {
    private final Set<Object> fenced = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      if (call.is(Window.class, "fence")) {
        fenced.add(call.target());
      }
      boolean lost = call.is(Window.class, "put") && !fenced.contains(call.target());
      return lost ? null : call.proceed();
    }
  }

  /** Returns an exchange whose blocks lie elsewhere. */
  static Collective.AllToAllV sentFrom(Collective.AllToAllV it, long[] displacements) {
    return new Collective.AllToAllV(
        it.send(),
        it.sendCounts(),
        displacements,
        it.receive(),
        it.receiveCounts(),
        it.receiveDisplacements(),
        it.type());
  }
}
