package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A fault in any operation of a device is raised, and so is memory that runs out. */
class FaultsTest {
  /** Asks for an operation on two buffers, and opens a gate before it waits for anything. */
  private interface Asked {
    void of(ComputeClient client, Buffer[] buffers, CountDownLatch gate);
  }

  /** Every operation that runs on a stream, on buffers x and y of two elements. */
  private static Map<String, Asked> operations(boolean hidden) {
    Map<String, Asked> all = new LinkedHashMap<>();
    MemorySegment two = MemorySegment.ofArray(new double[2]);
    all.put("launch", (c, b, _) -> c.launch(Kernels.increment(c), 2, b[0]));
    all.put("prepared launch", (c, b, _) -> c.prepare(Kernels.increment(c), 2, b[0]).run());
    all.put("counted launch", (c, b, _) -> c.launch(Kernels.increment(c), b[1], 2, b[0]));
    all.put(
        "checked launch",
        (c, b, _) -> c.withMode(LaunchMode.CHECKED).launch(Kernels.increment(c), 2, b[0]));
    all.put("fill", (c, b, _) -> c.fill(b[0], two));
    all.put("write", (c, b, _) -> c.write(b[0], two));
    all.put("write of a tensor", (c, b, _) -> c.write(gapped(b[0]), two));
    all.put("copy", (c, b, _) -> c.copy(b[1], b[0]));
    all.put("copy of tensors", (c, b, _) -> c.copy(gapped(b[1]), gapped(b[0])));
    all.put("copy between clients", (c, b, _) -> c.toClient(b[1], c).close());
    all.put(
        "asynchronous read",
        (c, b, gate) -> {
          CompletableFuture<MemorySegment> read = c.readAsync(b[0]);
          gate.countDown();
          read.join();
        });
    all.put(
        "asynchronous read of a tensor",
        (c, b, gate) -> {
          CompletableFuture<MemorySegment> read = c.readAsync(gapped(b[0]));
          gate.countDown();
          read.join();
        });
    all.put("collective", (c, b, gate) -> allReduce(c, b[0], gate));
    if (hidden) {
      // Where the host can access the memory, it does these itself.
      all.put("create", (c, _, _) -> c.create(two).close());
      all.put(
          "read",
          (c, b, gate) -> {
            gate.countDown();
            c.read(b[0]);
          });
      all.put(
          "read of a tensor",
          (c, b, gate) -> {
            gate.countDown();
            c.read(gapped(b[0]));
          });
    }
    return all;
  }

  private static Tensor gapped(Buffer buffer) {
    return new Tensor(
        buffer, Shape.of(1), Layout.strided(DType.F64, Shape.of(1), new long[] {2}, 0));
  }

  private static void allReduce(ComputeClient client, Buffer buffer, CountDownLatch gate) {
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (RankGroup group = client.join(comm)) {
              group.allReduce(buffer, buffer, DType.F64, 2, ReduceOp.SUM);
              gate.countDown();
            }
          });
    }
  }

  @TestFactory
  List<DynamicTest> aFaultInAnyOperationIsRaisedAndLeavesNothingBehind() {
    List<DynamicTest> tests = new ArrayList<>();
    for (boolean hidden : new boolean[] {false, true}) {
      operations(hidden)
          .forEach(
              (name, operation) ->
                  tests.add(
                      DynamicTest.dynamicTest(
                          name + (hidden ? " of hidden memory" : ""),
                          () -> faultIn(hidden, operation))));
    }
    return tests;
  }

  private static void faultIn(boolean hidden, Asked operation) {
    FakeDevice faulty = new FakeDevice(1, hidden, 0);
    try (ComputeDevice device = ComputeDevice.open(faulty)) {
      ComputeClient client = device.client();
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch gate = new CountDownLatch(1);
      Buffer x = Kernels.create(client, 1, 2);
      Buffer y = Kernels.create(client, 3, 4);
      // Keeps both in use, so that no operation takes the way past the stream.
      Kernels.run(
          client,
          "held",
          () -> {
            entered.countDown();
            Kernels.await(gate);
          },
          Access.READ_WRITE,
          x,
          y);
      Kernels.await(entered);
      faulty.failIn.set(1);
      List<Throwable> raised = new ArrayList<>();
      collect(raised, () -> operation.of(client, new Buffer[] {x, y}, gate));
      gate.countDown();
      collect(raised, client::syncDevice);
      assertThat(raised).hasSize(1);
      assertThat(raised.getFirst()).hasRootCauseInstanceOf(FakeDevice.Fault.class);
      assertThat(told(raised.getFirst())).contains("FaultsTest.java:");
      client.sync();
      client.fill(x, MemorySegment.ofArray(new double[] {9}));
      assertThat(client.read(x).toArray(JAVA_DOUBLE)).containsOnly(9);
      x.close();
      y.close();
      assertThat(client.memoryUsage().used()).isZero();
    }
  }

  private static void collect(List<Throwable> raised, Runnable body) {
    try {
      body.run();
    } catch (DeviceException | CompletionException | CommunicationException e) {
      raised.add(e);
    }
  }

  /** Returns what the runtime said of the failure. */
  private static String told(Throwable raised) {
    Throwable each = raised;
    while (!(each instanceof DeviceException)) {
      each = each.getCause();
    }
    return each.getMessage();
  }

  @Test
  void memoryThatRunsOutInAnyOperationIsToldThereAndLeavesNothingBehind() {
    FakeDevice small = new FakeDevice(1, true, 0);
    try (ComputeDevice device = ComputeDevice.open(small);
        Buffer x = device.client().empty("held", 3 << 20)) {
      ComputeClient client = device.client();
      MemorySegment much = MemorySegment.ofArray(new byte[3 << 20]);
      Tensor.Spec spec = new Tensor.Spec("t", DType.I8, Shape.of(3 << 20), Tensor.Rows.CONTIGUOUS);
      List<ThrowingCallable> operations =
          List.of(
              () -> client.empty(3 << 20),
              () -> client.create(much),
              () -> client.emptyTensors(List.of(spec)),
              () -> client.createTensors(List.of(spec), List.of(much)),
              () -> client.toClient(x, client));
      small.limit.set(4 << 20);
      operations.forEach(
          operation ->
              assertThatExceptionOfType(MemoryException.class)
                  .isThrownBy(operation)
                  .withMessageContaining("held"));
      small.limit.set(Long.MAX_VALUE);
      small.stagingLimit.set(1 << 20);
      List<ThrowingCallable> staged =
          List.of(
              () -> client.pinned(3 << 20),
              () -> client.create(much),
              () -> client.createTensors(List.of(spec), List.of(much)),
              () -> client.write(x, much),
              () -> client.readAsync(x),
              () -> client.read(x));
      staged.forEach(
          operation ->
              assertThatExceptionOfType(MemoryException.class)
                  .isThrownBy(operation)
                  .withMessageContaining("staging"));
      client.sync();
      assertThat(client.memoryUsage().used()).isEqualTo(3 << 20);
      assertThat(small.staging().used()).isZero();
    }
  }
}
