package dev.rialto.tck;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.Execution;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.tck.Intercepted.Call;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Backends that are wrong now and then, or only when something else goes wrong. */
final class TrustMutants {
  private static final long MIB = 1 << 20;
  private static final List<Integer> FEW = List.of(2, 3);

  private TrustMutants() {}

  static List<Mutant> all() {
    return List.of(
        host(
            "runs every 40th operation of a stream after the next",
            new LateOperation(40),
            "HGE-003"),
        host(
            "says now and then that an event is done",
            every(7, call -> call.is(Event.class, "isDone"), _ -> true),
            "HGE-003"),
        host(
            "does not wait for every fifth event",
            every(5, call -> call.is(Event.class, "await"), _ -> null),
            "HGE-003"),
        host(
            "forgets every third wait of a stream",
            every(3, call -> call.is(Stream.class, "waitFor"), _ -> null),
            "HGE-003"),
        host(
            "loses the failure of a stream that waited for another",
            call -> {
              try {
                return call.proceed();
              } catch (DeviceException e) {
                if (call.is(Stream.class, "await") && e.hashCode() % 3 == 0) {
                  return null;
                }
                throw e;
              }
            },
            "HGE-003"),
        host(
            "drops the last bytes of copies above 1 MiB",
            call -> {
              if (call.is(MemoryTransfer.class, "copy")
                  && call.arguments().length == 3
                  && call.argument(2, Long.class) > MIB) {
                call.arguments()[2] = call.argument(2, Long.class) - 3;
              }
              return call.proceed();
            },
            "HGE-002"),
        host(
            "drops the last bytes of copies above 1 MiB on streams",
            call -> {
              if (call.is(MemoryTransfer.class, "copyAsync")
                  && call.arguments().length == 4
                  && call.argument(2, Long.class) > MIB) {
                call.arguments()[2] = call.argument(2, Long.class) - 1;
              }
              return call.proceed();
            },
            "HGE-004"),
        host(
            "copies halves by layout as if they lay together",
            call -> {
              if (call.is(MemoryTransfer.class, "copy")
                  && call.arguments().length == 4
                  && call.argument(1, Layout.class) instanceof Layout.Strided strided
                  && strided.type() == DType.BF16
                  && strided.count() * 2 <= call.argument(0, MemorySegment.class).byteSize()) {
                call.arguments()[1] = Layout.contiguous(DType.BF16, strided.count());
              }
              return call.proceed();
            },
            "HGE-002"),
        host(
            "leaves the end of large allocations as it was",
            call -> {
              Object result = call.proceed();
              if (call.is(MemorySpace.class, "allocate")
                  && ((Allocation) result).bytes() > 2 * MIB) {
                MemorySegment segment = ((Allocation) result).segment();
                segment.set(ValueLayout.JAVA_BYTE, segment.byteSize() - 1, (byte) 1);
              }
              return result;
            },
            "HGE-001"),
        host(
            "leaves out the last item of long launches",
            call -> {
              if (call.is(Executable.class, "launch") && call.argument(0, Long.class) > 8192) {
                call.arguments()[0] = call.argument(0, Long.class) - 1;
              }
              return call.proceed();
            },
            "HGE-005"),
        host(
            "loses what a loop threw whose chunks have one index",
            call -> {
              try {
                return call.proceed();
              } catch (RuntimeException e) {
                if (call.is(Executor.class, "parallelFor")
                    && call.arguments().length == 4
                    && call.argument(2, Long.class) == 1) {
                  return null;
                }
                throw e;
              }
            },
            "HGE-006"),
        host(
            "says that a task was cancelled which runs",
            call -> {
              Object result = call.proceed();
              return call.is(Execution.class, "cancel") ? (Object) true : result;
            },
            "HGE-007"),
        host(
            "says nothing when it is closed after tasks have failed",
            call -> {
              try {
                return call.proceed();
              } catch (IllegalStateException e) {
                if (call.is(Executor.class, "close") && e.getSuppressed().length > 1) {
                  return null;
                }
                throw e;
              }
            },
            "HGE-007"),
        host(
            "takes a copy to freed memory for one of nothing",
            call -> {
              if (call.is(MemoryTransfer.class, "copy")
                  && !call.argument(1, MemorySegment.class).scope().isAlive()) {
                return null;
              }
              return call.proceed();
            },
            "HMI-001"),
        host(
            "loses what a stream did to freed memory",
            call -> {
              if (call.is(MemoryTransfer.class, "copyAsync") && call.arguments().length == 4) {
                MemorySegment source = call.argument(0, MemorySegment.class);
                MemorySegment target = call.argument(1, MemorySegment.class);
                long bytes = call.argument(2, Long.class);
                call.argument(3, Stream.class)
                    .run(
                        () -> {
                          if (source.scope().isAlive() && target.scope().isAlive()) {
                            MemorySegment.copy(source, 0, target, 0, bytes);
                          }
                        });
                return null;
              }
              return call.proceed();
            },
            "HMI-002"),
        ranks(
            "sends nothing for memory that is freed",
            call ->
                call.is(PointToPoint.class, "send")
                        && !call.argument(0, MemorySegment.class).scope().isAlive()
                    ? null
                    : call.proceed(),
            "MIS-005"),
        ranks(
            "calls a receive complete whose memory was freed",
            call -> {
              try {
                return call.proceed();
              } catch (IllegalStateException e) {
                if (call.is(Request.class, "await")) {
                  return Status.EMPTY;
                }
                throw e;
              }
            },
            "MIS-002",
            "MIS-003"),
        ranks(
            "counts bytes in 63 bits",
            call -> {
              if (call.is(PointToPoint.class, "send") && call.argument(2, Long.class) >= 1L << 60) {
                call.arguments()[2] = (call.argument(2, Long.class) * 8) >>> 3;
              }
              return call.proceed();
            },
            "MIS-007"),
        ranks(
            "drops results into read-only memory",
            call ->
                call.is(Collectives.class, "allToAll")
                        && call.argument(1, MemorySegment.class).isReadOnly()
                    ? null
                    : call.proceed(),
            "MIS-009"),
        ranks("fences a closed window", new ClosedWindows(), "WMI-002"),
        ranks(
            "wraps what a rank threw",
            call -> {
              try {
                return call.proceed();
              } catch (CommunicationException e) {
                if (call.is(World.class, "run") && e.getCause() != null) {
                  throw new CommunicationException(
                      String.valueOf(e.getMessage()),
                      "",
                      "",
                      new IllegalStateException(e.getCause()));
                }
                throw e;
              }
            },
            "FLT-001",
            "FLT-004",
            "FLT-009"));
  }

  private static Mutant host(String name, Intercepted.Interceptor fault, String... caughtBy) {
    return new Mutant(name, "cpu", fault, List.of(caughtBy), List.of(1));
  }

  private static Mutant ranks(String name, Intercepted.Interceptor fault, String... caughtBy) {
    return new Mutant(name, "local", fault, List.of(caughtBy), FEW);
  }

  private interface When {
    boolean holds(Call call);
  }

  /** Does something else at every n-th of some calls. */
  private static Intercepted.Interceptor every(int n, When when, Intercepted.Interceptor instead) {
    AtomicInteger calls = new AtomicInteger();
    return call ->
        when.holds(call) && calls.incrementAndGet() % n == 0
            ? instead.intercept(call)
            : call.proceed();
  }

  /** Holds an operation of a stream back until the next one was added, now and then. */
  private static final class LateOperation implements Intercepted.Interceptor {
    private final Map<Object, Runnable> held = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final int n;

    LateOperation(int n) {
      this.n = n;
    }

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      if (!(call.target() instanceof Stream stream)) {
        return call.proceed();
      }
      Runnable before = held.remove(stream);
      if (call.is(Stream.class, "run") && before == null && calls.incrementAndGet() % n == 0) {
        held.put(stream, call.argument(0, Runnable.class));
        return null;
      }
      if (!call.is(Stream.class, "run") && before != null) {
        stream.run(before);
        before = null;
      }
      Object result = call.proceed();
      if (before != null) {
        stream.run(before);
      }
      return result;
    }
  }

  /** Lets a window be fenced that was closed. */
  private static final class ClosedWindows implements Intercepted.Interceptor {
    private final Map<Object, Boolean> closed = new ConcurrentHashMap<>();

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      if (call.is(Window.class, "fence") && closed.containsKey(call.target())) {
        return null;
      }
      Object result = call.proceed();
      if (call.is(Window.class, "close")) {
        closed.put(call.target(), true);
      }
      return result;
    }
  }
}
