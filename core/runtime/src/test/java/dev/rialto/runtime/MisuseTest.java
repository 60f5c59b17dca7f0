package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.spi.error.RialtoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes get an exception that names them; the JVM lives on and other buffers are unharmed. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"cpu", "hidden", "cuda", "opencl"})
@Tag("gpu")
class MisuseTest {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final ComputeDevice device;
  private final ComputeClient client;
  private final Kernel increment;

  MisuseTest(String name) {
    device = ComputeDevice.open(Kernels.device(name));
    client = device.client();
    increment = Kernels.increment(client);
  }

  @AfterEach
  void close() {
    gate.countDown();
    device.close();
  }

  @Test
  void aPartThatIsRetainedKeepsTheWholeUntilItIsClosed() {
    Buffer whole = client.empty(32);
    Buffer part = whole.slice(8, 8).slice(0, 4);
    part.close();
    assertThat(whole.isOpen()).isTrue();
    assertThat(part.retain()).isSameAs(part);
    whole.close();
    assertThat(part.isOpen()).isTrue();
    part.close();
    assertThat(part.isOpen()).isFalse();
    assertThat(whole.isOpen()).isFalse();
    part.close();
    whole.close();
    assertThatIllegalStateException().isThrownBy(part::retain).withMessageContaining("closed");
    assertThat(client.memoryUsage().used()).isZero();
  }

  @Test
  void aBufferThatIsClosedEarlyLivesUntilItsOperationsHaveEnded() {
    try (ComputeStream stream = client.openStream();
        Buffer y = client.empty(16)) {
      Buffer x = Kernels.create(client, 1, 2);
      Kernels.hold(client.withStream(stream), gate);
      client.withStream(stream).launch(increment, 2, x);
      client.withStream(stream).copy(x, y);
      x.close();
      client.cleanup();
      List<Buffer> others = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        others.add(Kernels.create(client, -1, -1));
      }
      gate.countDown();
      assertThat(Kernels.doubles(client, y)).containsExactly(2, 3);
      others.forEach(Buffer::close);
      assertThatIllegalStateException()
          .isThrownBy(() -> client.launch(increment, 2, x))
          .withMessageContaining("is closed");
      assertThatIllegalStateException().isThrownBy(() -> client.read(x));
      assertThatIllegalStateException().isThrownBy(() -> client.resource(x, true));
      assertThatIllegalStateException()
          .isThrownBy(() -> client.write(x, MemorySegment.ofArray(new double[2])));
    }
  }

  @Test
  void memoryOfTheCallerThatCannotBeUsedIsRefused() throws InterruptedException {
    try (Buffer x = Kernels.create(client, 1, 2);
        Arena arena = Arena.ofConfined()) {
      MemorySegment closed;
      try (Arena gone = Arena.ofShared()) {
        closed = gone.allocate(16, 8);
      }
      assertThatIllegalStateException()
          .isThrownBy(() -> client.write(x, closed))
          .withMessageContaining("the source");
      assertThatIllegalStateException()
          .isThrownBy(() -> client.read(x, closed))
          .withMessageContaining("the target");
      MemorySegment mine = arena.allocate(16, 8);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.read(x, mine.asReadOnly()))
          .withMessageContaining("read-only");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> client.read(x, mine.asSlice(0, 8)))
          .withMessageContaining("16");
      client.read(x, mine);
      client.write(x, mine.asReadOnly());
      client.write(x, MemorySegment.ofArray(new double[0]));
      Thread.ofPlatform()
          .start(
              () ->
                  assertThatExceptionOfType(WrongThreadException.class)
                      .isThrownBy(() -> client.write(x, mine)))
          .join();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.wrap(mine, -1, () -> {}))
          .withMessageContaining("-1 bytes");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.wrap(MemorySegment.ofArray(new int[4]), 16, () -> {}))
          .withMessageContaining("on the Java heap");
      if (device.isHostAccessible()) {
        assertThatExceptionOfType(WrongThreadException.class)
            .isThrownBy(() -> client.wrap(mine, 16, () -> {}));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
            .isThrownBy(() -> client.wrap(Arena.global().allocate(8), 16, () -> {}));
      }
      assertThat(Kernels.doubles(client, x)).containsExactly(1, 2);
    }
  }

  @Test
  void wrappedMemoryIsGivenBackOnceNoStreamUsesIt() {
    CountDownLatch released = new CountDownLatch(1);
    try (Arena arena = Arena.ofShared();
        ComputeStream stream = client.openStream()) {
      if (!device.isHostAccessible()) {
        return;
      }
      MemorySegment memory = arena.allocate(16, 8);
      Buffer wrapped = client.wrap(memory, 16, released::countDown);
      Kernels.hold(client.withStream(stream), gate);
      client.withStream(stream).launch(increment, 2, wrapped);
      wrapped.close();
      wrapped.close();
      assertThat(released.getCount()).isEqualTo(1);
      gate.countDown();
      Kernels.await(released);
      assertThat(memory.toArray(java.lang.foreign.ValueLayout.JAVA_DOUBLE)).containsExactly(1, 1);
    }
  }

  @Test
  void aStreamIsClosedTwiceAndRefusesOperationsThen() {
    ComputeStream stream = client.openStream();
    stream.close();
    stream.close();
    try (Buffer x = Kernels.create(client, 1)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> client.withStream(stream).launch(increment, 1, x))
          .withMessageContaining("closed");
      client.launch(increment, 1, x);
      assertThat(Kernels.doubles(client, x)).containsExactly(2);
    }
  }

  @Test
  void aPartThatBeginsWithinAnElementIsRefused() {
    try (Buffer x = Kernels.create(client, 1, 2, 3)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.launch(increment, 1, x.slice(4, 8)))
          .withMessageContaining("increment")
          .withMessageContaining("begins within an element")
          .withMessageContaining("multiple of 8 bytes");
      client.launch(increment, 1, x.slice(8, 8));
      assertThat(Kernels.doubles(client, x)).containsExactly(1, 3, 3);
    }
  }

  /** Any sequence of right and wrong calls ends in results or exceptions of these kinds. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void anySequenceOfCallsEndsWell(long seed) {
    Random random = new Random(seed);
    ComputeStream[] streams = {client.openStream(), client.openStream(), client.openStream()};
    List<Buffer> buffers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      buffers.add(client.empty(8L * random.nextInt(5)));
    }
    for (int step = 0; step < 1_000; step++) {
      Buffer x = buffers.get(random.nextInt(buffers.size()));
      Buffer y = buffers.get(random.nextInt(buffers.size()));
      ComputeClient on = client.withStream(streams[random.nextInt(streams.length)]);
      int what = random.nextInt(12);
      try {
        switch (what) {
          case 0 -> x.close();
          case 1 -> buffers.add(x.slice(random.nextInt(9), random.nextInt(9)));
          case 2 -> buffers.add(client.empty(8L * random.nextInt(5)));
          case 3 -> buffers.add(x.retain());
          case 4 -> on.launch(increment, random.nextInt(6), x);
          case 5 -> on.copy(x, y);
          case 6 -> on.write(x, MemorySegment.ofArray(new double[random.nextInt(5)]));
          case 7 -> on.fill(x, MemorySegment.ofArray(new double[random.nextInt(2)]));
          case 8 -> assertThat(on.read(x).byteSize()).isEqualTo(x.bytes());
          case 9 -> assertThat(on.readAsync(x).isCancelled()).isFalse();
          case 10 -> on.sync();
          default -> {
            try (Resource resource = on.resource(x, random.nextBoolean())) {
              if (device.isHostAccessible()) {
                assertThat(resource.segment().toArray(JAVA_BYTE)).hasSize((int) x.bytes());
              }
            }
          }
        }
      } catch (IllegalStateException
          | IllegalArgumentException
          | IndexOutOfBoundsException
          | RialtoException e) {
        assertThat(e.getMessage()).as("seed %d, step %d, call %d", seed, step, what).isNotBlank();
      }
    }
    for (ComputeStream stream : streams) {
      try {
        stream.close();
      } catch (RialtoException e) {
        assertThat(e).hasMessageContaining("failed");
      }
    }
    for (int owners = 0; owners < 1_000; owners++) {
      buffers.forEach(Buffer::close);
    }
    assertThat(client.memoryUsage().used()).isZero();
  }
}
