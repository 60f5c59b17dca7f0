package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches run over all items, say what is wrong with them, and can be watched closely. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"cpu", "cuda"})
@Tag("gpu")
class LaunchesTest {
  private final ComputeDevice device;
  private final ComputeClient client;
  private final Kernel increment;
  private final Kernel combine;

  LaunchesTest(String name) {
    device = ComputeDevice.open(Kernels.device(name));
    client = device.client().withMode(LaunchMode.UNCHECKED);
    increment = Kernels.increment(client);
    combine = Kernels.combine(client);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aLaunchRunsOverAllItemsOnAllCores() {
    int count = 1_000_000;
    try (Buffer x = Kernels.create(client, new double[count])) {
      client.launch(increment, count, x);
      client.launch(increment, count, x);
      assertThat(DoubleStream.of(Kernels.doubles(client, x)).allMatch(v -> v == 2)).isTrue();
    }
  }

  @Test
  void aLaunchOverNothingDoesNothing() {
    try (Buffer x = Kernels.create(client, 1)) {
      client.launch(increment, 0, x);
      assertThat(Kernels.doubles(client, x)).containsExactly(1);
    }
  }

  @Test
  void partsOfALaunchRunAtTheSameTime() {
    assumeTrue(device.properties().cores() > 1, "there is one core");
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch both = new CountDownLatch(2);
    Kernel meeting =
        Kernels.java(
            client,
            "meeting",
            List.of(),
            (_, _, _) -> {
              if (threads.add(Thread.currentThread())) {
                both.countDown();
                Kernels.await(both);
              }
            });
    client.launch(meeting, 1_000_000);
    client.sync();
    assertThat(threads).hasSizeGreaterThan(1);
  }

  /** Sets y to x + 1, as the compiler would have it. */
  private static Unit successor(int items) {
    var x = new dev.rialto.spi.code.Buffer("x", Storage.F64, items, false);
    var y = new dev.rialto.spi.code.Buffer("y", Storage.F64, items, false);
    Expr.Var begin = new Expr.Var("begin", Type.I64);
    Expr.Var end = new Expr.Var("end", Type.I64);
    Expr.Var i = new Expr.Var("i", Type.I64);
    Expr sum = new Expr.Binary(Expr.BinaryOp.ADD, new Expr.Load(x, i, 1), Expr.of(Type.F64, 1.0));
    Stmt loop = new Stmt.For(i, begin, end, 1, new Stmt.Store(y, i, sum));
    return new Unit(
        "unit",
        List.of(
            new Procedure(
                "successor", List.of(x, y), items, new Procedure.Grain(1, 1), begin, end, loop)),
        false,
        "");
  }

  @Test
  void compiledCodeIsAKernelLikeAnyOther() {
    Kernels.assumeJava(client);
    CodeTarget target =
        ServiceLoader.load(CodeTarget.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.dialect().isEmpty())
            .filter(each -> each.probe() instanceof Probe.Available)
            .findFirst()
            .orElseThrow();
    int count = 100_000;
    Unit unit = successor(count);
    try (Code code = target.load(unit, target.build(unit));
        Kernel kernel = client.compile(unit, code, 0, Access.READ, Access.WRITE);
        Buffer x = Kernels.create(client, new double[count]);
        Buffer y = client.empty(DType.F64, count)) {
      Launch there = client.prepare(kernel, count, x, y);
      Launch back = client.withMode(LaunchMode.VALIDATED).prepare(kernel, count, y, x);
      for (int i = 0; i < 5; i++) {
        there.run();
        back.run();
      }
      assertThat(DoubleStream.of(Kernels.doubles(client, x)).allMatch(v -> v == 10)).isTrue();
      client.launch(kernel, count + 1, x, y);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::sync)
          .withMessageContaining("'successor' has 100000 items");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.compile(unit, code, 0, Access.READ))
          .withMessageContaining("2 parameters");
    }
  }

  @Test
  void aPreparedLaunchRunsManyTimesAndAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Buffer x = Kernels.create(client, 0)) {
      Launch launch = client.prepare(increment, 1, x);
      long least = Long.MAX_VALUE;
      int runs = 0;
      // The first rounds are those in which the JVM has not compiled all of it.
      for (int round = 0; round < 200 && least >= 1000; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1000; i++) {
          launch.run();
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        runs += 1000;
        client.sync();
      }
      assertThat(Kernels.doubles(client, x)).containsExactly(runs);
      assertThat(least).as("bytes of the least of some rounds of 1000 launches").isLessThan(1000);
    }
  }

  @Test
  void aPreparedLaunchOfAClosedBufferIsRefused() {
    Buffer x = Kernels.create(client, 1);
    Launch launch = client.prepare(increment, 1, x);
    x.close();
    assertThatIllegalStateException().isThrownBy(launch::run).withMessageContaining("closed");
    try (Buffer y = Kernels.create(client, 7)) {
      // The same memory with another owner is not touched.
      assertThatIllegalStateException().isThrownBy(launch::run);
      assertThat(Kernels.doubles(client, y)).containsExactly(7);
    }
  }

  @Test
  void theDeviceMayCountTheItemsItself() {
    CountDownLatch gate = new CountDownLatch(1);
    try (Buffer x = Kernels.create(client, 0, 0, 0, 0);
        Buffer count = client.create(MemorySegment.ofArray(new long[] {0}))) {
      Kernels.hold(client, gate);
      client.fill(count, MemorySegment.ofArray(new long[] {3}));
      client.launch(increment, count, 4, x);
      gate.countDown();
      assertThat(Kernels.doubles(client, x)).containsExactly(1, 1, 1, 0);
      client.fill(count, MemorySegment.ofArray(new long[] {100}));
      client.launch(increment, count, 4, x);
      assertThat(Kernels.doubles(client, x)).containsExactly(2, 2, 2, 1);
    }
  }

  @Test
  void wrongArgumentsAreNamed() {
    try (Buffer x = Kernels.create(client, 1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.launch(increment, 1))
          .withMessageContaining("'increment' takes 1 buffers, but 0");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.launch(increment, -1, x))
          .withMessageContaining("-1 items");
    }
  }

  @Test
  void aKernelInALanguageOfAnotherDeviceIsRefused() {
    LoweredKernel kernel = new LoweredKernel.Source("k", List.of(), "abacus", "");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.compile(kernel))
        .withMessageContaining("abacus");
  }

  @Test
  void aParameterThatIsOnlyReadCannotBeWritten() {
    Kernel cheat =
        Kernels.java(
            client,
            "cheat",
            List.of(Kernels.reads("x")),
            (_, _, buffers) -> buffers.getFirst().set(JAVA_DOUBLE, 0, 7));
    try (Buffer x = Kernels.create(client, 1)) {
      client.launch(cheat, 1, x);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::sync)
          .withMessageContaining("'cheat'");
      assertThat(Kernels.doubles(client, x)).containsExactly(1);
    }
  }

  @Test
  void aCheckedLaunchNamesKernelBufferIndexAndItemAndWritesNothingThere() {
    ComputeClient checked = client.withMode(LaunchMode.CHECKED);
    try (Buffer memory = Kernels.create(client, 1, 2, 3, 4)) {
      Buffer x = memory.slice(0, 24);
      checked.launch(increment, 4, x);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::sync)
          .withMessageContaining("kernel 'increment', item 3")
          .withMessageContaining("index 3 is outside buffer 'x', which has 3 elements of F64");
      client.write(memory, MemorySegment.ofArray(new double[] {1, 2, 3}));
      assertThat(Kernels.doubles(client, memory)).containsExactly(1, 2, 3, 4);
    }
  }

  @Test
  void anUncheckedLaunchOutOfBoundsFailsToo() {
    assumeTrue(device.isHostAccessible(), "the host does not guard memory of " + device.name());
    try (Buffer memory = Kernels.create(client, 1, 2)) {
      client.launch(increment, 2, memory.slice(0, 8));
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::sync)
          .withCauseInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void checkedAndCountedLaunchesGiveTheSameResults() {
    ComputeClient checked = client.withMode(LaunchMode.VALIDATED);
    try (Buffer x = Kernels.create(client, 1, 2);
        Buffer y = Kernels.create(client, 3, 4);
        Buffer z = client.empty(DType.F64, 2);
        Buffer count = client.create(MemorySegment.ofArray(new long[] {2}))) {
      checked.launch(combine, 2, x, y, z);
      checked.launch(increment, count, 2, z);
      assertThat(Kernels.doubles(client, z)).containsExactly(8, 11);
    }
  }

  @Test
  void aValidatedLaunchRefusesToReadWhatNothingHasWritten() {
    ComputeClient validated = client.withMode(LaunchMode.VALIDATED);
    try (Buffer used = Kernels.create(client, 1)) {
      client.launch(increment, 1, used);
    }
    // Memory that had another owner counts as not written.
    try (Buffer x = client.empty("fresh", 8);
        Buffer y = Kernels.create(client, 1);
        Buffer z = client.empty(8)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> validated.launch(combine, 1, x, y, z))
          .withMessageContaining("kernel 'combine'")
          .withMessageContaining("'fresh'")
          .withMessageContaining("nothing has written");
      validated.fill(x, MemorySegment.ofArray(new double[] {5}));
      validated.launch(combine, 1, x, y, z);
      assertThat(Kernels.doubles(client, z)).containsExactly(7);
    }
  }

  @Test
  void aValidatedLaunchRefusesMemoryThatIsReadAndWrittenUnderTwoNames() {
    ComputeClient validated = client.withMode(LaunchMode.VALIDATED);
    try (Buffer x = Kernels.create(client, 1, 2, 3);
        Buffer y = Kernels.create(client, 1, 2)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> validated.launch(combine, 2, x.slice(0, 16), y, x.slice(8, 16)))
          .withMessageContaining("'x'")
          .withMessageContaining("'z'");
      validated.launch(combine, 1, x.slice(0, 8), y, x.slice(8, 16));
      assertThat(Kernels.doubles(client, x)).containsExactly(1, 3, 3);
    }
  }

  @Test
  void aValidatedLaunchRefusesMemoryThatIsOpenToTheHost() {
    ComputeClient validated = client.withMode(LaunchMode.VALIDATED);
    try (Buffer x = Kernels.create(client, 1)) {
      try (Resource open = client.resource(x, false)) {
        assertThat(open.segment().isReadOnly()).isTrue();
        assertThatIllegalStateException()
            .isThrownBy(() -> validated.launch(increment, 1, x))
            .withMessageContaining("open to the host");
      }
      validated.launch(increment, 1, x);
      assertThat(Kernels.doubles(client, x)).containsExactly(2);
    }
  }
}
