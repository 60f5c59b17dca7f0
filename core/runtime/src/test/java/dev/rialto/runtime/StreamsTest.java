package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations run in order on a stream, and across streams in the order that buffers ask for. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"cpu", "hidden", "cuda", "opencl"})
@Tag("gpu")
class StreamsTest {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final ComputeDevice device;
  private final ComputeClient client;
  private final ComputeStream one;
  private final ComputeStream two;
  private final Kernel increment;

  StreamsTest(String name) {
    device = ComputeDevice.open(Kernels.device(name));
    client = device.client();
    one = client.openStream();
    two = client.openStream();
    increment = Kernels.increment(client);
  }

  @AfterEach
  void close() {
    gate.countDown();
    device.close();
  }

  @Test
  void aLoneLaunchStartsWithoutAFlush() {
    try (Buffer x = Kernels.create(client, 1)) {
      client.sync();
      client.launch(increment, 1, x);
      while (!client.stream().isIdle()) {
        Thread.onSpinWait();
      }
      assertThat(Kernels.doubles(client, x)).containsExactly(2);
    }
  }

  @Test
  void anInPlaceWriteAfterASyncIsWaitedFor() {
    try (Buffer x = Kernels.create(client, 1, 2)) {
      client.withStream(one).launch(increment, 2, x);
      one.sync();
      two.sync();
      Kernels.hold(client.withStream(one), gate, Access.READ_WRITE, x);
      client.withStream(one).launch(increment, 2, x);
      client.withStream(two).launch(increment, 2, x);
      assertThat(two.isIdle()).isFalse();
      gate.countDown();
      assertThat(Kernels.doubles(client, x)).containsExactly(4, 5);
    }
  }

  @Test
  void aReaderWaitsForTheLastWriterAndNotForWhatFollowsOnItsStream() {
    try (Buffer x = Kernels.create(client, 1, 2);
        Buffer y = client.empty(16)) {
      client.withStream(one).launch(increment, 2, x);
      Kernels.hold(client.withStream(one), gate);
      client.withStream(two).copy(x, y);
      two.sync();
      assertThat(Kernels.doubles(client, y)).containsExactly(2, 3);
      assertThat(one.isIdle()).as("the stream that wrote is still busy").isFalse();
    }
  }

  @Test
  void aWriterWaitsForReadersOnOtherStreams() {
    try (Buffer x = Kernels.create(client, 1)) {
      Kernels.hold(client.withStream(one), gate, Access.READ, x);
      client.withStream(two).launch(increment, 1, x);
      assertThat(two.isIdle()).isFalse();
      gate.countDown();
      two.sync();
      assertThat(one.isIdle()).isTrue();
    }
  }

  @Test
  void readersOnDifferentStreamsDoNotWaitForOneAnother() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      Kernels.hold(client.withStream(one), gate, Access.READ, x);
      client.withStream(two).copy(x, y);
      two.sync();
      assertThat(one.isIdle()).isFalse();
    }
  }

  @Test
  void aWriteFromTheHostDoesNotDisturbWhatStillReads() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      Kernels.hold(client.withStream(one), gate);
      client.withStream(one).copy(x, y);
      client.withStream(one).write(x, MemorySegment.ofArray(new double[] {7}));
      gate.countDown();
      assertThat(Kernels.doubles(client, y)).containsExactly(1);
      assertThat(Kernels.doubles(client, x)).containsExactly(7);
    }
  }

  @Test
  void aScopeChoosesTheStreamAndABoundClientKeepsItsOwn() {
    client.on(
        one,
        () -> {
          assertThat(client.stream()).isSameAs(one);
          assertThat(client.withStream(two).stream()).isSameAs(two);
        });
    assertThat(client.stream()).isSameAs(device.client().stream());
    try (ComputeDevice other = ComputeDevice.open(new FakeDevice(1, false, 0))) {
      client.on(one, () -> assertThat(other.client().stream().device()).isSameAs(other));
      assertThatIllegalArgumentException().isThrownBy(() -> other.client().withStream(one));
    }
  }

  @Test
  void aPriorityReachesTheDevice() {
    FakeDevice fake = new FakeDevice(1, false, 0);
    try (ComputeDevice other = ComputeDevice.open(fake)) {
      other.client().openStream(3).close();
      other.client().openStream().close();
      assertThat(fake.priorities).containsExactly(0, 3, 0);
    }
  }

  @Test
  void syncCoversItsStreamAndSyncDeviceAllOfThem() {
    Kernels.hold(client.withStream(one), gate);
    client.withStream(two).sync();
    assertThat(one.isIdle()).isFalse();
    gate.countDown();
    client.syncDevice();
    assertThat(one.isIdle()).isTrue();
  }

  @Test
  void anExclusiveSectionRunsAlone() throws InterruptedException {
    AtomicBoolean inside = new AtomicBoolean();
    AtomicBoolean disturbed = new AtomicBoolean();
    Consumer<ComputeStream> watch =
        stream ->
            Kernels.run(
                client.withStream(stream),
                "watch",
                () -> disturbed.compareAndSet(false, inside.get()),
                Access.READ);
    CountDownLatch started = new CountDownLatch(1);
    Thread outside =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  started.countDown();
                  watch.accept(one);
                  watch.accept(two);
                });
    double[] result =
        client.exclusive(
            () -> {
              inside.set(true);
              outside.start();
              Kernels.await(started);
              assertThatIllegalStateException().isThrownBy(() -> watch.accept(one));
              assertThatIllegalStateException().isThrownBy(client::syncDevice);
              try (Buffer x = Kernels.create(client, 1)) {
                client.launch(increment, 1, x);
                return Kernels.doubles(client, x);
              } finally {
                client.sync();
                inside.set(false);
              }
            });
    outside.join();
    client.syncDevice();
    assertThat(result).containsExactly(2);
    assertThat(disturbed).isFalse();
  }

  @Test
  void exclusiveSectionsOfManyThreadsTakeTurnsWithOrdinaryWork() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4);
        Buffer x = Kernels.create(client, 0)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        ComputeClient mine = client.withStream(t % 2 == 0 ? one : two);
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 50; i++) {
                    mine.launch(increment, 1, x);
                    if (i % 10 == 0) {
                      client.exclusive(
                          () -> {
                            client.launch(increment, 1, x);
                            return client.exclusive(() -> Kernels.doubles(client, x));
                          });
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      assertThat(Kernels.doubles(client, x)).containsExactly(4 * 55);
    }
  }

  private Thread inSection(Runnable body) {
    Thread section =
        Thread.ofVirtual()
            .start(
                () ->
                    client.exclusive(
                        () -> {
                          body.run();
                          return true;
                        }));
    while (!device.exclusive().isTaken()) {
      Thread.onSpinWait();
    }
    return section;
  }

  @Test
  void aKernelMayAddWorkWhileASectionIsAboutToBegin() throws InterruptedException {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      Kernel adding =
          Kernels.java(
              client,
              "adding",
              List.of(),
              (_, _, _) -> {
                Kernels.await(gate);
                client.withStream(two).launch(increment, 1, x);
              });
      client.withStream(one).launch(adding, 1);
      Thread section = inSection(() -> client.copy(x, y));
      gate.countDown();
      section.join();
      assertThat(Kernels.doubles(client, y)).as("seen by the section").containsExactly(2);
    }
  }

  @Test
  void aSectionMayWaitForWorkThatWaitsForAnotherThreadsLaunch() throws InterruptedException {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      Kernels.hold(client.withStream(one), gate);
      Thread section = inSection(() -> client.copy(x, y));
      client.withStream(two).launch(increment, 1, x);
      gate.countDown();
      section.join();
      assertThat(Kernels.doubles(client, y)).as("seen by the section").containsExactly(2);
    }
  }

  @Test
  void aKernelOfASectionThatAddsElsewhereFailsInsteadOfHanging() {
    try (Buffer x = Kernels.create(client, 1)) {
      Kernel adding =
          Kernels.java(
              client,
              "adding",
              List.of(),
              (_, _, _) -> client.withStream(two).launch(increment, 1, x));
      Kernel nesting =
          Kernels.java(client, "nesting", List.of(), (_, _, _) -> client.exclusive(() -> true));
      for (Kernel kernel : List.of(adding, nesting)) {
        assertThatExceptionOfType(DeviceException.class)
            .isThrownBy(
                () ->
                    client.exclusive(
                        () -> {
                          client.launch(kernel, 1);
                          return true;
                        }))
            .withMessageContaining("exclusive section");
      }
      client.withStream(two).launch(increment, 1, x);
      assertThat(Kernels.doubles(client, x)).containsExactly(2);
    }
  }

  @Test
  void wrapsOfTheSameMemoryAreOrdered() {
    CountDownLatch reading = new CountDownLatch(1);
    MemorySegment zero = MemorySegment.ofArray(new double[1]);
    try (Buffer x = Kernels.create(client, 1, 2, 3);
        Resource memory = client.resource(x, true);
        Buffer low = client.wrap(device.slice(memory.segment(), 0, 16), 16, () -> {});
        Buffer high = client.wrap(device.slice(memory.segment(), 8, 16), 16, () -> {})) {
      Kernels.hold(client.withStream(one), gate, Access.READ_WRITE, low);
      client.withStream(one).launch(increment, 2, low);
      client.withStream(two).fill(high, zero);
      assertThat(two.isIdle()).isFalse();
      gate.countDown();
      assertThat(Kernels.doubles(client, low)).containsExactly(2, 0);
      client.sync();

      Kernels.hold(client.withStream(one), reading, Access.READ, high);
      Kernels.hold(client.withStream(two), new CountDownLatch(0), Access.READ, low);
      two.sync();
      client.withStream(two).launch(increment, 2, low);
      assertThat(two.isIdle()).isFalse();
      reading.countDown();
      assertThat(Kernels.doubles(client, high)).containsExactly(1, 0);
    } finally {
      reading.countDown();
    }
  }

  @Test
  void aClosedStreamTakesNothing() {
    ComputeClient closed = client.withStream(one);
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty("y", x.bytes())) {
      Launch prepared = closed.prepare(increment, 1, x);
      Work work = closed.work("nothing", Map.of(x, Access.READ));
      MemorySegment two = MemorySegment.ofArray(new double[] {2});
      one.close();
      one.close();
      List<ThrowingCallable> misuses =
          List.of(
              () -> closed.write(x, two),
              () -> closed.fill(x, two),
              () -> closed.copy(x, y),
              () -> closed.launch(increment, 1, x),
              prepared::run,
              () -> work.add(() -> {}),
              () -> work.run(() -> {}),
              () -> closed.create(two).close());
      for (ThrowingCallable misuse : misuses) {
        assertThatIllegalStateException()
            .isThrownBy(misuse)
            .withMessageContaining("is closed; open another stream");
      }
      assertThat(Kernels.doubles(client, x)).containsExactly(1);
    }
  }

  @Test
  void aStreamOfSomebodyElseIsUsedAndNotClosed() {
    try (Timeline foreign = device.spi().openStream(0);
        Buffer x = Kernels.create(client, 1)) {
      try (ComputeStream wrapped = client.wrap(foreign)) {
        client.withStream(wrapped).launch(increment, 1, x);
        client.withStream(one).launch(increment, 1, x);
      }
      AtomicBoolean ran = new AtomicBoolean();
      foreign.run(() -> ran.set(true));
      foreign.await();
      assertThat(ran).isTrue();
      assertThat(Kernels.doubles(client, x)).containsExactly(3);
    }
  }

  @Test
  void eachThreadHasAStreamOfItsOwnThatAnotherUsesOnceItHasEnded() throws Exception {
    ComputeStream mine = client.stream();
    assertThat(client.stream()).isSameAs(mine);
    ComputeStream[] theirs = new ComputeStream[2];
    for (int i = 0; i < 2; i++) {
      int number = i;
      Thread.ofPlatform().start(() -> theirs[number] = client.stream()).join();
    }
    assertThat(theirs[0]).isNotSameAs(mine).isSameAs(theirs[1]);
  }

  @Test
  void aSyncTimesOutAndNamesWhatIsPending() {
    Kernels.hold(client.withStream(one), gate);
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> one.sync(Duration.ofMillis(1)))
        .withMessageContaining("gate")
        .withMessageContaining("1 ms")
        .withMessageContaining(one.name());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> one.sync(Duration.ofMillis(-1)))
        .withMessageContaining("PT-0.001S");
    gate.countDown();
    one.sync(Duration.ofDays(1 << 20));
    one.sync(Duration.ZERO);
    client.sync(Duration.ofSeconds(200));
  }

  @Test
  void anInterruptEndsASyncButNotTheOperations() {
    Kernels.hold(client.withStream(one), gate);
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(DeviceException.class)
        .isThrownBy(one::sync)
        .withMessageContaining("interrupted")
        .withCauseInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(one.isIdle()).isFalse();
    gate.countDown();
    one.sync();
    assertThat(one.isIdle()).isTrue();
  }

  @Test
  void theStreamOfAThreadCannotBeClosed() {
    assertThatIllegalStateException().isThrownBy(() -> client.stream().close());
  }
}
