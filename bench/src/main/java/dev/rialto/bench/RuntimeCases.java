package dev.rialto.bench;

import com.sun.management.ThreadMXBean;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.Launch;
import dev.rialto.runtime.memory.AllocationMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The cost of the runtime itself: launches of a kernel that does nothing, memory that is taken and
 * given back, bytes that go up and down. The peer of a stream is a thread pool of one thread.
 */
final class RuntimeCases implements AutoCloseable {
  static final String ALLOCATED = "launch/allocated on the heap";
  private static final long COPY_BYTES = 64 << 20;
  private static final int THREADS = 4;
  private static final int SUBMITS = 5000;
  private static final int LIVE = 10_000;
  private static final ThreadMXBean ALLOCATIONS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final ComputeClient client = Devices.open("cpu:0");
  private final ExecutorService peer = Executors.newSingleThreadExecutor();
  private final ComputeStream other = client.openStream();
  private final Kernel nothing;
  private final Buffer counter;
  private final Launch alone;
  private final Launch dependent;
  private final Launch dependentElsewhere;
  private final List<Buffer> live = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment host = arena.allocate(COPY_BYTES, 64).fill((byte) 1);
  private final MemorySegment second = arena.allocate(COPY_BYTES, 64).fill((byte) 1);
  private final Buffer large;

  RuntimeCases() {
    nothing =
        client.compile(
            new JavaBody(
                "nothing",
                List.of(new Parameter("x", DType.F64, Access.READ_WRITE)),
                (_, _, _) -> {}));
    Kernel independent = client.compile(new JavaBody("independent", List.of(), (_, _, _) -> {}));
    counter = client.create(MemorySegment.ofArray(new double[1]));
    alone = client.prepare(independent, 1);
    dependent = client.prepare(nothing, 1, counter);
    dependentElsewhere = client.withStream(other).prepare(nothing, 1, counter);
    Random random = new Random(1);
    for (int i = 0; i < LIVE; i++) {
      live.add(client.empty(random.nextInt(64 << 10)));
    }
    large = client.create(host);
  }

  /** Measures every case once; microseconds of one operation. */
  void round(Samples rialto, Samples peers, boolean quick) {
    int repeat = quick ? 2_000 : 20_000;
    rialto.add("launch/complete", micros(repeat, this::launchAndSync));
    peers.add("launch/complete", micros(repeat, this::submitAndGet));
    enqueue(rialto, peers, quick ? 20 : 100);
    rialto.add("launch/1000 dependent", micros(quick ? 20 : 100, this::thousand) / 1000);
    peers.add("launch/1000 dependent", micros(quick ? 20 : 100, this::thousandTasks) / 1000);
    rialto.add("launch/dependent on two streams", micros(quick ? 20 : 100, this::alternate) / 1000);
    rialto.add("submit/4 threads x 5000", submits(alone::run, client::sync));
    peers.add("submit/4 threads x 5000", submits(() -> peer.execute(() -> {}), this::drainPeer));
    rialto.add("pool/reserve and release", micros(10 * repeat, this::reserve));
    for (int i = 0; i < 3; i++) {
      rialto.add("copy/upload", micros(1, () -> client.write(large, host)));
      peers.add("copy/upload", micros(1, () -> second.copyFrom(host)));
      rialto.add("copy/read", micros(1, () -> client.read(large, second)));
      peers.add("copy/read", micros(1, () -> second.copyFrom(host)));
    }
  }

  private static double micros(int repeat, Runnable operation) {
    long start = System.nanoTime();
    for (int i = 0; i < repeat; i++) {
      operation.run();
    }
    return (System.nanoTime() - start) / 1e3 / repeat;
  }

  private void launchAndSync() {
    alone.run();
    client.sync();
  }

  private void submitAndGet() {
    try {
      peer.submit(() -> {}).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void enqueue(Samples rialto, Samples peers, int batches) {
    double ours = 0;
    double theirs = 0;
    long allocated = 0;
    Runnable add = dependent::run;
    Runnable wait = client::sync;
    for (int i = 0; i < batches; i++) {
      // Of all threads: that of the stream too must leave no garbage.
      long before = ALLOCATIONS.getTotalThreadAllocatedBytes();
      ours += micros(1000, add);
      wait.run();
      allocated += ALLOCATIONS.getTotalThreadAllocatedBytes() - before;
      theirs += micros(1000, () -> peer.execute(() -> {}));
      drainPeer();
    }
    rialto.add("launch/enqueue", ours / batches);
    rialto.add(ALLOCATED, allocated / 1000.0 / batches);
    peers.add("launch/enqueue", theirs / batches);
  }

  private void drainPeer() {
    submitAndGet();
  }

  private void thousand() {
    for (int i = 0; i < 1000; i++) {
      dependent.run();
    }
    client.sync();
  }

  private void thousandTasks() {
    for (int i = 0; i < 1000; i++) {
      peer.execute(() -> {});
    }
    drainPeer();
  }

  private void alternate() {
    for (int i = 0; i < 500; i++) {
      dependent.run();
      dependentElsewhere.run();
    }
    other.sync();
  }

  private static double submits(Runnable submit, Runnable drain) {
    CountDownLatch ready = new CountDownLatch(THREADS);
    CountDownLatch go = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    ready.countDown();
                    await(go);
                    for (int i = 0; i < SUBMITS; i++) {
                      submit.run();
                    }
                  }));
    }
    await(ready);
    long start = System.nanoTime();
    go.countDown();
    for (Thread thread : threads) {
      join(thread);
    }
    drain.run();
    return (System.nanoTime() - start) / 1e3 / THREADS / SUBMITS;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void reserve() {
    client.empty(1000).close();
  }

  /**
   * Returns reserved bytes over used ones after the load of a model: sixteen layers at an eighth of
   * their usual size, each tensor by way of a temporary of double width.
   */
  double modelLoad() {
    client.cleanup();
    long usedBefore = client.memoryUsage().used();
    long reservedBefore = client.memoryUsage().reserved();
    ComputeClient keeping = client.withAllocation(AllocationMode.PERSISTENT);
    List<Buffer> weights = new ArrayList<>();
    for (int layer = 0; layer < 16; layer++) {
      for (long count : new long[] {512 * 512, 512 * 128, 512 * 128, 512 * 1376, 1376 * 512, 512}) {
        try (Buffer wide = client.empty(DType.F32, count)) {
          client.fill(wide, MemorySegment.ofArray(new float[1]));
          weights.add(keeping.empty(DType.BF16, count));
        }
      }
    }
    weights.add(keeping.empty(DType.BF16, 32_000 * 512));
    client.sync();
    double ratio =
        (double) (client.memoryUsage().reserved() - reservedBefore)
            / (client.memoryUsage().used() - usedBefore);
    weights.forEach(Buffer::close);
    return ratio;
  }

  @Override
  public void close() {
    live.forEach(Buffer::close);
    large.close();
    counter.close();
    client.sync();
    other.close();
    nothing.close();
    peer.close();
    arena.close();
    client.cleanup();
  }
}
