package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.jit.run.VirtualDevice;
import dev.rialto.runtime.Work;
import dev.rialto.spi.Probe;
import dev.rialto.spi.World;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compiled programs read and write arrays in place, in order with the arrays' own algorithms. */
@Tag("gpu")
class BoundArraysTest {
  /** The body of a rank, given a program's device. */
  private interface OnMachine {
    void run(Team team, VirtualDevice device);
  }

  /** Returns a test for each target and each number of ranks, on the host and on devices. */
  private static Stream<DynamicTest> tests(OnMachine body) {
    Stream<DynamicTest> host =
        Stream.of("jvm", "sync_jvm", "cc")
            .filter(
                name ->
                    JitBackend.targets().get(name.replace("sync_", "")).probe()
                        instanceof Probe.Available)
            .flatMap(
                name ->
                    Stream.of(1, 3)
                        .map(
                            ranks ->
                                DynamicTest.dynamicTest(
                                    name + " on " + ranks,
                                    () -> onHost(ranks, team -> open(name, team, body)))));
    Stream<DynamicTest> devices =
        OnDevices.tests(
            team -> {
              String device = team.space(1).client().device().name();
              open(device.substring(0, device.indexOf(':')), team, body);
            });
    return Stream.concat(host, devices);
  }

  private static void onHost(int ranks, Consumer<Team> body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.accept(team);
            }
          });
    }
  }

  private static void open(String target, Team team, OnMachine body) {
    try (JitBackend backend = JitBackend.open(target)) {
      body.run(team, backend.newDevice(team.space(1).client()));
    }
  }

  /** Returns a program over this rank's part of an array. */
  private static Program program(Array array, String text) {
    Shape shape = array.localShape();
    return Program.parse("step", text.formatted(shape.extent(0), shape.extent(1)));
  }

  private static void expect(RealArray array, double... expected) {
    double[] all = array.gather(0);
    if (array.team().communicator().rank() == 0) {
      assertThat(all).isEqualTo(expected);
    }
  }

  private static double[] numbers(RealArray.Unary f) {
    double[] all = new double[31 * 4];
    for (int i = 0; i < all.length; i++) {
      all[i] = f.applyAsDouble(i);
    }
    return all;
  }

  @TestFactory
  Stream<DynamicTest> programsAndAlgorithmsTakeTurns() {
    return tests(BoundArraysTest::takeTurns);
  }

  private static void takeTurns(Team team, VirtualDevice device) {
    try (F64Array a = team.f64(31, 4);
        F64Array b = a.like()) {
      Program program = program(a, "input x f64[%d, %d]\noutput y[i, j] = 2 * x[i, j] + 1\n");
      Map<Node, Array> nodes = Map.of(program.node("x"), a, program.node("y"), b);
      try (Compiled compiled = device.backend().compile(program);
          Context root = device.context();
          Context bound = root.with(nodes);
          Routine step = device.backend().link(bound, compiled);
          Context context = step.context()) {
        assertThat(context.nodes()).containsExactlyInAnyOrderElementsOf(nodes.keySet());
        a.generate(i -> i);
        step.run();
        expect(b, numbers(i -> 2 * i + 1));
        for (int round = 0; round < 5; round++) {
          a.copy(b);
          step.run();
          b.axpy(-1, a);
          step.run();
          a.set(a, b, (p, q) -> q - p);
          a.map(v -> v - 1);
          step.run();
        }
        // In each round a becomes 2 a + 1 of the a before.
        expect(a, numbers(i -> 32 * i + 31));
        assertThat(b.reduce(v -> v, ReduceOp.SUM))
            .isEqualTo(java.util.Arrays.stream(numbers(i -> 64 * i + 63)).sum());
        assertThat(context.read(program.node("y"))).hasSize((int) b.localShape().count());
        device.await();
      }
      a.fill(3);
      expect(a, numbers(_ -> 3));
    }
  }

  @TestFactory
  Stream<DynamicTest> aHaloIsAPartOfTheNode() {
    return tests(BoundArraysTest::diffuse);
  }

  private static void diffuse(Team team, VirtualDevice device) {
    try (F64Array t = team.space(31, 4).halo(new int[] {1, 0}, new int[] {1, 0}).f64();
        F64Array next = t.like()) {
      Program program =
          program(
              t,
              """
              input x f64[%d, %d]
              output y[i, j] = pad(x[i-1, j]) + pad(x[i+1, j]) + 0 * x[i, j]
              """);
      Node x = program.node("x");
      Node y = program.node("y");
      try (Compiled compiled = device.backend().compile(program);
          Context root = device.context();
          Context bound = root.with(Map.of(x, t, y, next));
          Routine step = device.backend().link(bound, compiled);
          Context context = step.context()) {
        t.generate(i -> i);
        for (int round = 0; round < 2; round++) {
          t.updateHalo();
          step.run();
          t.copy(next);
        }
        // Twice the sum of the rows above and below: two rows up, twice its own, two rows down.
        expect(
            t,
            numbers(
                i -> {
                  double above = i >= 8 ? i - 8 : 0;
                  double below = i < 31 * 4 - 8 ? i + 8 : 0;
                  return above + below + (i < 4 || i >= 30 * 4 ? i : 2 * i);
                }));
        assertThat(context.holds(x)).isTrue();
        device.await();
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> whatCannotBeANodeIsToldWithBothSides() {
    return tests(BoundArraysTest::misfits);
  }

  private static void misfits(Team team, VirtualDevice device) {
    int rank = team.communicator().rank();
    try (F64Array a = team.f64(30, 4);
        F64Array padded = team.space(30, 4).halo(1).f64();
        F64Array columns = team.space(30, 4).divided(Decomposition.block(1, 1)).f64();
        Context root = device.context()) {
      long rows = a.localShape().extent(0);
      Node x = Node.hosted("x", a.type(), rows, 4);
      Node z = Node.hosted("z", a.type(), rows, 4);
      Node floats = Node.hosted("floats", dev.rialto.spi.data.DType.F32, rows, 4);
      Node wide = Node.hosted("wide", a.type(), rows, 5);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> root.with(Map.of(floats, a)))
          .withMessageContaining("node floats of F32 and shape " + rows + "x4")
          .withMessageContaining("whose part on rank " + rank + " is of F64 and shape " + rows);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> root.with(Map.of(wide, a)))
          .withMessageContaining("node wide of F64 and shape " + rows + "x5");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> root.with(Map.of(x, padded)))
          .withMessageContaining("shape " + (rows + 2) + "x6 with its halo");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> root.with(Map.of(x, a, z, a)))
          .withMessageContaining("would share memory");
      if (!a.isOnDevice()) {
        Array view = columns.slice(1, 0, 4);
        Node whole = Node.hosted("whole", a.type(), view.localShape().extents());
        assertThatIllegalArgumentException()
            .isThrownBy(() -> root.with(Map.of(whole, view)))
            .withMessageContaining("a view");
      }
      // What was refused holds nothing: all can be closed.
    }
  }

  @TestFactory
  Stream<DynamicTest> whatIsBoundStaysAsItIs() {
    return tests(BoundArraysTest::lifetimes);
  }

  private static void lifetimes(Team team, VirtualDevice device) {
    F64Array a = team.f64(30, 4);
    Node x = Node.hosted("x", a.type(), a.localShape().extents());
    try (Context root = device.context()) {
      Context bound = root.with(Map.of(x, a));
      assertThatIllegalStateException()
          .isThrownBy(a::close)
          .withMessageContaining("closing of F64 array")
          .withMessageContaining("close the context first");
      assertThatIllegalStateException()
          .isThrownBy(() -> bound.with(Map.of(x, a)))
          .withMessageContaining("node x is in the context");
      bound.close();
      a.close();
      assertThatIllegalStateException()
          .isThrownBy(() -> root.with(Map.of(x, a)))
          .withMessageContaining("is closed");
    }
  }

  @TestFactory
  Stream<DynamicTest> aFailureIsRaisedByTheNextUseOfWhatWasNotWritten() {
    return tests(BoundArraysTest::fail);
  }

  private static void fail(Team team, VirtualDevice device) {
    try (F64Array a = team.f64(31, 4);
        F64Array b = a.like()) {
      Program program = program(a, "input x f64[%d, %d]\noutput y[i, j] = 2 * x[i, j]\n");
      Node x = program.node("x");
      try (Compiled compiled = device.backend().compile(program);
          Context root = device.context();
          Context bound = root.with(Map.of(x, a, program.node("y"), b));
          Routine step = device.backend().link(bound, compiled);
          Context context = step.context()) {
        Work failing = device.client().work("source", Map.of(context.buffer(x), Access.WRITE));
        failing.add(
            () ->
                failing.stream()
                    .run(
                        () -> {
                          throw new IllegalStateException("no numbers today");
                        }));
        assertThatExceptionOfType(DeviceException.class)
            .isThrownBy(
                () -> {
                  step.run();
                  b.copyTo(java.lang.foreign.MemorySegment.ofArray(new double[31 * 4]));
                })
            .withMessageContaining("'source'")
            .withMessageContaining("no numbers today");
        // A later wait for the device may still throw it.
        try {
          device.await();
        } catch (DeviceException e) {
          assertThat(e).hasMessageContaining("'source'");
        }
        context.write(x, new double[(int) x.shape().count()]);
        step.run();
        expect(b, numbers(_ -> 0));
      }
    }
  }

  @Test
  void arraysOfStartedWorkAreLeftAlone() {
    onHost(1, BoundArraysTest::started);
  }

  private static void started(Team team) {
    CountDownLatch goOn = new CountDownLatch(1);
    try (F64Array a = team.f64(31, 4);
        F64Array b = a.like();
        JitBackend backend = JitBackend.open("jvm")) {
      Program program = program(a, "input x f64[%d, %d]\noutput y[i, j] = 2 * x[i, j]\n");
      try (Compiled compiled = backend.compile(program);
          Context root = backend.newDevice(0).context();
          Context bound = root.with(Map.of(program.node("x"), a, program.node("y"), b));
          Routine step = backend.link(bound, compiled);
          Context context = step.context()) {
        StartedWork<Boolean> work =
            team.start(
                () -> {
                  try {
                    goOn.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  a.fill(2);
                  return true;
                },
                a);
        assertThatIllegalStateException()
            .isThrownBy(step::run)
            .withMessageContaining("running a routine on F64 array");
        goOn.countDown();
        assertThat(work.await()).isTrue();
        step.run();
        expect(b, numbers(_ -> 4));
        assertThat(context.holds(program.node("x"))).isTrue();
      }
    }
  }

  @Test
  void aNodeThatAProgramKeepsToItselfCannotBeBound() {
    onHost(
        1,
        team -> {
          try (F64Array a = team.f64(31, 4);
              JitBackend backend = JitBackend.open("jvm")) {
            Program program =
                program(
                    a, "input x f64[%d, %d]\nt[i, j] = 2 * x[i, j]\noutput y[i, j] = t[i, j]\n");
            try (Compiled compiled = backend.compile(program);
                Context root = backend.newDevice(0).context();
                Context bound = root.with(Map.of(program.node("t"), a))) {
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> backend.link(bound, compiled))
                  .withMessageContaining("computes t for itself alone");
            }
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> anArrayOfAnotherDeviceIsRefused() {
    return OnDevices.tests(
        team -> {
          try (F64Array a = team.f64(6);
              JitBackend backend = JitBackend.open("jvm");
              Context root = backend.newDevice(0).context()) {
            Node x = Node.hosted("x", a.type(), a.localShape().extents());
            assertThatIllegalArgumentException()
                .isThrownBy(() -> root.with(Map.of(x, a)))
                .withMessageContaining("node x of a program on cpu:0")
                .withMessageContaining("which is on " + a.space().client().device().name());
          }
        });
  }
}
