package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.tck.TestDevices;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Data gets to a device, back, across and between devices, also where the host cannot look. */
@Tag("gpu")
class TransfersTest {
  enum Kind {
    CPU,
    FAKE,
    HIDDEN,
    CUDA;

    Device device() {
      return switch (this) {
        case CPU, CUDA -> TestDevices.get(name().toLowerCase(Locale.ROOT));
        case FAKE, HIDDEN -> new FakeDevice(1, this == HIDDEN, 20);
      };
    }
  }

  private static void on(Kind kind, Consumer<ComputeClient> test) {
    try (ComputeDevice device = ComputeDevice.open(kind.device())) {
      test.accept(device.client());
      assertThat(device.client().memoryUsage().used()).as("bytes left behind").isZero();
    }
  }

  private static double[] numbers(int count) {
    return DoubleStream.iterate(0, x -> x + 0.5).limit(count).toArray();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsCreatedIsRead(Kind kind) {
    on(
        kind,
        client -> {
          for (int count : new int[] {0, 1, 1000, 300_000}) {
            try (Buffer buffer = Kernels.create(client, numbers(count))) {
              MemorySegment expected = MemorySegment.ofArray(numbers(count));
              assertThat(client.read(buffer).mismatch(expected)).isEqualTo(-1);
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void longUploadsAreCutAndArriveWhole(Kind kind) {
    on(
        kind,
        client -> {
          double[] values = numbers(5 << 20);
          try (Buffer buffer = Kernels.create(client, values)) {
            assertThat(client.read(buffer).mismatch(MemorySegment.ofArray(values))).isEqualTo(-1);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void filesAreRead(Kind kind, @TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("data"), new byte[] {1, 2, 3});
    on(
        kind,
        client -> {
          try (Buffer buffer = client.create(file)) {
            assertThat(client.read(buffer).toArray(JAVA_BYTE)).containsExactly(1, 2, 3);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void pinnedMemoryIsFilledByTheHostAndCopiedByTheDevice(Kind kind) {
    on(
        kind,
        client -> {
          try (Buffer pinned = client.pinned(16);
              Buffer buffer = client.empty(16)) {
            try (Resource resource = client.resource(pinned, true)) {
              resource.segment().setAtIndex(JAVA_DOUBLE, 1, 5);
              resource.segment().setAtIndex(JAVA_DOUBLE, 0, 4);
            }
            client.copy(pinned, buffer);
            assertThat(Kernels.doubles(client, buffer)).containsExactly(4, 5);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void severalBuffersAreReadAtOnce(Kind kind) {
    on(
        kind,
        client -> {
          try (Buffer x = Kernels.create(client, 1, 2);
              Buffer y = Kernels.create(client, 3)) {
            assertThat(client.read(List.of(x, y)))
                .extracting(read -> read.toArray(JAVA_DOUBLE))
                .containsExactly(new double[] {1, 2}, new double[] {3});
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void anAsynchronousReadSeesTheMomentItWasAskedFor(Kind kind) {
    on(
        kind,
        client -> {
          CountDownLatch gate = new CountDownLatch(1);
          try (Buffer x = Kernels.create(client, 1)) {
            Kernels.hold(client, gate);
            var before = client.readAsync(x);
            client.fill(x, MemorySegment.ofArray(new double[] {2}));
            var after = client.readAsync(x);
            assertThat(before).isNotDone();
            gate.countDown();
            assertThat(before.join().toArray(JAVA_DOUBLE)).containsExactly(1);
            assertThat(after.join().toArray(JAVA_DOUBLE)).containsExactly(2);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void tensorsShareAnAllocationAndKeepTheirRowsApart(Kind kind) {
    on(
        kind,
        client -> {
          Shape shape = Shape.of(3, 5);
          List<Tensor> tensors =
              client.createTensors(
                  List.of(
                      new Tensor.Spec("a", DType.F64, shape, Tensor.Rows.CONTIGUOUS),
                      new Tensor.Spec("b", DType.F64, shape, Tensor.Rows.PITCHED)),
                  List.of(MemorySegment.ofArray(numbers(15)), MemorySegment.ofArray(numbers(15))));
          try (Tensor a = tensors.get(0);
              Tensor b = tensors.get(1)) {
            assertThat(b.buffer().bytes()).isGreaterThan(a.buffer().bytes());
            assertThat(client.read(a).toArray(JAVA_DOUBLE)).containsExactly(numbers(15));
            assertThat(client.read(b).toArray(JAVA_DOUBLE)).containsExactly(numbers(15));
            Layout transposed = Layout.strided(DType.F64, Shape.of(5, 3), new long[] {1, 5}, 0);
            assertThat(client.readAsync(b).join().toArray(JAVA_DOUBLE))
                .containsExactly(numbers(15));
            client.copy(b, new Tensor(a.buffer(), Shape.of(3, 5), a.layout()));
            assertThat(
                    client
                        .read(new Tensor(a.buffer(), Shape.of(5, 3), transposed))
                        .toArray(JAVA_DOUBLE))
                .startsWith(0, 2.5, 5, 0.5);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void aPatternFillsABuffer(Kind kind) {
    on(
        kind,
        client -> {
          try (Buffer x = client.empty(DType.F64, 7)) {
            client.fill(x, MemorySegment.ofArray(new double[] {3}));
            assertThat(Kernels.doubles(client, x)).hasSize(7).containsOnly(3);
            assertThatIllegalArgumentException()
                .isThrownBy(() -> client.fill(x, MemorySegment.ofArray(new double[3])))
                .withMessageContaining("24 bytes");
          }
        });
  }

  static Stream<Arguments> pairs() {
    return Stream.of(Kind.values())
        .flatMap(one -> Stream.of(Kind.values()).map(two -> Arguments.of(one, two)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void buffersMoveBetweenDevices(Kind kind, Kind other) {
    on(
        kind,
        client -> {
          CountDownLatch gate = new CountDownLatch(1);
          try (ComputeDevice there = ComputeDevice.open(other.device());
              Buffer x = Kernels.create(client, 1, 2)) {
            Kernels.hold(client, gate);
            client.launch(Kernels.increment(client), 2, x);
            try (Buffer moved = client.toClient(x, there.client())) {
              gate.countDown();
              assertThat(Kernels.doubles(there.client(), moved)).containsExactly(2, 3);
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> client.read(moved))
                  .withMessageContaining("toClient");
            }
          }
        });
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void tensorsMoveBetweenDevicesWithTheirStrides(Kind kind, Kind other) {
    on(
        kind,
        client -> {
          try (ComputeDevice there = ComputeDevice.open(other.device());
              Buffer x = Kernels.create(client, numbers(15));
              Buffer y = there.client().empty(DType.F64, 40)) {
            Tensor columns =
                new Tensor(
                    x,
                    Shape.of(5, 3),
                    Layout.strided(DType.F64, Shape.of(5, 3), new long[] {1, 5}, 0));
            double[] transposed =
                IntStream.range(0, 15).mapToDouble(i -> (i / 3 + i % 3 * 5) * 0.5).toArray();
            try (Tensor moved = client.toClient(columns, there.client())) {
              assertThat(there.client().read(moved).toArray(JAVA_DOUBLE))
                  .containsExactly(transposed);
            }
            Tensor pitched =
                new Tensor(y, Shape.of(5, 3), Layout.pitched(DType.F64, Shape.of(5, 3), 8));
            client.copy(columns, there.client(), pitched);
            assertThat(there.client().read(pitched).toArray(JAVA_DOUBLE))
                .containsExactly(transposed);
            assertThatIllegalArgumentException()
                .isThrownBy(() -> client.copy(Transfers.bytes(x), there.client(), pitched))
                .withMessageContaining("120 elements of I8 do not fit 15 of F64");
          }
        });
  }

  @Test
  void copiesOfAnySizeNeedTwoPiecesOfStaging() {
    int rows = 700;
    int columns = 6000;
    Shape shape = Shape.of(rows, columns);
    double[] values = numbers(rows * columns);
    MemorySegment expected = MemorySegment.ofArray(values);
    on(
        Kind.HIDDEN,
        client -> {
          Layout pitch = Layout.pitched(DType.F64, shape, columns + 11);
          try (ComputeDevice far = ComputeDevice.open(Kind.CPU.device());
              Buffer flat = client.empty(8L * values.length);
              Tensor pitched = new Tensor(client.empty(pitch.span()), shape, pitch);
              Tensor there =
                  new Tensor(
                      far.client().empty(pitch.span()),
                      shape,
                      Layout.pitched(DType.F64, shape, columns + 11))) {
            client.write(flat, expected);
            assertThat(client.read(flat).mismatch(expected)).isEqualTo(-1);
            client.write(pitched, expected);
            assertThat(client.read(pitched).mismatch(expected)).isEqualTo(-1);
            var later = client.readAsync(pitched);
            client.fill(pitched.buffer(), MemorySegment.ofArray(new double[1]));
            assertThat(later.join().mismatch(expected)).isEqualTo(-1);
            try (Buffer moved = client.toClient(flat, far.client())) {
              assertThat(far.client().read(moved).mismatch(expected)).isEqualTo(-1);
            }
            client.write(pitched, expected);
            client.copy(pitched, far.client(), there);
            assertThat(far.client().read(there).mismatch(expected)).isEqualTo(-1);
          }
          assertThat(client.memoryReport().pools())
              .filteredOn(row -> row.pool().equals("staging large"))
              .extracting(MemoryReport.Row::peakUsed)
              .containsExactly(2 * StagedTransfers.PIECE);
        });
  }

  @Test
  void stagingIsPinnedMemoryFromAPoolAndUsedOnlyWhereItMustBe() {
    FakeDevice fake = new FakeDevice(1, true, 0);
    try (ComputeDevice device = ComputeDevice.open(fake);
        ComputeDevice near = ComputeDevice.open(new FakeDevice(2, true, 0));
        ComputeDevice far = ComputeDevice.open(Kind.CPU.device());
        Buffer x = device.client().empty(3 << 20)) {
      ComputeClient client = device.client();
      client.launch(Kernels.increment(client), 1, x);
      client.toClient(x, near.client()).close();
      near.client().sync();
      assertThat(fake.staging().used()).as("a direct copy").isZero();
      client.toClient(x, far.client()).close();
      far.client().sync();
      long once = fake.staging().used();
      assertThat(once).as("a staged copy").isEqualTo(3 << 20);
      for (int i = 0; i < 10; i++) {
        client.write(x, MemorySegment.ofArray(new byte[3 << 20]));
        client.sync();
      }
      assertThat(fake.staging().used()).as("used again").isEqualTo(once);
      assertThat(client.memoryReport().pools())
          .extracting(row -> row.pool() + " " + row.peakUsed())
          .contains("large 3145728", "staging large 3145728");
      client.cleanup();
      assertThat(fake.staging().used()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void memoryForHostCodeIsCountedAndLimited(Kind kind) {
    on(
        kind,
        client -> {
          if (!client.device().isHostAccessible()) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> client.hosted("there", 8))
                .withMessageContaining("a client of the host");
            return;
          }
          ComputeClient little = client.withLimit(1 << 20);
          long before = client.memoryUsage().used();
          try (Resource half = little.hosted("half", 1 << 19)) {
            var _ = half.segment().fill((byte) 1);
            assertThat(client.memoryUsage().used()).isEqualTo(before + (1 << 19));
            assertThatExceptionOfType(MemoryException.class)
                .isThrownBy(() -> little.hosted("more", 1 << 20));
          }
          assertThat(client.memoryUsage().used()).isEqualTo(before);
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"CPU", "FAKE"})
  void memoryOfSomebodyElseIsUsedAndGivenBack(Kind kind) {
    on(
        kind,
        client -> {
          CountDownLatch released = new CountDownLatch(1);
          CountDownLatch gate = new CountDownLatch(1);
          try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocateFrom(JAVA_DOUBLE, 1, 2);
            Buffer wrapped = client.wrap(memory, 16, released::countDown);
            Kernels.hold(client, gate, Access.READ_WRITE, wrapped);
            client.launch(Kernels.increment(client), 2, wrapped);
            wrapped.close();
            assertThat(released.getCount()).isOne();
            gate.countDown();
            Kernels.await(released);
            assertThat(memory.toArray(JAVA_DOUBLE)).containsExactly(2, 3);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void aResourceKeepsTheMemoryAliveAndWaitsForWriters(Kind kind) {
    on(
        kind,
        client -> {
          CountDownLatch gate = new CountDownLatch(1);
          Buffer x = Kernels.create(client, 1);
          Kernels.hold(client, gate, Access.READ_WRITE, x);
          gate.countDown();
          try (Resource resource = client.resource(x, false)) {
            x.close();
            assertThat(x.isOpen()).isTrue();
            assertThat(client.stream().isIdle()).isTrue();
            assertThat(resource.segment().address()).isNotZero();
          }
          assertThat(x.isOpen()).isFalse();
        });
  }

  @ParameterizedTest
  @EnumSource
  void ownersAreCounted(Kind kind) {
    on(
        kind,
        client -> {
          Buffer x = client.empty(8);
          assertThat(x.isSole()).isTrue();
          x.retain();
          assertThat(x.isSole()).isFalse();
          x.close();
          assertThat(x.isOpen()).isTrue();
          x.close();
          assertThat(x.isOpen()).isFalse();
          x.close();
          assertThatIllegalStateException().isThrownBy(x::retain);
          assertThatIllegalStateException()
              .isThrownBy(() -> client.read(x))
              .withMessageContaining("is closed");
          assertThatIllegalStateException()
              .isThrownBy(() -> client.fill(x, MemorySegment.ofArray(new double[1])));
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatDoesNotFitIsRefused(Kind kind) {
    on(
        kind,
        client -> {
          try (Buffer small = client.empty("small", 8);
              Buffer large = client.empty(16)) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> client.copy(large, small))
                .withMessageContaining("'small'");
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> client.write(small, MemorySegment.ofArray(new byte[9])));
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> small.slice(4, 5));
            assertThatIllegalArgumentException().isThrownBy(() -> client.empty(-1));
          }
        });
  }
}
