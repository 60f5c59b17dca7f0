package dev.rialto.sparse.local;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops by vectors of the processor against plain ones, to the bit. */
class VectorLoopsTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 31, 64, 1003})
  void theNextDirectionHasTheBitsOfAPlainLoop(int n) {
    Random random = new Random(n);
    double a = random.nextGaussian();
    double b = random.nextGaussian();
    double[] x = random.doubles(n).toArray();
    double[] z = random.doubles(n).toArray();
    double[] p = random.doubles(n).toArray();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sums = arena.allocateFrom(JAVA_DOUBLE, x);
      MemorySegment directions = arena.allocateFrom(JAVA_DOUBLE, p);
      VectorKernels.of(DType.F64)
          .nextDirection(
              n,
              Scalar.of(a),
              sums.address(),
              arena.allocateFrom(JAVA_DOUBLE, z).address(),
              Scalar.of(b),
              directions.address());
      for (int i = 0; i < n; i++) {
        assertThat(sums.getAtIndex(JAVA_DOUBLE, i)).isEqualTo(x[i] + a * p[i]);
        assertThat(directions.getAtIndex(JAVA_DOUBLE, i)).isEqualTo(z[i] + b * p[i]);
      }
    }
  }
}
