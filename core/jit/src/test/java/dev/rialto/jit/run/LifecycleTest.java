package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.runtime.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Closed objects say so and are not touched again; closing is refused while they run. */
class LifecycleTest {
  private static final Program STEP =
      Program.parse("step", "input a f64[100]\ny[i] = a[i] + 1\nz[i, j] = y[i] * a[j]");

  static Stream<String> machines() {
    return Machines.all();
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aRoutineDoesNotRunOnceItsContextIsClosed(String machine) {
    try (JitBackend backend = Machines.open(machine);
        Compiled compiled = backend.compile(STEP);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled)) {
      routine.run();
      root.device().await();
      routine.context().close();
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(routine::run)
          .withMessageContaining("routine step")
          .withMessageContaining("closed");
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> routine.context().read(STEP.node("z")))
          .withMessageContaining("closed");
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> routine.context().with(Set.of(STEP.node("z"))));
      root.device().await();
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  @SuppressWarnings("try") // closing early is what is tested
  void closingAnAncestorEndsItsDescendants(String machine) {
    try (JitBackend backend = Machines.open(machine);
        Compiled compiled = backend.compile(STEP);
        Context inputs = backend.newDevice(0).context().with(Set.of(STEP.node("a")));
        Routine routine = backend.link(inputs, compiled);
        Context context = routine.context()) {
      routine.run();
      inputs.device().await();
      inputs.close();
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(routine::run)
          .withMessageContaining("closed");
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> backend.link(context, compiled))
          .withMessageContaining("closed");
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aRoutineDoesNotRunOnceItsProgramIsClosed(String machine) {
    Program other = new Program("other", STEP.assigns());
    try (JitBackend backend = Machines.open(machine);
        Context root = backend.newDevice(0).context()) {
      List<Optional<Compiled>> batch =
          backend.compileBatch("both", List.of(STEP, other), _ -> true);
      List<Optional<Routine>> routines = backend.linkBatch(root, batch);
      batch.getFirst().orElseThrow().close();
      for (Optional<Routine> routine : routines) {
        assertThatExceptionOfType(IllegalStateException.class)
            .isThrownBy(() -> routine.orElseThrow().run())
            .withMessageContaining("program " + routine.orElseThrow().name())
            .withMessageContaining("compile it again");
        routine.orElseThrow().close();
      }
      routines.reversed().forEach(routine -> routine.orElseThrow().context().close());
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aRunThatWasQueuedBeforeClosingDoesNotTouchWhatWasFreed(String machine) {
    try (JitBackend backend = Machines.open(machine);
        Compiled compiled = backend.compile(STEP);
        Context root = backend.newDevice(0).context()) {
      Routine routine = backend.link(root, compiled);
      for (int i = 0; i < 20; i++) {
        routine.run();
      }
      routine.close();
      routine.context().close();
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(routine::run)
          .withMessageContaining("routine step is closed");
    }
  }

  @Test
  void contextsAndProgramsRefuseToCloseWhileARoutineRuns() throws InterruptedException {
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(STEP);
        Context inputs = backend.newDevice(0).context().with(Set.of(STEP.node("a")));
        Routine routine = backend.link(inputs, compiled);
        Context context = routine.context()) {
      CountDownLatch goOn = new CountDownLatch(1);
      Work waiting = inputs.device().client().work("waiting", Map.of());
      waiting.add(() -> waiting.stream().run(() -> await(goOn)));
      routine.run();
      for (AutoCloseable open : List.of(context, inputs, compiled)) {
        assertThatExceptionOfType(IllegalStateException.class)
            .isThrownBy(open::close)
            .withMessageContaining("while routine step runs");
      }
      goOn.countDown();
      inputs.device().await();
      routine.run();
      assertThat(context.read(STEP.node("z"))).hasSize(100 * 100).containsOnly(0);
    }
  }

  @Test
  void aProgramStaysOpenWhileAnyOfItsDevicesRunsIt() throws InterruptedException {
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(STEP);
        Context busy = backend.newDevice(0).context().with(Set.of(STEP.node("a")));
        Context idle = backend.newDevice(0).context().with(Set.of(STEP.node("a")));
        Routine first = backend.link(busy, compiled);
        Context _ = first.context();
        Routine second = backend.link(idle, compiled);
        Context _ = second.context()) {
      CountDownLatch goOn = new CountDownLatch(1);
      Work waiting = busy.device().client().work("waiting", Map.of());
      waiting.add(() -> waiting.stream().run(() -> await(goOn)));
      first.run();
      second.run();
      idle.device().await();
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(compiled::close)
          .withMessageContaining("await device " + busy.device());
      goOn.countDown();
      busy.device().await();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @SuppressWarnings("try") // closing early is what is tested
  void aMergeBufferOfAClosedContextIsNotRead() {
    Program program =
        Program.parse("merge", "input x f32[8]\ninput y f32[8]\ny[i] += x.merge[i]\n");
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(program);
        Context source = backend.newDevice(0).context().with(Set.of(program.node("x")));
        Context target = backend.newDevice(0).context();
        Context merged = target.transfer(program.node("x"), Context.Merge.STREAMING, source);
        Routine routine = backend.link(merged, compiled);
        Context context = routine.context()) {
      routine.run();
      target.device().await();
      source.device().await();
      source.close();
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(routine::run)
          .withMessageContaining("closed; transfer x again");
      assertThat(context.isOpen()).isTrue();
    }
  }

  @Test
  void hostMemoryIsCheckedWhenACopyIsAskedFor() {
    Node a = STEP.node("a");
    try (JitBackend backend = Machines.open("jvm");
        Context context = backend.newDevice(0).context().with(Set.of(a));
        Arena shared = Arena.ofShared()) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> context.toHost(a, shared.allocate(a.bytes()).asReadOnly()))
          .withMessageContaining("read-only");
      Arena closed = Arena.ofShared();
      MemorySegment freed = closed.allocate(a.bytes());
      closed.close();
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> context.fromHost(a, freed))
          .withMessageContaining("closed");
    }
  }
}
