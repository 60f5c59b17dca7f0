package dev.rialto.tck;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Intercepted.Call;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Communicators that are wrong in a corner: for one type, size, rank count, level or order. */
final class SubtleMutants {
  private static final long MIB = 1 << 20;
  private static final List<Integer> FEW = List.of(2, 3);

  private SubtleMutants() {}

  static List<Mutant> all() {
    return List.of(
        wrongAfter(
            "takes the maximum of 200 elements only",
            call ->
                call.is(Collectives.class, "allReduce")
                    && ReduceOp.MAX.equals(call.arguments()[4])
                    && count(call, 3) > 200,
            1,
            "GEN-008"),
        wrongAfter(
            "scans 32-bit integers wrongly",
            call ->
                call.is(Collectives.class, "exscan")
                    && call.arguments()[2] == DType.I32
                    && count(call, 3) > 0
                    && rank(call) > 0,
            1,
            "GEN-008"),
        wrongAfter(
            List.of(5, 6, 7),
            "gathers wrongly on 6 and 7 ranks",
            call ->
                call.is(Collectives.class, "allGather")
                    && ((Communicator) call.target()).size() >= 6
                    && count(call, 3) > 0,
            1,
            "GEN-005"),
        mutant("takes tags modulo 4096", new TagsModulo(4096), "GEN-003"),
        mutant("takes tags modulo 1000", new TagsModulo(1000), "GEN-002"),
        mutant("loses order after 200 messages that wait", new LateOvertaking(200), "GEN-002"),
        mutant(
            "corrupts messages above 2 MiB",
            call -> {
              if ((call.is(PointToPoint.class, "send")
                      || call.is(PointToPoint.class, "isend")
                      || call.is(PointToPoint.class, "persistentSend"))
                  && call.arguments()[1] instanceof DType type
                  && type.bytes(count(call, 2)) > 2 * MIB) {
                call.arguments()[0] = spoiled(call.argument(0, MemorySegment.class), 2 * MIB);
              }
              return call.proceed();
            },
            "GEN-013"),
        mutant(
            "cuts a put above 1 MiB",
            call -> {
              if (call.is(Window.class, "put") && call.arguments()[1] instanceof DType type) {
                call.arguments()[2] = Math.min(count(call, 2), MIB / type.size());
              }
              return call.proceed();
            },
            "GEN-015"),
        wrongAfter(
            "corrupts a broadcast above 1 MiB",
            call ->
                call.is(Collectives.class, "broadcast")
                    && call.argument(1, DType.class).bytes(count(call, 2)) > MIB,
            0,
            "GEN-014"),
        mutant(
            "shares the context of a duplicate's duplicate's duplicate",
            new SharedDup(2),
            "GEN-004"),
        wrongAfter(
            "reduces wrongly in place at a root above 1",
            call ->
                call.is(Collectives.class, "reduce")
                    && call.argument(5, Integer.class) > 1
                    && rank(call) == call.argument(5, Integer.class)
                    && call.argument(0, MemorySegment.class).equals(call.arguments()[1])
                    && count(call, 3) > 0,
            1,
            "GEN-008"),
        mutant(
            "adds 64-bit integers as doubles",
            call -> {
              Object result = call.proceed();
              if (call.is(Collectives.class, "scan")
                  && call.arguments()[2] == DType.I64
                  && ReduceOp.SUM.equals(call.arguments()[4])) {
                MemorySegment sums = call.argument(1, MemorySegment.class);
                for (long i = 0; i < count(call, 3); i++) {
                  long sum = sums.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
                  sums.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (long) (double) sum);
                }
              }
              return result;
            },
            "GEN-008"),
        mutant(
            "reduces halves of an odd count wrongly without blocking",
            call -> {
              if (call.is(Collectives.class, "start")
                  && call.arguments()[0] instanceof Collective.AllReduce sum
                  && sum.type() == DType.BF16
                  && sum.count() % 2 == 1
                  && !sum.send().equals(sum.receive())) {
                call.arguments()[0] =
                    new Collective.AllReduce(
                        spoiled(sum.send(), 0), sum.receive(), sum.type(), sum.count(), sum.op());
              }
              return call.proceed();
            },
            "GEN-009"),
        mutant(
            "sorts the places of gathered blocks",
            call -> {
              if (call.is(Collectives.class, "start")
                  && call.arguments()[0] instanceof Collective.GatherV gather) {
                Arrays.sort(gather.displacements());
              }
              return call.proceed();
            },
            "GEN-006"),
        wrongAfter(
            "loses the first block after an empty one",
            call ->
                call.is(Collectives.class, "allToAllV")
                    && call.argument(4, long[].class)[0] == 0
                    && call.argument(4, long[].class)[1] > 0
                    && call.argument(5, long[].class)[1] == 0,
            3,
            "GEN-005"),
        mutant(
            "sends what a persistent send's buffer held when it was made",
            call -> {
              if (call.is(PointToPoint.class, "persistentSend") && call.arguments().length == 6) {
                MemorySegment buffer = call.argument(0, MemorySegment.class);
                call.arguments()[0] = MemorySegment.ofArray(buffer.toArray(ValueLayout.JAVA_BYTE));
              }
              return call.proceed();
            },
            "GEN-001"),
        mutant(
            "rounds the length that a probe tells",
            call -> {
              Object result = call.proceed();
              return call.is(PointToPoint.class, "probe") && result instanceof Status status
                  ? new Status(status.source(), status.tag(), status.bytes() & -4, false)
                  : result;
            },
            "GEN-001"),
        mutant(
            "compares nothing when it swaps bytes",
            call -> {
              if (call.is(Window.class, "compareAndSwap") && call.arguments()[3] == DType.I8) {
                ((Window) call.target())
                    .fetchAndOp(
                        call.argument(0, MemorySegment.class),
                        call.argument(2, MemorySegment.class),
                        DType.I8,
                        call.argument(4, Integer.class),
                        call.argument(5, Long.class),
                        ReduceOp.REPLACE);
                return null;
              }
              return call.proceed();
            },
            "GEN-011"),
        mutant(
            "takes MIN for MAX far into a window",
            call -> {
              if (call.is(Window.class, "accumulate")
                  && ReduceOp.MIN.equals(call.arguments()[5])
                  && call.argument(4, Long.class) > 256) {
                call.arguments()[5] = ReduceOp.MAX;
              }
              return call.proceed();
            },
            "GEN-011"),
        mutant(
            "orders ranks of equal keys from the last to the first",
            call -> {
              if (call.is(Communicator.class, "split") && call.argument(1, Integer.class) < 1000) {
                call.arguments()[1] = call.argument(1, Integer.class) * 100 - rank(call);
              }
              return call.proceed();
            },
            "GEN-004"),
        mutant(
            "swaps the blocks of two edges between the same ranks",
            call -> {
              if (call.is(Topology.class, "run")
                  && call.arguments()[0] instanceof Collective.AllToAllV it) {
                int[] targets = ((Topology) call.target()).targets();
                long[] counts = it.sendCounts();
                long[] places = it.sendDisplacements().clone();
                for (int i = 1; i < targets.length; i++) {
                  if (targets[i] == targets[i - 1] && counts[i] == counts[i - 1]) {
                    long place = places[i];
                    places[i] = places[i - 1];
                    places[i - 1] = place;
                  }
                }
                call.arguments()[0] = CollectiveMutants.sentFrom(it, places);
              }
              return call.proceed();
            },
            "GEN-010"),
        mutant("repeats a result after 1000 reductions", new Tired(1000), "GEN-016"),
        mutant(
            "clears a buffer behind the message",
            call -> {
              Object result = call.proceed();
              if (result instanceof Status status && call.is(PointToPoint.class, "receive")) {
                MemorySegment buffer = call.argument(0, MemorySegment.class);
                if (buffer.byteSize() > status.bytes() && buffer.address() % 2 == 1) {
                  buffer.set(ValueLayout.JAVA_BYTE, status.bytes(), (byte) 0);
                }
              }
              return result;
            },
            "GEN-001"));
  }

  private static Mutant mutant(String name, Intercepted.Interceptor fault, String... caughtBy) {
    return new Mutant(name, "local", fault, List.of(caughtBy), FEW);
  }

  private interface When {
    boolean holds(Call call);
  }

  private static Mutant wrongAfter(String name, When when, int buffer, String... caughtBy) {
    return wrongAfter(FEW, name, when, buffer, caughtBy);
  }

  /** Changes the last byte of a buffer after a call. */
  private static Mutant wrongAfter(
      List<Integer> ranks, String name, When when, int buffer, String... caughtBy) {
    Intercepted.Interceptor fault =
        call -> {
          boolean wrong = when.holds(call);
          Object result = call.proceed();
          if (wrong) {
            MemorySegment memory = call.argument(buffer, MemorySegment.class);
            long at = memory.byteSize() - 1;
            memory.set(
                ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) ^ 1));
          }
          return result;
        };
    return new Mutant(name, "local", fault, List.of(caughtBy), ranks);
  }

  private static long count(Call call, int index) {
    return call.argument(index, Long.class);
  }

  private static int rank(Call call) {
    return ((Communicator) call.target()).rank();
  }

  private static MemorySegment spoiled(MemorySegment memory, long at) {
    MemorySegment copy = MemorySegment.ofArray(memory.toArray(ValueLayout.JAVA_BYTE));
    copy.set(ValueLayout.JAVA_BYTE, at, (byte) (copy.get(ValueLayout.JAVA_BYTE, at) ^ 1));
    return copy;
  }

  /** Sends and receives with fewer tags than it is asked for, and says nothing of it. */
  private static final class TagsModulo implements Intercepted.Interceptor {
    private static final Set<String> NAMED_LAST =
        Set.of("probe", "iprobe", "matchedProbe", "imatchedProbe");
    private static final Set<String> NAMED_FOURTH =
        Set.of("send", "receive", "isend", "ireceive", "persistentSend", "persistentReceive");

    private final Map<Object, Integer> asked = new ConcurrentHashMap<>();
    private final int modulus;

    TagsModulo(int modulus) {
      this.modulus = modulus;
    }

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      if (!(call.target() instanceof PointToPoint)) {
        Object result = call.proceed();
        Integer tag = asked.get(call.target());
        return tag == null ? result : renamed(result, tag);
      }
      String name = call.method().getName();
      int index =
          NAMED_LAST.contains(name)
              ? 1
              : NAMED_FOURTH.contains(name) ? (call.arguments()[1] instanceof DType ? 4 : 3) : -1;
      int tag = index < 0 ? -1 : call.argument(index, Integer.class);
      if (tag >= 0) {
        call.arguments()[index] = tag % modulus;
      }
      Object result = call.proceed();
      if (tag < 0 || result == null) {
        return result;
      }
      asked.put(
          result instanceof Optional<?> found
              ? found.orElse(null) == null ? result : found.get()
              : result,
          tag);
      return renamed(result, tag);
    }

    private static @Nullable Object renamed(@Nullable Object result, int tag) {
      return switch (result) {
        case Status status -> new Status(status.source(), tag, status.bytes(), status.cancelled());
        case Optional<?> found -> found.map(each -> renamed(each, tag));
        case null -> null;
        default -> result;
      };
    }
  }

  /** Begins one send after the next, once many are under way. */
  private static final class LateOvertaking implements Intercepted.Interceptor {
    private final Map<Object, AtomicInteger> sent = new ConcurrentHashMap<>();
    private final Map<Object, LateRequest> held = new ConcurrentHashMap<>();
    private final int most;

    LateOvertaking(int most) {
      this.most = most;
    }

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      if (!call.is(PointToPoint.class, "isend")) {
        return call.proceed();
      }
      int number = sent.computeIfAbsent(call.target(), _ -> new AtomicInteger()).incrementAndGet();
      LateRequest earlier = held.remove(call.target());
      if (earlier != null) {
        Object result = call.proceed();
        earlier.begin();
        return result;
      }
      if (number % most == 0) {
        LateRequest late = new LateRequest(call, false);
        held.put(call.target(), late);
        return late;
      }
      return call.proceed();
    }
  }

  /** Gives the parent for a duplicate at one level, and lets it be closed once more. */
  private static final class SharedDup implements Intercepted.Interceptor {
    private final Map<Object, Integer> levels =
        Collections.synchronizedMap(new IdentityHashMap<>());
    private final Set<Object> shared = ConcurrentHashMap.newKeySet();
    private final int level;

    SharedDup(int level) {
      this.level = level;
    }

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      if (call.is(Communicator.class, "close") && shared.remove(call.target())) {
        return null;
      }
      if (!call.is(Communicator.class, "dup")) {
        return call.proceed();
      }
      int at = levels.getOrDefault(call.target(), 0);
      if (at == level && shared.add(call.target())) {
        return call.target();
      }
      Object made = call.proceed();
      levels.put(Objects.requireNonNull(made), at + 1);
      return made;
    }
  }

  /** Gives an earlier result after many reductions. */
  private static final class Tired implements Intercepted.Interceptor {
    private final Map<Object, AtomicInteger> done = new ConcurrentHashMap<>();
    private final int most;

    Tired(int most) {
      this.most = most;
    }

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      if (!call.is(Collectives.class, "allReduce")
          || done.computeIfAbsent(call.target(), _ -> new AtomicInteger()).incrementAndGet()
              < most) {
        return call.proceed();
      }
      MemorySegment receive = call.argument(1, MemorySegment.class);
      byte[] before = receive.toArray(ValueLayout.JAVA_BYTE);
      Object result = call.proceed();
      receive.copyFrom(MemorySegment.ofArray(before));
      return result;
    }
  }
}
