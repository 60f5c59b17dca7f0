package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** To and from segments, buffers and Java arrays, with a halo and without. */
class ConversionTest {
  private interface Body {
    void of(Communicator comm, Array array, int owned);
  }

  private static void each(Body body) {
    for (int width = 0; width < 2; width++) {
      boolean halo = width > 0;
      try (World world = World.local(2)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm);
                  F64Array array = halo ? team.space(5, 4).halo(1).star().f64() : team.f64(5, 4)) {
                array.local().fill((byte) -1);
                array.generate(i -> 1.5 * i);
                body.of(comm, array, (comm.rank() == 0 ? 3 : 2) * 4);
              }
            });
      }
    }
  }

  private static double[] expected(Communicator comm, int owned) {
    double[] values = new double[owned];
    Arrays.setAll(values, i -> 1.5 * (comm.rank() * 12 + i));
    return values;
  }

  @Test
  void javaArrays() {
    each(
        (comm, array, owned) -> {
          double[] values = new double[owned];
          array.copyTo(MemorySegment.ofArray(values));
          assertThat(values).isEqualTo(expected(comm, owned));
          Arrays.setAll(values, i -> -values[i]);
          array.copyFrom(MemorySegment.ofArray(values));
          double[] again = new double[owned];
          array.copyTo(MemorySegment.ofArray(again));
          assertThat(again).isEqualTo(values);
        });
  }

  @Test
  void buffersAndSegments() {
    each(
        (comm, array, owned) -> {
          for (ByteBuffer buffer :
              new ByteBuffer[] {
                ByteBuffer.allocate(8 * owned), ByteBuffer.allocateDirect(8 * owned)
              }) {
            array.copyTo(MemorySegment.ofBuffer(buffer));
            double[] values = new double[owned];
            buffer.order(ByteOrder.nativeOrder()).asDoubleBuffer().get(values);
            assertThat(values).isEqualTo(expected(comm, owned));
          }
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(8L * owned, 8);
            array.copyTo(segment);
            assertThat(segment.mismatch(MemorySegment.ofArray(expected(comm, owned))))
                .isEqualTo(-1);
          }
        });
  }

  @Test
  void tooLittleRoomIsRefused() {
    each(
        (_, array, owned) ->
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> array.copyTo(MemorySegment.ofArray(new double[owned - 1]))));
  }
}
