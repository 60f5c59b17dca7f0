package dev.rialto.tck.plain;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.DeviceCollectives.Message;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** The collectives that others are compared with give what their definitions say. */
class PlainCollectivesTest {
  private static final int RANKS = 3;
  private static final int COUNT = 5;

  /** An operation from one memory to another; rank r has r * 100 + i there. */
  private interface Operation {
    void add(DeviceCollectives ranks, MemorySegment from, MemorySegment to, Stream stream);
  }

  /** Runs an operation on all ranks and compares the first elements of each result. */
  private static void check(Operation operation, int elements, List<IntToDoubleFunction> wanted) {
    try (World world = World.local(RANKS)) {
      Device device = TestDevices.get("plain-connected", RANKS).getFirst();
      world.run(
          comm -> {
            long bytes = DType.F64.bytes(RANKS * COUNT);
            try (Stream stream = device.openStream(0);
                DeviceCollectives ranks = device.collectives(comm);
                Allocation from = device.memory().allocate(bytes);
                Allocation to = device.memory().allocate(bytes)) {
              assertThat(ranks.rank()).isEqualTo(comm.rank());
              assertThat(ranks.size()).isEqualTo(RANKS);
              MemorySegment in = PlainDevice.seen(from.segment(), bytes);
              for (int i = 0; i < RANKS * COUNT; i++) {
                in.setAtIndex(JAVA_DOUBLE, i, comm.rank() * 100 + i);
              }
              operation.add(ranks, from.segment(), to.segment(), stream);
              stream.await();
              MemorySegment out = PlainDevice.seen(to.segment(), bytes);
              for (int i = 0; i < elements; i++) {
                assertThat(out.getAtIndex(JAVA_DOUBLE, i))
                    .as("element %d of rank %d", i, comm.rank())
                    .isEqualTo(wanted.get(comm.rank()).applyAsDouble(i));
              }
            }
          });
    }
  }

  private static List<IntToDoubleFunction> all(IntToDoubleFunction same) {
    return List.of(same, same, same);
  }

  @Test
  void reductionsCombineWhatAllRanksHave() {
    check(
        (ranks, from, to, stream) ->
            ranks.allReduce(from, to, DType.F64, COUNT, ReduceOp.SUM, stream),
        COUNT,
        all(i -> 300 + 3 * i));
    check(
        (ranks, from, to, stream) ->
            ranks.allReduce(from, to, DType.F64, COUNT, DeviceCollectives.MEAN, stream),
        COUNT,
        all(i -> 100 + i));
    check(
        (ranks, from, to, stream) ->
            ranks.reduce(from, to, DType.F64, COUNT, ReduceOp.MAX, 1, stream),
        COUNT,
        List.of(_ -> 0, i -> 200 + i, _ -> 0));
    check(
        (ranks, from, to, stream) ->
            ranks.reduceScatter(from, to, DType.F64, COUNT, ReduceOp.MIN, stream),
        COUNT,
        List.of(i -> i, i -> COUNT + i, i -> 2 * COUNT + i));
  }

  @Test
  void elementsOfOneOrAllReachAll() {
    check(
        (ranks, from, to, stream) -> ranks.allGather(from, to, DType.F64, COUNT, stream),
        RANKS * COUNT,
        all(i -> i / COUNT * 100 + i % COUNT));
    check(
        (ranks, from, to, stream) -> {
          ranks.broadcast(from, DType.F64, COUNT, 2, stream);
          ranks.allReduce(from, to, DType.F64, COUNT, ReduceOp.PRODUCT, stream);
        },
        COUNT,
        all(i -> Math.pow(200 + i, 3)));
  }

  @Test
  void messagesOfOnePairMatchInTheirOrder() {
    check(
        (ranks, from, to, stream) -> {
          int next = (ranks.rank() + 1) % RANKS;
          int before = (ranks.rank() + 2) % RANKS;
          ranks.exchange(
              List.of(
                  new Message(next, from.address(), 8), new Message(next, from.address() + 8, 16)),
              List.of(
                  new Message(before, to.address() + 16, 8), new Message(before, to.address(), 16)),
              stream);
        },
        3,
        List.of(i -> 200 + (i + 1) % 3, i -> (i + 1) % 3, i -> 100 + (i + 1) % 3));
  }

  @Test
  void whatCannotBeCombinedIsRefused() {
    check(
        (ranks, from, to, stream) ->
            assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> ranks.allReduce(from, to, DType.C64, 1, ReduceOp.SUM, stream))
                .withMessageContaining("C64"),
        0,
        all(_ -> 0));
  }
}
