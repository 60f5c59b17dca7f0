package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import org.junit.jupiter.api.Test;

class FirstTest {
  @Test
  void sumOfNumbers() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                DistributedArray a = team.array(DType.F64, Shape.of(1000), Decomposition.block())) {
              Elementwise.generate(a, Generator.ofDoubles(i -> i)).run();
              assertThat(Reduce.of(a, Operator.SUM).run().asDouble()).isEqualTo(499500.0);
              assertThat(a.get(777).asDouble()).isEqualTo(777.0);
              a.redistribute(Decomposition.cyclic(3)).run();
              assertThat(a.get(778).asDouble()).isEqualTo(778.0);
              Scan.inclusive(a, a, Operator.SUM).run();
              assertThat(a.get(999).asDouble()).isEqualTo(499500.0);
            }
          });
    }
  }
}
