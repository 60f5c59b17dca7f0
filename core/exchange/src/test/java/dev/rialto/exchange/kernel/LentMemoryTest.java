package dev.rialto.exchange.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Buffers of exchanges are memory that the runtime counts, until their arena is closed. */
class LentMemoryTest {
  private static long used() {
    return Devices.host().memoryUsage().used();
  }

  @Test
  void buffersOfTheHostAreZeroAlignedAndCounted() {
    long before = used();
    for (long bytes : new long[] {8, 100, 1 << 20, (3 << 20) + 1}) {
      for (int round = 0; round < 2; round++) {
        try (Arena arena = Arena.ofShared()) {
          MemorySegment buffer = HostKernels.serial().allocate(bytes, true, arena);
          assertThat(buffer.byteSize()).isEqualTo(bytes);
          assertThat(buffer.address() % 64).isZero();
          assertThat(buffer.mismatch(MemorySegment.ofArray(new byte[(int) bytes]))).isEqualTo(-1);
          assertThat(used() - before).isEqualTo(Math.max(bytes, 256));
          // What comes next may get the same memory.
          buffer.fill((byte) 7);
        }
        assertThat(used()).isEqualTo(before);
      }
    }
  }

  @Test
  void buffersOfADeviceAreItsOwnAndItsStagingMemory() {
    try (ComputeDevice device = ComputeDevice.open(TestDevices.get("plain"));
        DevicePacking kernels = DevicePacking.on(device.client())) {
      ComputeClient client = device.client();
      try (Arena arena = Arena.ofShared()) {
        MemorySegment there = kernels.allocate(5000, false, arena);
        MemorySegment staged = kernels.allocate(7000, true, arena);
        assertThat(client.memoryUsage().used()).isEqualTo(5000);
        assertThat(client.memoryReport().pools())
            .extracting(row -> row.pool() + " " + row.used())
            .contains("staging exact 7000");
        assertThat(kernels.reaches(there) && kernels.reaches(staged)).isTrue();
      }
      assertThat(client.memoryUsage().used()).isZero();
      assertThat(client.memoryUsage().reserved()).isZero();
    }
  }
}
