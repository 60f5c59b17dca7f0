package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Copies that are larger than those of the kit, against the host's own. */
@Tag("gpu")
class CudaTransferTest {
  private final Device device = Gpu.device();

  private static byte[] random(long seed, int bytes) {
    byte[] content = new byte[bytes];
    new Random(seed).nextBytes(content);
    return content;
  }

  @Test
  void pageableMemoryGoesThereAndBackInChunks() {
    for (int bytes : new int[] {1, 8 << 20, (8 << 20) + 1, (50 << 20) + 77}) {
      MemorySegment heap = MemorySegment.ofArray(random(bytes, bytes));
      MemorySegment back = MemorySegment.ofArray(new byte[bytes]);
      try (Allocation there = device.memory().allocate(bytes)) {
        device.transfer().copy(heap, there.segment(), bytes);
        device.transfer().copy(there.segment(), back, bytes);
        assertThat(heap.mismatch(back)).as("%d bytes", bytes).isEqualTo(-1);
      }
    }
  }

  @Test
  void boxesOfAllOrdersMatchTheHosts() {
    int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    Shape box = Shape.of(33, 70, 41);
    for (DType type : new DType[] {DType.I8, DType.F32, DType.F64, DType.C128}) {
      int bytes = Math.toIntExact(type.bytes(box.count() + 5));
      for (int[] order : orders) {
        long[] strides = new long[3];
        long stride = 1;
        for (int i = 2; i >= 0; i--) {
          strides[order[i]] = stride;
          stride *= box.extent(order[i]);
        }
        Layout from = Layout.strided(type, box, strides, 5);
        Layout to = Layout.contiguous(type, box.count());
        try (Arena arena = Arena.ofConfined();
            Allocation source = device.memory().allocate(bytes);
            Allocation target = device.memory().allocate(bytes)) {
          MemorySegment host = arena.allocateFrom(JAVA_BYTE, random(bytes, bytes));
          MemorySegment expected = arena.allocate(to.bytes(), 16);
          MemorySegment result = arena.allocate(to.bytes(), 16);
          StridedCopy.of(from, to).run(host, expected);
          device.transfer().copy(host, source.segment(), bytes);
          device.transfer().copy(source.segment(), from, target.segment(), to);
          device.transfer().copy(target.segment(), result, to.bytes());
          assertThat(result.mismatch(expected)).as("%s", from).isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void aCopyBeyondAnAllocationOnTheGpuIsRefused() {
    try (Allocation there = device.memory().allocate(100)) {
      MemorySegment heap = MemorySegment.ofArray(new byte[200]);
      assertThatThrownBy(() -> device.transfer().copy(heap, there.segment(), 101))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("target has 100 bytes left in its allocation on cuda:0");
    }
  }
}
