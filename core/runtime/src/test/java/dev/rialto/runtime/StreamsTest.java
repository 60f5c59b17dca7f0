package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.spi.Backends;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations run in order on a stream, and across streams in the order that buffers ask for. */
class StreamsTest {
  private final ComputeDevice device = ComputeDevice.open(Backends.get("cpu").devices().getFirst());
  private final ComputeClient client = device.client();
  private final CountDownLatch gate = new CountDownLatch(1);
  private ComputeStream one;
  private ComputeStream two;
  private Kernel increment;

  @BeforeEach
  void open() {
    one = client.openStream();
    two = client.openStream();
    increment = client.compile(Kernels.increment());
  }

  @AfterEach
  void close() {
    gate.countDown();
    device.close();
  }

  @Test
  void aLoneLaunchStartsWithoutAFlush() {
    CountDownLatch ran = new CountDownLatch(1);
    Kernel kernel = client.compile(new JavaBody("ran", List.of(), (_, _, _) -> ran.countDown()));
    client.launch(kernel, 1);
    Kernels.await(ran);
    client.sync();
  }

  @Test
  void anInPlaceWriteAfterASyncIsWaitedFor() {
    try (Buffer x = Kernels.create(client, 1, 2)) {
      client.withStream(one).launch(increment, 2, x);
      one.sync();
      two.sync();
      Kernel held = client.compile(Kernels.gate(gate, Kernels.updates("x")));
      client.withStream(one).launch(held, 1, x);
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
      client.withStream(one).launch(client.compile(Kernels.gate(gate)), 1);
      client.withStream(two).copy(x, y);
      two.sync();
      assertThat(Kernels.doubles(client, y)).containsExactly(2, 3);
      assertThat(one.isIdle()).as("the stream that wrote is still busy").isFalse();
    }
  }

  @Test
  void aWriterWaitsForReadersOnOtherStreams() {
    Kernel held = client.compile(Kernels.gate(gate, Kernels.reads("x")));
    try (Buffer x = Kernels.create(client, 1)) {
      client.withStream(one).launch(held, 1, x);
      client.withStream(two).launch(increment, 1, x);
      assertThat(two.isIdle()).isFalse();
      gate.countDown();
      two.sync();
      assertThat(one.isIdle()).isTrue();
    }
  }

  @Test
  void readersOnDifferentStreamsDoNotWaitForOneAnother() {
    Kernel held = client.compile(Kernels.gate(gate, Kernels.reads("x")));
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      client.withStream(one).launch(held, 1, x);
      client.withStream(two).copy(x, y);
      two.sync();
      assertThat(one.isIdle()).isFalse();
    }
  }

  @Test
  void aWriteFromTheHostDoesNotDisturbWhatStillReads() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      client.withStream(one).launch(client.compile(Kernels.gate(gate)), 1);
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
    client.withStream(one).launch(client.compile(Kernels.gate(gate)), 1);
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
    Kernel watching =
        client.compile(
            new JavaBody(
                "watch", List.of(), (_, _, _) -> disturbed.compareAndSet(false, inside.get())));
    CountDownLatch started = new CountDownLatch(1);
    Thread outside =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  started.countDown();
                  client.withStream(one).launch(watching, 1);
                  client.withStream(two).launch(watching, 1);
                });
    double[] result =
        client.exclusive(
            () -> {
              inside.set(true);
              outside.start();
              Kernels.await(started);
              assertThatIllegalStateException()
                  .isThrownBy(() -> client.withStream(one).launch(watching, 1));
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
          client.compile(
              new JavaBody(
                  "adding",
                  List.of(),
                  (_, _, _) -> {
                    Kernels.await(gate);
                    client.withStream(two).launch(increment, 1, x);
                  }));
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
      client.withStream(one).launch(client.compile(Kernels.gate(gate)), 1);
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
          client.compile(
              new JavaBody(
                  "adding",
                  List.of(),
                  (_, _, _) -> client.withStream(two).launch(increment, 1, x)));
      Kernel nesting =
          client.compile(
              new JavaBody("nesting", List.of(), (_, _, _) -> client.exclusive(() -> true)));
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
  void aStreamOfSomebodyElseIsUsedAndNotClosed() {
    try (Timeline foreign = Backends.get("cpu").devices().getFirst().openStream(0);
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
  void theDevicesOwnStreamCannotBeClosed() {
    assertThatIllegalStateException().isThrownBy(() -> client.stream().close());
  }
}
