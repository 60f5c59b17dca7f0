package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.Execution;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** Backends with broken memory, transfers, executors, streams, kernels, transforms and claims. */
final class HostMutants {
  private HostMutants() {}

  static List<Mutant> all() {
    return List.of(
        mutant(
            "leaves old content in new memory",
            call -> {
              Object result = call.proceed();
              if (call.is(MemorySpace.class, "allocate")) {
                ((Allocation) result).segment().fill((byte) 1);
              }
              return result;
            },
            "HGE-001"),
        mutant(
            "ignores the alignment asked for",
            call -> {
              if (call.is(MemorySpace.class, "allocate") && call.arguments().length == 2) {
                call.arguments()[1] = 1L;
              }
              return call.proceed();
            },
            "HGE-001",
            "MEM-006"),
        mutant(
            "never decreases what is used",
            call ->
                call.is(MemorySpace.class, "used")
                    ? ((MemorySpace) call.target()).peak()
                    : call.proceed(),
            "HGE-001",
            "MEM-011"),
        mutant(
            "forgets a byte per allocation",
            call -> {
              if (call.is(MemorySpace.class, "allocate") && (long) call.arguments()[0] > 0) {
                call.arguments()[0] = (long) call.arguments()[0] - 1;
              }
              return call.proceed();
            },
            "HGE-001"),
        mutant(
            "ignores a second close",
            call -> {
              try {
                return call.proceed();
              } catch (MemoryException e) {
                if (call.is(Allocation.class, "close")) {
                  return null;
                }
                throw e;
              }
            },
            "HGE-001",
            "MEM-013"),
        mutant(
            "finds an owner for any memory",
            call -> {
              try {
                return call.proceed();
              } catch (MemoryException e) {
                if (call.is(MemorySpace.class, "owner")) {
                  return ((MemorySpace) call.target()).allocate(1);
                }
                throw e;
              }
            },
            "MEM-019"),
        mutant(
            "copies overlapping memory in the wrong direction",
            call -> {
              if (!call.is(MemoryTransfer.class, "copy") || call.arguments().length != 3) {
                return call.proceed();
              }
              MemorySegment source = call.argument(0, MemorySegment.class);
              MemorySegment target = call.argument(1, MemorySegment.class);
              for (long i = 0; i < call.argument(2, Long.class); i++) {
                target.set(ValueLayout.JAVA_BYTE, i, source.get(ValueLayout.JAVA_BYTE, i));
              }
              return null;
            },
            "XFER-003"),
        mutant(
            "copies a byte too many",
            call -> {
              if (call.is(MemoryTransfer.class, "copy") && call.arguments().length == 3) {
                long bytes = call.argument(2, Long.class);
                long room =
                    Math.min(
                        call.argument(0, MemorySegment.class).byteSize(),
                        call.argument(1, MemorySegment.class).byteSize());
                call.arguments()[2] =
                    bytes < 0 ? bytes : Math.max(bytes, Math.min(bytes + 1, room));
              }
              return call.proceed();
            },
            "XFER-002",
            "XFER-006"),
        mutant(
            "ignores the offset of strided layouts",
            call -> {
              if (call.is(MemoryTransfer.class, "copy")
                  && call.arguments().length == 4
                  && call.arguments()[1] instanceof Layout.Strided box
                  && Arrays.stream(box.strides()).allMatch(stride -> stride >= 0)) {
                call.arguments()[1] = Layout.strided(box.type(), box.extents(), box.strides(), 0);
              }
              return call.proceed();
            },
            "XFER-007"),
        mutant(
            "copies at once instead of on the stream",
            call -> {
              if (!call.is(MemoryTransfer.class, "copyAsync") || call.arguments().length != 4) {
                return call.proceed();
              }
              ((MemoryTransfer) call.target())
                  .copy(
                      call.argument(0, MemorySegment.class),
                      call.argument(1, MemorySegment.class),
                      call.argument(2, Long.class));
              return null;
            },
            "XFER-013"),
        mutant(
            "swallows what chunks throw", HostMutants::swallow, "EXEC-011", "EXEC-012", "EXEC-017"),
        mutant(
            "skips the last index",
            call -> {
              if (call.is(Executor.class, "parallelFor")
                  && call.argument(0, Long.class) < call.argument(1, Long.class)) {
                call.arguments()[1] = call.argument(1, Long.class) - 1;
              }
              return call.proceed();
            },
            "HGE-006",
            "EXEC-007",
            "EXEC-008"),
        mutant(
            "runs a loop as one chunk on the caller",
            call -> {
              if (!isLoop(call)) {
                return call.proceed();
              }
              long begin = call.argument(0, Long.class);
              long end = call.argument(1, Long.class);
              if (begin < end) {
                call.argument(3, RangeBody.class).run(begin, end);
              }
              return null;
            },
            "HGE-006",
            "EXEC-006"),
        mutant("never runs nested loops", new Nested(false), "EXEC-016"),
        new Mutant(
            "deadlocks in nested loops",
            "cpu",
            new Nested(true),
            List.of("EXEC-016"),
            List.of(1),
            true),
        mutant(
            "ignores cancellation",
            call -> {
              if (call.is(Executor.class, "parallelFor") && call.arguments().length == 5) {
                call.arguments()[3] = new Cancellation();
              }
              return call.proceed();
            },
            "EXEC-020",
            "EXEC-021"),
        mutant(
            "loses what tasks throw",
            call -> {
              if (call.is(Executor.class, "execute")) {
                call.arguments()[0] = quiet(call.argument(0, Runnable.class));
              }
              return call.proceed();
            },
            "TASK-003",
            "TASK-008"),
        mutant(
            "cannot cancel tasks",
            call -> call.is(Execution.class, "cancel") ? (Object) false : call.proceed(),
            "TASK-005",
            "TASK-009"),
        mutant("runs operations of a stream out of order", new Swapped(), "STRM-002"),
        mutant(
            "loses what operations throw",
            call -> {
              if (call.is(Stream.class, "run")) {
                call.arguments()[0] = quiet(call.argument(0, Runnable.class));
              }
              return call.proceed();
            },
            "STRM-006",
            "STRM-007",
            "STRM-018"),
        mutant(
            "raises failures of a stream as they are",
            call -> {
              try {
                return call.proceed();
              } catch (DeviceException e) {
                throw e.getCause();
              }
            },
            "STRM-006"),
        mutant(
            "says that events are done",
            call -> call.is(Event.class, "isDone") ? (Object) true : call.proceed(),
            "STRM-004"),
        mutant(
            "does not wait for events",
            call -> call.is(Stream.class, "waitFor") ? null : call.proceed(),
            "STRM-012",
            "STRM-014",
            "STRM-015"),
        mutant(
            "launches a kernel over one item less",
            call -> {
              if (call.is(Executable.class, "launch")) {
                call.arguments()[0] = Math.max(0, call.argument(0, Long.class) - 1);
              }
              return call.proceed();
            },
            "KERN-004",
            "KERN-007"),
        new Mutant(
            "waits for the whole of another stream",
            "cpu",
            call -> {
              if (call.is(Timeline.class, "waitFor") && call.arguments().length == 2) {
                call.arguments()[1] = call.argument(0, Timeline.class).position();
              }
              return call.proceed();
            },
            List.of("DEV-005"),
            List.of(1),
            true),
        mutant(
            "waits for positions whatever became of them",
            call -> {
              if (call.is(Timeline.class, "waitFor") && call.arguments().length == 2) {
                Timeline other = call.argument(0, Timeline.class);
                long position = Math.min(call.argument(1, Long.class), other.position());
                ((Timeline) call.target()).run(() -> other.awaitReached(position));
                return null;
              }
              return call.proceed();
            },
            "DEV-006",
            "DEV-008"),
        mutant(
            "forgets what failed once it was raised",
            call -> call.is(Timeline.class, "failureAt") ? null : call.proceed(),
            "DEV-007"),
        mutant(
            "loses the labels of operations",
            call -> call.is(Timeline.class, "labelled") ? call.target() : call.proceed(),
            "DEV-009"),
        new Mutant(
            "confuses forward with inverse",
            "fake-fft",
            call -> {
              if (call.is(FftEngine.class, "plan")) {
                FftSpec spec = call.argument(0, FftSpec.class);
                if (spec.kind() == FftSpec.Kind.FORWARD) {
                  call.arguments()[0] =
                      FftSpec.of(
                          FftSpec.Kind.INVERSE, spec.precision(), spec.length(), spec.lines());
                }
              }
              return call.proceed();
            },
            List.of("FFT-001")),
        new Mutant(
            "destroys the input of a transform",
            "fake-fft",
            call -> {
              Object result = call.proceed();
              if (call.is(FftPlan.class, "execute")
                  && !call.arguments()[0].equals(call.arguments()[1])) {
                call.argument(0, MemorySegment.class).fill((byte) 0);
              }
              return result;
            },
            List.of("FFT-016", "FFT-021")),
        new Mutant(
            "transforms a line too many",
            "fake-fft",
            call -> {
              if (call.is(FftPlan.class, "execute")) {
                call.argument(1, MemorySegment.class).fill((byte) 0);
              }
              return call.proceed();
            },
            List.of("FFT-014", "FFT-017")),
        mutant(
            "claims a capability and skips it",
            call -> {
              if (call.is(BackendProvider.class, "capabilities")) {
                Set<Capability> more = declared(call);
                more.add(Capability.FFT);
                return more;
              }
              if (call.is(BackendProvider.class, "fftEngine")) {
                throw new TestAbortedException("no transforms today");
              }
              return call.proceed();
            },
            "FFT-001",
            "FFT-023",
            "PROV-008"),
        mutant(
            "does what it does not declare",
            call -> {
              if (call.is(BackendProvider.class, "capabilities")) {
                Set<Capability> fewer = declared(call);
                fewer.remove(Capability.EXECUTOR);
                return fewer;
              }
              return call.proceed();
            },
            "PROV-006",
            "EXEC-001"));
  }

  private static Mutant mutant(String name, Intercepted.Interceptor fault, String... caughtBy) {
    return new Mutant(name, "cpu", fault, List.of(caughtBy));
  }

  private static Set<Capability> declared(Intercepted.Call call) {
    return EnumSet.copyOf(((BackendProvider) call.target()).capabilities());
  }

  private static boolean isLoop(Intercepted.Call call) {
    return call.is(Executor.class, "parallelFor") && call.arguments().length == 4;
  }

  private static @Nullable Object swallow(Intercepted.Call call) throws Throwable {
    try {
      return call.proceed();
    } catch (Throwable e) {
      if (isLoop(call)) {
        return null;
      }
      throw e;
    }
  }

  private static Runnable quiet(Runnable operation) {
    return () -> {
      try {
        operation.run();
      } catch (Throwable e) {
        // That is the fault.
      }
    };
  }

  /** Breaks loops that are started within a chunk of another: by leaving them out, or by a lock. */
  private static final class Nested implements Intercepted.Interceptor {
    private final boolean locks;
    private final ReentrantLock lock = new ReentrantLock();
    private final ThreadLocal<Boolean> inside = ThreadLocal.withInitial(() -> false);

    Nested(boolean locks) {
      this.locks = locks;
    }

    @Override
    public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      if (!isLoop(call)) {
        return call.proceed();
      }
      if (locks) {
        lock.lockInterruptibly();
        try {
          return call.proceed();
        } finally {
          lock.unlock();
        }
      }
      if (inside.get()) {
        return null;
      }
      RangeBody body = call.argument(3, RangeBody.class);
      call.arguments()[3] =
          (RangeBody)
              (begin, end) -> {
                inside.set(true);
                try {
                  body.run(begin, end);
                } finally {
                  inside.set(false);
                }
              };
      return call.proceed();
    }
  }

  /** Holds each second operation of a stream back until the next one, or until a thread waits. */
  private static final class Swapped implements Intercepted.Interceptor {
    private @Nullable Runnable held;

    @Override
    public synchronized @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      if (!(call.target() instanceof Stream stream)) {
        return call.proceed();
      }
      Runnable before = held;
      held = null;
      if (call.is(Stream.class, "run") && before == null) {
        held = call.argument(0, Runnable.class);
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
}
