package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.cuda.driver.Nccl;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.DeviceCollectives.Message;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** NCCL on one GPU: a single rank works, two ranks are refused. */
@Tag("gpu")
class NcclTest {
  private static final int COUNT = 1000;
  private static final long BYTES = COUNT * 8L;

  @Test
  void typesAndOperationsAreTheLibrarys() {
    assertThat(Nccl.type(DType.F64)).hasValue(8);
    assertThat(Nccl.type(DType.BF16)).hasValue(9);
    assertThat(Nccl.type(DType.C64)).isEmpty();
    assertThat(Nccl.operation(ReduceOp.SUM)).hasValue(0);
    assertThat(Nccl.operation(ReduceOp.MIN)).hasValue(3);
    assertThat(Nccl.operation(DeviceCollectives.MEAN)).hasValue(4);
    assertThat(Nccl.operation(ReduceOp.BIT_OR)).isEmpty();
    assertThat(Nccl.MISSING).contains("libnccl.so.2 not found", "RIALTO_CUDA_HOME");
  }

  private static Device connected() {
    Device device = Gpu.device();
    assumeTrue(Nccl.find().isPresent(), Nccl.MISSING);
    return device;
  }

  /** An operation from one memory to another that must leave all elements as they are. */
  private interface Operation {
    void add(DeviceCollectives nccl, MemorySegment from, MemorySegment to, Stream stream);
  }

  private static final List<Operation> OPERATIONS =
      List.of(
          (nccl, from, to, stream) ->
              nccl.allReduce(from, to, DType.F64, COUNT, ReduceOp.SUM, stream),
          (nccl, from, to, stream) ->
              nccl.allReduce(from, to, DType.F64, COUNT, DeviceCollectives.MEAN, stream),
          (nccl, from, to, stream) ->
              nccl.reduce(from, to, DType.F64, COUNT, ReduceOp.MAX, 0, stream),
          (nccl, from, to, stream) ->
              nccl.reduceScatter(from, to, DType.F64, COUNT, ReduceOp.MIN, stream),
          (nccl, from, to, stream) -> nccl.allGather(from, to, DType.F64, COUNT, stream),
          (nccl, from, to, stream) -> {
            nccl.broadcast(from, DType.F64, COUNT, 0, stream);
            nccl.exchange(
                List.of(
                    new Message(0, from.address(), 3000),
                    new Message(0, from.address() + 3000, BYTES - 3000)),
                List.of(
                    new Message(0, to.address(), 3000),
                    new Message(0, to.address() + 3000, BYTES - 3000)),
                stream);
          });

  @Test
  void aRankAloneGetsBackWhatItGives() {
    Device device = connected();
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (DeviceCollectives nccl = device.collectives(comm);
                Stream stream = device.openStream(0);
                Allocation from = device.memory().allocate(BYTES);
                Allocation to = device.memory().allocate(BYTES);
                Arena arena = Arena.ofConfined()) {
              assertThat(nccl.size()).isEqualTo(1);
              MemorySegment sent = arena.allocate(BYTES, 8);
              MemorySegment got = arena.allocate(BYTES, 8);
              for (int run = 0; run < OPERATIONS.size(); run++) {
                for (int i = 0; i < COUNT; i++) {
                  sent.setAtIndex(JAVA_DOUBLE, i, Math.cos(i + 1000 * run));
                }
                device.transfer().copy(sent, from.segment(), BYTES);
                OPERATIONS.get(run).add(nccl, from.segment(), to.segment(), stream);
                stream.await();
                device.transfer().copy(to.segment(), got, BYTES);
                assertThat(got.mismatch(sent)).as("operation %d", run).isEqualTo(-1);
              }
              assertThat(nccl.supports(DType.C64, ReduceOp.SUM)).isFalse();
              assertThatExceptionOfType(UnsupportedOperationException.class)
                  .isThrownBy(
                      () ->
                          nccl.allReduce(
                              from.segment(), to.segment(), DType.C64, 1, ReduceOp.SUM, stream))
                  .withMessageContaining("combine its parts");
            }
          });
    }
  }

  @Test
  void ranksThatShareAGpuAreRefusedOnAllOfThem() {
    Device device = connected();
    try (World world = World.local(2)) {
      world.run(
          comm ->
              assertThatExceptionOfType(CommunicationException.class)
                  .isThrownBy(() -> device.collectives(comm))
                  .withMessageContaining("NCCL takes one rank per GPU"));
    }
  }
}
