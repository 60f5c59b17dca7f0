package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices of several ranks combine and exchange their buffers, in order with their kernels. */
@Tag("gpu")
class RankGroupTest {
  private static final int RANKS = 3;

  private static List<Device> devices(String name, int ranks) {
    if (name.equals("connected")) {
      return FakeDevice.connected(ranks);
    }
    return name.startsWith("cuda")
        ? TestDevices.get(name, ranks)
        : IntStream.range(0, ranks)
            .<Device>mapToObj(rank -> new FakeDevice(rank, name.equals("hidden"), 20))
            .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fake", "hidden", "connected", "cuda", "cuda-connected"})
  void collectivesFollowKernelsAndAreFollowedByThem(String name) {
    List<Device> devices = devices(name, RANKS);
    try (World world = World.local(RANKS)) {
      world.run(
          comm -> {
            try (ComputeDevice device = ComputeDevice.open(devices.get(comm.rank()));
                RankGroup group = device.client().join(comm)) {
              ComputeClient client = device.client();
              Kernel increment = Kernels.increment(client);
              assertThat(group.rank()).isEqualTo(comm.rank());
              try (Buffer x = Kernels.create(client, comm.rank(), 10.0 * comm.rank());
                  Buffer sum = client.empty(16);
                  Buffer all = client.empty(16L * RANKS);
                  Buffer part = client.empty(8)) {
                client.launch(increment, 2, x);
                group.allReduce(x, sum, DType.F64, 2, ReduceOp.SUM);
                client.launch(increment, 2, sum);
                assertThat(Kernels.doubles(client, sum)).containsExactly(7, 34);
                group.allGather(x, all, DType.F64, 2);
                assertThat(Kernels.doubles(client, all)).containsExactly(1, 1, 2, 11, 3, 21);
                group.reduceScatter(all.slice(0, 8L * RANKS), part, DType.F64, 1, ReduceOp.SUM);
                double[] thirds = {3, 3, 6};
                assertThat(Kernels.doubles(client, part)).containsExactly(thirds[comm.rank()]);
                group.allReduce(x, x, DType.F64, 2, ReduceOp.MAX);
                assertThat(Kernels.doubles(client, x)).containsExactly(3, 21);
                client.launch(increment, 2, x);
                group.broadcast(x, DType.F64, 2, 1);
                assertThat(Kernels.doubles(client, x)).containsExactly(4, 22);
                if (comm.rank() == 0) {
                  group.send(x, DType.F64, 1, 2);
                } else if (comm.rank() == 2) {
                  group.receive(part, DType.F64, 1, 0);
                  assertThat(Kernels.doubles(client, part)).containsExactly(4);
                }
                group.sync();
                assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> group.broadcast(part, DType.F64, 2, 0))
                    .withMessageContaining("16 bytes");
              }
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fake", "connected", "cuda", "cuda-connected"})
  void manyCollectivesKeepTheirOrder(String name) {
    int count = 50;
    List<Device> devices = devices(name, 2);
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (ComputeDevice device = ComputeDevice.open(devices.get(comm.rank()));
                RankGroup group = device.client().join(comm);
                Buffer x = Kernels.create(device.client(), 1)) {
              IntStream.range(0, count)
                  .forEach(_ -> group.allReduce(x, x, DType.F64, 1, ReduceOp.SUM));
              assertThat(Kernels.doubles(device.client(), x)).containsExactly(Math.pow(2, count));
            }
          });
    }
  }

  /** Runs a test on each rank of a world, and returns the peak of staging memory of rank 0. */
  private static long together(String name, int ranks, BiConsumer<ComputeClient, RankGroup> test) {
    List<Device> devices = devices(name, ranks);
    AtomicLong staged = new AtomicLong();
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (ComputeDevice device = ComputeDevice.open(devices.get(comm.rank()))) {
              try (RankGroup group = device.client().join(comm)) {
                test.accept(device.client(), group);
              }
              if (comm.rank() == 0) {
                staged.set(staging(device.client()));
              }
              assertThat(device.client().memoryUsage().used()).isZero();
            }
          });
    }
    return staged.get();
  }

  private static long staging(ComputeClient client) {
    return client.memoryReport().pools().stream()
        .filter(row -> row.pool().startsWith("staging"))
        .mapToLong(MemoryReport.Row::peakReserved)
        .sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fake", "hidden", "connected"})
  void meansAreSumsDividedByTheRanks(String name) {
    Map<DType, String> ones =
        Map.of(
            DType.F16,
            "003c",
            DType.BF16,
            "803f",
            DType.F32,
            "0000803f",
            DType.F64,
            "000000000000f03f",
            DType.C64,
            "0000803f0000803f",
            DType.C128,
            "000000000000f03f000000000000f03f");
    // Ranks 0, 1 and 2 give 0, 1 and 2, all of which are exact in each type, as is their mean.
    Map<DType, String> twos =
        Map.of(
            DType.F16,
            "0040",
            DType.BF16,
            "0040",
            DType.F32,
            "00000040",
            DType.F64,
            "0000000000000040",
            DType.C64,
            "0000004000000040",
            DType.C128,
            "00000000000000400000000000000040");
    together(
        name,
        RANKS,
        (client, group) -> {
          ones.forEach(
              (type, one) -> {
                String mine =
                    switch (group.rank()) {
                      case 0 -> "00".repeat(type.size());
                      case 1 -> one;
                      default -> Objects.requireNonNull(twos.get(type));
                    };
                MemorySegment given = bytes(mine.repeat(RANKS));
                try (Buffer x = client.create(given);
                    Buffer mean = client.empty(type, RANKS);
                    Buffer part = client.empty(type, 1)) {
                  group.allReduce(x, mean, type, RANKS, DeviceCollectives.MEAN);
                  assertThat(client.read(mean).mismatch(bytes(one.repeat(RANKS)))).isEqualTo(-1);
                  group.reduceScatter(x, part, type, 1, DeviceCollectives.MEAN);
                  assertThat(client.read(part).mismatch(bytes(one))).isEqualTo(-1);
                }
              });
          try (Buffer x = client.empty(8)) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> group.allReduce(x, x, DType.I64, 1, DeviceCollectives.MEAN))
                .withMessageContaining("MEAN of I64");
          }
        });
  }

  private static MemorySegment bytes(String hexadecimal) {
    return MemorySegment.ofArray(HexFormat.of().parseHex(hexadecimal));
  }

  @Test
  void connectedDevicesNeedNoHostButForWhatTheyCannotCombine() {
    long without =
        together(
            "connected",
            2,
            (client, group) -> {
              assertThat(group.route()).isEqualTo("plain");
              try (Buffer x = client.empty(16);
                  Buffer all = client.empty(32)) {
                group.allReduce(x, x, DType.C128, 1, ReduceOp.SUM);
                group.allGather(x, all, DType.F64, 2);
                group.broadcast(all, DType.F64, 4, 1);
                group.sync();
              }
            });
    assertThat(without).isZero();
    long integers =
        together(
            "connected",
            2,
            (client, group) -> {
              try (Buffer x = client.empty(8)) {
                client.fill(x, MemorySegment.ofArray(new long[] {3L + group.rank()}));
                group.allReduce(x, x, DType.I64, 1, ReduceOp.BIT_XOR);
                assertThat(client.read(x).get(JAVA_LONG, 0)).isEqualTo(7);
              }
            });
    assertThat(integers).isPositive();
  }

  @Test
  void longOperationsNeedLittleStagingMemory() {
    int count = 3 << 20;
    long staged =
        together(
            "hidden",
            2,
            (client, group) -> {
              try (Buffer x = client.empty(DType.F64, count);
                  Buffer y = client.empty(DType.F64, count)) {
                client.write(x, MemorySegment.ofArray(ramp(count, group.rank())));
                client.sync();
                client.cleanup();
                group.allReduce(x, y, DType.F64, count, ReduceOp.SUM);
                compare(client, y, i -> 2.0 * i + 1);
                group.reduceScatter(x, y, DType.F64, count / 2, ReduceOp.MAX);
                compare(client, y.slice(0, 4L * count), i -> i + 1 + group.rank() * (count / 2.0));
                group.allGather(x, y, DType.F64, count / 2);
                compare(client, y, i -> i < count / 2 ? i : i - count / 2 + 1);
              }
            });
    assertThat(staged).isBetween(1L, 5 * HostCollectives.PIECE);
  }

  private static double[] ramp(int count, int first) {
    return IntStream.range(first, first + count).asDoubleStream().toArray();
  }

  private static void compare(ComputeClient client, Buffer got, IntToDoubleFunction wanted) {
    int count = (int) (got.bytes() / 8);
    double[] values = IntStream.range(0, count).mapToDouble(wanted).toArray();
    assertThat(client.read(got).mismatch(MemorySegment.ofArray(values))).isEqualTo(-1);
  }
}
