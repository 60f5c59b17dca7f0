package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.TestDevices;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices of several ranks combine and exchange their buffers, in order with their kernels. */
@Tag("gpu")
class RankGroupTest {
  private static final int RANKS = 3;

  private static List<Device> devices(String name, int ranks) {
    return name.equals("cuda")
        ? TestDevices.get(name, ranks)
        : IntStream.range(0, ranks)
            .<Device>mapToObj(rank -> new FakeDevice(rank, name.equals("hidden"), 20))
            .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fake", "hidden", "cuda"})
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
                  group.send(x, DType.F64, 1, 2, 5);
                } else if (comm.rank() == 2) {
                  group.receive(part, DType.F64, 1, 0, 5);
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
  @ValueSource(strings = {"fake", "cuda"})
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
}
