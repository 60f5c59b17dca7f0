package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.device.Device;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Thousands of operations on several streams and threads give what the same operations give one
 * after the other, whatever the streams' paces: each thread has buffers of its own, and all share
 * some, on which they agree under a lock.
 */
@Tag("gpu")
class RandomScheduleTest {
  private static final int ITEMS = 8;
  private static final int BUFFERS = 6;
  private static final int THREADS = 3;
  private static final int STREAMS = 4;
  private static final int OPERATIONS = 1500;

  /** Some buffers, and what must be in them once everything added has run. */
  private final class Group implements AutoCloseable {
    final ComputeClient client;
    final List<Buffer> buffers = new ArrayList<>();
    final double[][] expected = new double[BUFFERS][ITEMS];

    Group(ComputeClient client) {
      this.client = client;
      for (int i = 0; i < BUFFERS; i++) {
        buffers.add(Kernels.create(client, expected[i]));
      }
    }

    synchronized void step(Random random) {
      ComputeClient on = client.withStream(streams.get(random.nextInt(STREAMS)));
      int a = random.nextInt(BUFFERS);
      int b = random.nextInt(BUFFERS);
      int c = random.nextInt(BUFFERS);
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> {
          on.launch(increment, ITEMS, buffers.get(a));
          for (int i = 0; i < ITEMS; i++) {
            expected[a][i]++;
          }
        }
        case 3, 4, 5 -> {
          if (a != c && b != c) {
            on.launch(combine, ITEMS, buffers.get(a), buffers.get(b), buffers.get(c));
            for (int i = 0; i < ITEMS; i++) {
              expected[c][i] = (expected[a][i] + 2 * expected[b][i]);
            }
          }
        }
        case 6 -> {
          on.copy(buffers.get(a), buffers.get(b));
          expected[b] = expected[a].clone();
        }
        case 7 -> {
          double value = random.nextInt(10);
          on.fill(buffers.get(a), MemorySegment.ofArray(new double[] {value}));
          Arrays.fill(expected[a], value);
        }
        case 8 -> {
          double[] values = random.doubles(ITEMS).toArray();
          on.write(buffers.get(a), MemorySegment.ofArray(values));
          expected[a] = values;
        }
        default -> {
          // A buffer is closed while it may still be in use, and its memory used again.
          Buffer old = buffers.get(a);
          Buffer fresh = on.empty(8L * ITEMS);
          on.copy(old, fresh);
          old.close();
          buffers.set(a, fresh);
          if (random.nextInt(4) == 0) {
            double[] now = expected[a].clone();
            checks.add(
                on.readAsync(fresh)
                    .thenAccept(
                        read -> assertThat(read.toArray(JAVA_DOUBLE)).containsExactly(now)));
          }
        }
      }
    }

    void check() {
      for (int i = 0; i < BUFFERS; i++) {
        assertThat(Kernels.doubles(client, buffers.get(i))).containsExactly(expected[i]);
      }
    }

    @Override
    public void close() {
      buffers.forEach(Buffer::close);
    }
  }

  private final List<ComputeStream> streams = new ArrayList<>();
  private final List<CompletableFuture<Void>> checks =
      Collections.synchronizedList(new ArrayList<>());
  private Kernel increment;
  private Kernel combine;

  @ParameterizedTest(name = "{0}, seed {1}")
  @CsvSource({
    "cpu, 1",
    "cpu, 2",
    "fake, 3",
    "fake, 4",
    "hidden, 5",
    "hidden, 6",
    "cuda, 7",
    "cuda, 8",
    "opencl, 9",
    "opencl, 10"
  })
  void resultsAreThoseOfOneOperationAfterTheOther(String kind, long seed) throws Exception {
    Device spi =
        Set.of("cpu", "cuda", "opencl").contains(kind)
            ? TestDevices.get(kind)
            : new FakeDevice(seed, kind.equals("hidden"), 40);
    try (ComputeDevice device = ComputeDevice.open(spi);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      ComputeClient client = device.client();
      increment = Kernels.increment(client);
      combine = Kernels.combine(client);
      for (int i = 0; i < STREAMS; i++) {
        streams.add(client.openStream());
      }
      try (Group shared = new Group(client)) {
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
          Random random = new Random(31 * seed + t);
          running.add(
              threads.submit(
                  () -> {
                    try (Group own = new Group(client)) {
                      for (int i = 0; i < OPERATIONS; i++) {
                        (random.nextInt(3) == 0 ? shared : own).step(random);
                        if (i % 300 == 0) {
                          own.check();
                        }
                      }
                      own.check();
                    }
                    return null;
                  }));
        }
        for (Future<?> each : running) {
          each.get();
        }
        shared.check();
      }
      for (CompletableFuture<Void> check : checks) {
        check.get();
      }
      streams.forEach(ComputeStream::close);
      assertThat(client.memoryUsage().used()).isZero();
      client.cleanup();
      assertThat(client.memoryUsage().reserved()).isZero();
    }
  }
}
