package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.spi.World;
import dev.rialto.tck.TestDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keeps the guide true: what it shows as code is code that runs here. */
class GuideTest {
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  @Test
  void theCodeOfTheGuideRuns() {
    Path file = folder.resolve("ring.mtx");
    Path solution = folder.resolve("x.mtx");
    try (ComputeDevice device = ComputeDevice.open(TestDevices.get("plain"));
        World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array b = team.f64(50);
                F64Array x = b.like()) {
              SparseMatrix a = GuideExample.ring(b);
              MatrixMarketWriter.write(file, a);
              b.fill(1);
              try (F64Array work = b.like();
                  Preconditioner m = GuideExample.twoSweeps(a, work)) {
                assertThat(Method.CG.solve(a, m, b, x, SolveOptions.standard()).converged())
                    .isTrue();
              }
              assertThat(x.sum()).isCloseTo(100, within(1e-3));
              assertThat(GuideExample.plate(team, 9).converged()).isTrue();
              try (F64Array y = b.like()) {
                y.fill(3);
                x.fill(2);
                assertThat(GuideExample.copies(a.map(), x, y)).containsExactly(8, 12);
                assertThat(x.sum()).isZero();
              }
              try (F64Array right = b.space().on(device.client()).f64();
                  F64Array solved = right.like()) {
                right.copy(b);
                SolveOptions options = SolveOptions.standard();
                assertThat(GuideExample.onDevice(a, right, solved, options).converged()).isTrue();
                x.copy(solved);
                assertThat(x.sum()).isCloseTo(100, within(1e-3));
              }
            }
          });
      GuideExample.solve(world, file, solution);
    }
    assertThat(solution).isNotEmptyFile();
  }

  @Test
  void everyBlockOfTheGuideIsCodeOfThisModule() throws IOException {
    String source =
        flat(Files.readString(Path.of("src/test/java/dev/rialto/sparse/GuideExample.java")));
    List<MatchResult> blocks =
        BLOCK.matcher(Files.readString(Path.of("../../docs/sparse.md"))).results().toList();
    assertThat(blocks).hasSizeGreaterThan(2);
    for (MatchResult block : blocks) {
      assertThat(source).contains(flat(block.group(1)));
    }
  }

  private static String flat(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
