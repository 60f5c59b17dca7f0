package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.device.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keeps the guide true: what it shows as code is code that runs here. */
class GuideTest {
  @Test
  void everyBlockOfCodeIsFoundInTheExample() throws IOException {
    String example = flat(Path.of("src/test/java/dev/rialto/array/GuideExample.java"));
    List<MatchResult> blocks =
        Pattern.compile("```java\\s(.*?)```", Pattern.DOTALL)
            .matcher(flat(Path.of("../../docs/arrays.md")))
            .results()
            .toList();
    assertThat(blocks).hasSizeGreaterThan(3);
    for (MatchResult block : blocks) {
      assertThat(example).contains(block.group(1).strip());
    }
  }

  private static String flat(Path file) throws IOException {
    return Files.readString(file).replaceAll("\\s+", " ");
  }

  @Test
  void theExamplesDoWhatTheySay() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            double harmonic = IntStream.rangeClosed(1, 1000).mapToDouble(i -> 1.0 / i).sum();
            assertThat(GuideExample.program(comm)).isEqualTo(41);
            assertThat(GuideExample.harmonic(comm)).isEqualTo(harmonic, within(1e-12));
            try (Team team = Team.on(comm);
                F64Array a = team.f64(1_000);
                F64Array y = team.f64(5);
                F64Array z = team.f64(5)) {
              assertThat(GuideExample.elements(a)).isEqualTo(2.5);
              assertThat(GuideExample.median(team, a, () -> {})).isZero();
              y.fill(2);
              try (F64Array square = team.f64(5, 5)) {
                assertThat(GuideExample.views(y, square)).isEqualTo(16 + 5);
              }
              z.set(i -> 2 - i);
              GuideExample.bySize(z);
              double[] bySize = z.gather(0);
              assertThat(comm.rank() == 0 ? bySize : new double[] {0, 1, -1, 2, -2})
                  .containsExactly(0, 1, -1, 2, -2);
              z.fill(3);
              try (F64Array x = y.like()) {
                assertThat(GuideExample.operands(x, y, z)).isEqualTo(5);
              }
              try (F64Array x = y.like();
                  F64Array w = y.like()) {
                x.generate(i -> i - 2);
                w.fill(2);
                // Products -4 -2 0 2 4, sums -4 -6 -6 -4 0: none is positive.
                assertThat(GuideExample.zips(x, w)).isEqualTo(4);
                assertThat(x.gather(0).length).isEqualTo(comm.rank() == 0 ? 5 : 0);
              }
              GuideExample.change(a);
              assertThat(a.fetch(999)).isEqualTo(2.5);
              assertThat(GuideExample.diffuse(team, 12)).isEqualTo(0.25);
              a.synchronize();
            }
            try (Team team = Team.on(comm);
                ComplexArray z = team.space(10).c64()) {
              z.fill(new Complex(3, 4));
              assertThat(GuideExample.product(z, z)).isEqualTo(new Complex(250, 0));
            }
            double waves =
                IntStream.range(0, 1000)
                    .mapToDouble(i -> Math.sin(0.01 * i))
                    .map(v -> v * v - 0.5 * v)
                    .sum();
            for (Device device : Devices.list()) {
              assertThat(GuideExample.onDevice(comm, device.name())).isEqualTo(waves, within(1e-9));
            }
          });
    }
  }
}
