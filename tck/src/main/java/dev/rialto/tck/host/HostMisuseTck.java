package dev.rialto.tck.host;

import static dev.rialto.spi.Capability.MEMORY;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.tck.Mistake;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Samples;
import dev.rialto.tck.reference.Together;
import dev.rialto.tck.run.NotRun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Mistakes with memory, transfers, streams, executors, kernels and transforms: each ends by an
 * exception that gives a reason, or as if it were none, and the backend works afterwards.
 */
public final class HostMisuseTck extends Tck {
  private static final int BYTES = 1 << 16;

  /** Leaves out what is the caller's duty where a device works with addresses of the host. */
  private void needsHostMemory() {
    if (capabilities().contains(MEMORY)
        && spaces().stream().anyMatch(s -> !s.properties().hostAccessible())) {
      throw new NotRun("a device keeps addresses of the host");
    }
  }

  private static MemorySegment freed(long bytes) {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(bytes, 64);
    arena.close();
    return memory;
  }

  /** Checks that copies still move what they should. */
  private void copies() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment source = arena.allocate(BYTES).fill((byte) 3);
      MemorySegment target = arena.allocate(BYTES);
      device().transfer().copy(source, target, BYTES);
      assertEquals(-1, source.mismatch(target), "a copy afterwards");
    }
  }

  private static void runs(Stream stream) {
    AtomicInteger ran = new AtomicInteger();
    stream.run(ran::incrementAndGet);
    stream.await();
    assertEquals(1, ran.get(), "an operation afterwards");
  }

  @Requirement(
      id = "HMI-001",
      text = "Copies of memory that is freed, read-only or another thread's are refused.",
      capability = Capability.TRANSFER)
  void badCopies() throws Exception {
    MemoryTransfer transfer = device().transfer();
    Layout dense = Layout.contiguous(DType.I8, 64);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment good = arena.allocate(64);
      MemorySegment freed = freed(64);
      Mistake.isRefused(
          IllegalStateException.class, "a copy from freed", () -> transfer.copy(freed, good, 64));
      Mistake.isRefused(
          IllegalStateException.class, "a copy to freed", () -> transfer.copy(good, freed, 64));
      Mistake.isRefused(
          IllegalStateException.class,
          "a copy to freed by layout",
          () -> transfer.copy(good, dense, freed, dense));
      Mistake.isRefused("a copy to read-only", () -> transfer.copy(freed, good.asReadOnly(), 64));
      Mistake.isRefused(
          "a copy to read-only by layout",
          () -> transfer.copy(good, dense, arena.allocate(64).asReadOnly(), dense));
      Together.run(
          1,
          _ ->
              Mistake.isRefused(
                  WrongThreadException.class,
                  "a copy of another thread's memory",
                  () -> transfer.copy(good, MemorySegment.ofArray(new byte[64]), 64)));
    }
    copies();
  }

  @Requirement(
      id = "HMI-002",
      text = "Memory that is freed before a copy's turn on its stream is told by the stream.",
      capability = {Capability.TRANSFER, Capability.STREAMS})
  void freedBeforeACopy() {
    needsHostMemory();
    for (boolean target : new boolean[] {false, true}) {
      try (Arena kept = Arena.ofShared();
          Stream stream = device().openStream(0);
          Gate gate = new Gate()) {
        Arena arena = Arena.ofShared();
        MemorySegment freed = arena.allocate(BYTES);
        MemorySegment good = kept.allocate(BYTES);
        stream.run(gate::await);
        device().transfer().copyAsync(target ? good : freed, target ? freed : good, BYTES, stream);
        Mistake.free(arena);
        gate.open();
        boolean wasFreed = !arena.scope().isAlive();
        boolean done = Mistake.isDone("a copy of freed memory", stream::await);
        assertEquals(wasFreed, !done, "copied, although the memory was freed");
        runs(stream);
        Mistake.freeAtLast(arena);
      }
      copies();
    }
  }

  @Requirement(
      id = "HMI-003",
      text = "An allocation that is closed before a copy's turn is told, or copied well.",
      capability = {Capability.MEMORY, Capability.TRANSFER, Capability.STREAMS})
  void allocationClosedBeforeACopy() {
    needsHostMemory();
    try (Arena kept = Arena.ofShared();
        Stream stream = device().openStream(0);
        Gate gate = new Gate()) {
      MemorySegment target = kept.allocate(BYTES).fill((byte) 9);
      Allocation allocation = spaces().getFirst().allocate(BYTES);
      stream.run(gate::await);
      device().transfer().copyAsync(allocation.segment(), target, BYTES, stream);
      boolean closed = Mistake.isDone("closing what a stream will read", allocation::close);
      gate.open();
      if (Mistake.isDone("a copy of a closed allocation", stream::await)) {
        assertArrayEquals(new byte[BYTES], target.toArray(ValueLayout.JAVA_BYTE), "the copy");
      }
      if (!closed) {
        allocation.close();
      }
      runs(stream);
    }
    copies();
  }

  @Requirement(
      id = "HMI-004",
      text = "A closed stream refuses all work with IllegalStateException; its events still serve.",
      capability = {Capability.STREAMS, Capability.TRANSFER})
  void closedStreams() {
    try (Arena arena = Arena.ofShared();
        Stream other = device().openStream(0)) {
      MemorySegment memory = arena.allocate(64);
      MemorySegment target = arena.allocate(64);
      Stream stream = device().openStream(0);
      stream.run(() -> {});
      Event event = stream.record();
      stream.close();
      MemoryTransfer transfer = device().transfer();
      Mistake.isRefused(
          IllegalStateException.class, "work on a closed stream", () -> stream.run(() -> {}));
      Mistake.isRefused(
          IllegalStateException.class,
          "a copy on a closed stream",
          () -> transfer.copyAsync(memory, target, 64, stream));
      Mistake.isRefused(
          IllegalStateException.class,
          "a wait of a closed stream",
          () -> stream.waitFor(other.record()));
      assertTrue(stream.isIdle(), "a closed stream has work");
      stream.await();
      stream.close();
      other.waitFor(event);
      runs(other);
    }
  }

  @Requirement(
      id = "HMI-005",
      text = "An operation that waits for its own stream, or closes it, is told; nothing hangs.",
      capability = Capability.STREAMS)
  void waitingForOneself() {
    Stream stream = device().openStream(0);
    stream.run(stream::await);
    Mistake.isRefused("an operation that awaits its stream", stream::await);
    runs(stream);
    stream.run(stream::close);
    Mistake.isRefused("an operation that closes its stream", stream::await);
    Mistake.isDone("closing the stream", stream::close);
    try (Stream another = device().openStream(0)) {
      runs(another);
    }
  }

  @Requirement(
      id = "HMI-006",
      text = "Kernels on memory that is freed before their turn, or too small, are told.",
      capability = {Capability.KERNELS, Capability.STREAMS})
  void badKernelBuffers() {
    needsHostMemory();
    KernelCompiler compiler = device().compiler();
    for (String language : compiler.languages()) {
      LoweredKernel kernel = Samples.affine(language);
      try (Arena kept = Arena.ofShared();
          Executable affine = compiler.compile(kernel);
          Stream stream = device().openStream(0);
          Gate gate = new Gate()) {
        MemorySegment in = kept.allocate(8 * 1000, 64);
        Arena arena = Arena.ofShared();
        MemorySegment out = arena.allocate(8 * 1000, 64);
        stream.run(gate::await);
        affine.launch(1000, List.of(in, out), stream);
        Mistake.free(arena);
        gate.open();
        boolean freed = !arena.scope().isAlive();
        assertEquals(
            freed,
            !Mistake.isDone("a kernel on freed memory", stream::await),
            "ran, although its memory was freed");
        Mistake.freeAtLast(arena);
        MemorySegment small = kept.allocate(8 * 10, 64);
        Mistake.isRefused(
            "a kernel on a buffer that is too small",
            () -> {
              affine.launch(1000, List.of(in, small), stream);
              stream.await();
            });
        MemorySegment result = kept.allocate(8 * 1000, 64);
        affine.launch(1000, List.of(in, result), stream);
        stream.await();
        assertEquals(999, result.getAtIndex(ValueLayout.JAVA_DOUBLE, 999), "a kernel afterwards");
      }
    }
  }

  @Requirement(
      id = "HMI-007",
      text = "An executor that is closed while loops run lets them end, or refuses them.",
      capability = Capability.EXECUTOR)
  void executorsClosedUnderLoops() throws Exception {
    for (int round = 0; round < 20; round++) {
      Executor executor = backend().openExecutor(3);
      AtomicInteger ran = new AtomicInteger();
      Together.run(
          3,
          thread -> {
            if (thread == 0) {
              Mistake.isDone("closing under a loop", executor::close);
            } else {
              for (int i = 0; i < 20; i++) {
                AtomicInteger own = new AtomicInteger();
                if (Mistake.isDone(
                    "a loop on an executor that is being closed",
                    () ->
                        executor.parallelFor(
                            0, 100, 7, (begin, end) -> own.addAndGet((int) (end - begin))))) {
                  assertEquals(100, own.get(), "indices of a loop that returned");
                  ran.incrementAndGet();
                }
                if (Mistake.isDone(
                    "a task on an executor that is being closed",
                    () -> executor.execute(own::incrementAndGet).await())) {
                  assertTrue(own.get() % 100 == 1, "a task that was awaited did not run");
                }
              }
            }
          });
      Mistake.isRefused(
          IllegalStateException.class,
          "a loop on a closed executor",
          () -> executor.parallelFor(0, 1, 1, (_, _) -> {}));
      executor.close();
    }
  }

  private interface PlanCheck {
    void check(FftPlan plan, FftSpec spec, Arena arena) throws Exception;
  }

  private void eachPlan(PlanCheck check) throws Exception {
    needsHostMemory();
    for (DType precision : List.of(DType.F64, DType.F32)) {
      for (int length : new int[] {12, 500}) {
        FftSpec spec = FftSpec.of(FftSpec.Kind.FORWARD, precision, length, 6);
        try (FftPlan plan = backend().fftEngine().plan(spec);
            Arena arena = Arena.ofShared()) {
          check.check(plan, spec, arena);
        }
      }
    }
  }

  private static MemorySegment transformed(FftPlan plan, MemorySegment in, Arena arena) {
    MemorySegment out = arena.allocate(plan.spec().outBytes(), 64);
    plan.execute(in, out, arena.allocate(plan.workspaceBytes(), 64));
    return out;
  }

  /** Compares results of what may be other algorithms of an engine. */
  private static void assertClose(FftSpec spec, MemorySegment wanted, MemorySegment actual) {
    boolean wide = spec.precision() == DType.F64;
    for (long i = 0; i < wanted.byteSize() / spec.precision().size(); i++) {
      if (wide) {
        assertEquals(
            wanted.getAtIndex(ValueLayout.JAVA_DOUBLE, i),
            actual.getAtIndex(ValueLayout.JAVA_DOUBLE, i),
            1e-10);
      } else {
        assertEquals(
            wanted.getAtIndex(ValueLayout.JAVA_FLOAT, i),
            actual.getAtIndex(ValueLayout.JAVA_FLOAT, i),
            1e-3);
      }
    }
  }

  private static MemorySegment input(FftSpec spec, Arena arena) {
    MemorySegment in = arena.allocate(spec.inBytes(), 64);
    boolean wide = spec.precision() == DType.F64;
    for (long i = 0; i < in.byteSize() / spec.precision().size(); i++) {
      if (wide) {
        in.setAtIndex(ValueLayout.JAVA_DOUBLE, i, Math.sin((double) i));
      } else {
        in.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) Math.sin((double) i));
      }
    }
    return in;
  }

  @Requirement(
      id = "HMI-008",
      text =
          "Transforms of memory that is freed or read-only are refused; misaligned ones are right.",
      capability = Capability.FFT)
  void badTransforms() throws Exception {
    eachPlan(
        (plan, spec, arena) -> {
          MemorySegment in = input(spec, arena);
          MemorySegment wanted = transformed(plan, in, arena);
          MemorySegment out = arena.allocate(spec.outBytes(), 64);
          MemorySegment work = arena.allocate(plan.workspaceBytes(), 64);
          Mistake.isRefused(
              IllegalStateException.class,
              "a transform of freed memory",
              () -> plan.execute(freed(spec.inBytes()), out, work));
          Mistake.isRefused(
              IllegalStateException.class,
              "a transform into freed memory",
              () -> plan.execute(in, freed(spec.outBytes()), work));
          Mistake.isRefused(
              IllegalArgumentException.class,
              "a transform into read-only memory",
              () -> plan.execute(in, out.asReadOnly(), work));
          MemorySegment odd = arena.allocate(spec.inBytes() + 1, 64).asSlice(1);
          odd.copyFrom(in);
          if (Mistake.isDone(
              "a transform of misaligned memory", () -> plan.execute(odd, out, work))) {
            assertClose(spec, wanted, out);
          }
          assertEquals(-1, wanted.mismatch(transformed(plan, in, arena)), "afterwards");
        });
  }

  @Requirement(
      id = "HMI-009",
      text = "A plan that is closed while it transforms ends well, or says so.",
      capability = Capability.FFT)
  void closedWhileTransforming() throws Exception {
    eachPlan(
        (kept, spec, arena) -> {
          MemorySegment in = input(spec, arena);
          MemorySegment wanted = transformed(kept, in, arena);
          MemorySegment out = arena.allocate(spec.outBytes(), 64);
          for (int round = 0; round < 20; round++) {
            FftPlan plan = backend().fftEngine().plan(spec);
            MemorySegment work = arena.allocate(plan.workspaceBytes(), 64);
            Together.run(
                2,
                thread -> {
                  if (thread == 1) {
                    Mistake.isDone("closing a plan that works", plan::close);
                    return;
                  }
                  for (int i = 0; i < 50; i++) {
                    if (Mistake.isDone(
                        "a transform whose plan is closed", () -> plan.execute(in, out, work))) {
                      assertEquals(-1, wanted.mismatch(out), "a transform that returned");
                    }
                  }
                });
            plan.close();
          }
          assertEquals(-1, wanted.mismatch(transformed(kept, in, arena)), "afterwards");
        });
  }
}
