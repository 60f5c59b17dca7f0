package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans against sums as they are defined, for random shapes, grids, kinds and rank counts. */
class FourierPlanTest {
  @Test
  void randomPlansOnOneToFiveRanksMatchTheirDefinitions() {
    for (int ranks = 1; ranks <= 5; ranks++) {
      List<PlanCase> cases = PlanCase.random(20261115, 40, ranks);
      try (World world = World.local(ranks)) {
        world.run(comm -> cases.forEach(each -> each.check(comm)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 33, 30, 37, 7, 35, 100})
  void aDistributedLineIsCutInTwo(int points) {
    for (int ranks : new int[] {2, 3, 5}) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              for (PlanCase line : List.of(PlanCase.line(points), PlanCase.realLine(points))) {
                line.check(comm);
                try (FourierPlan plan = line.builder().on(comm).build()) {
                  boolean prime = points == 37 || points == 7;
                  assertThat(plan.explain()).contains("twiddle");
                  assertThat(plan.explain().contains("chirp")).isEqualTo(prime);
                }
              }
            });
      }
    }
  }

  @Test
  void aDistributedLineOfARealKindIsALongerComplexOne() {
    for (int ranks : new int[] {2, 3}) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              for (Kind kind : PlanCase.REAL_KINDS) {
                for (long points : new long[] {2, 13, 24}) {
                  PlanCase.line(kind, points).check(comm);
                }
              }
            });
      }
    }
  }

  @Test
  void arraysComeAndGoInAnyDistribution() {
    Shape cube = Shape.of(5, 6, 7);
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            Distribution cycles =
                Grid.of(
                    Partition.blockCyclic(5, 3, 1),
                    Partition.block(6, 1),
                    Partition.blockCyclic(7, 1, 2));
            Distribution hashed = Distribution.byOwner(cube, 3, e -> (int) (e * e % 11 % 3));
            Distribution half =
                Distribution.byOwner(Shape.of(5, 6, 4), 3, e -> (int) (e * e % 7 % 3));
            PlanCase.cube(5, 6, 7).check(comm, b -> b.input(cycles).output(hashed));
            PlanCase.cube(5, 6, 7).check(comm, b -> b.input(hashed));
            PlanCase.cube(5, 6, 7).check(comm, b -> b.input(hashed).transposedOutput());
            PlanCase real = PlanCase.cube(5, 6, 7).real();
            real.check(comm, b -> b.input(hashed).output(half));
            real.check(comm, b -> b.input(hashed));
            Distribution line = Distribution.byOwner(60, 3, e -> (int) (e % 5 % 3));
            PlanCase.line(60).check(comm, b -> b.input(line));
            PlanCase.realLine(60).check(comm, b -> b.input(line));
            try (FourierPlan plan =
                FourierPlan.complex(DType.F64, 5, 6, 7).on(comm).input(hashed).build()) {
              assertThat(plan.localInput().count()).isEqualTo(hashed.localCount(comm.rank()));
              assertThatThrownBy(plan::inputGrid)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("ask input()");
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"all-to-all", "point-to-point", "shared/fused"})
  void anySchemeCarriesOutTheMoves(String scheme) {
    double[] whole = new double[2 * 6 * 5 * 4];
    Arrays.setAll(whole, i -> Math.cos(i));
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (FourierPlan pulled = FourierPlan.complex(DType.F64, 6, 5, 4).on(comm).build();
                FourierPlan moved =
                    FourierPlan.complex(DType.F64, 6, 5, 4).on(comm).scheme(scheme).build();
                Arena arena = Arena.ofShared()) {
              MemorySegment in = pulled.allocateInput(arena);
              MemorySegment first = pulled.allocateOutput(arena);
              MemorySegment second = pulled.allocateOutput(arena);
              WholeArray.scatter(whole, pulled.inputGrid(), comm.rank(), pulled.inputType(), in);
              pulled.forward(in, first);
              moved.forward(in, second);
              assertThat(second.mismatch(first)).isEqualTo(-1);
              assertThat(pulled.explain()).contains("pulled from the memory of 3 ranks");
              assertThat(moved.explain()).contains("scheme " + scheme).doesNotContain("pulled");
            }
          });
    }
  }

  @Test
  void anImpulseIsAWaveInArraysThatNoCacheHolds() {
    int[] n = {96, 128, 97};
    int[] at = {5, 77, 40};
    double[] impulse = new double[2 * 96 * 128 * 97];
    impulse[2 * ((at[0] * n[1] + at[1]) * n[2] + at[2])] = 1;
    double[] wave = new double[impulse.length];
    for (int k = 0; k < wave.length / 2; k++) {
      double turns =
          (double) (k / n[2] / n[1] * at[0] % n[0]) / n[0]
              + (double) (k / n[2] % n[1] * at[1] % n[1]) / n[1]
              + (double) (k % n[2] * at[2] % n[2]) / n[2];
      wave[2 * k] = Math.cos(2 * Math.PI * turns);
      wave[2 * k + 1] = -Math.sin(2 * Math.PI * turns);
    }
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (FourierPlan plan =
                    FourierPlan.complex(DType.F64, n[0], n[1], n[2])
                        .on(comm)
                        .transposedOutput()
                        .build();
                Arena arena = Arena.ofShared()) {
              MemorySegment field = plan.allocateInput(arena);
              MemorySegment modes = plan.allocateOutput(arena);
              WholeArray.scatter(impulse, plan.input(), comm.rank(), DType.C128, field);
              plan.forward(field, modes);
              assertThat(WholeArray.difference(wave, plan.output(), comm.rank(), DType.C128, modes))
                  .isLessThan(1e-14);
              plan.inverse(modes, modes);
              assertThat(
                      WholeArray.difference(impulse, plan.input(), comm.rank(), DType.C128, modes))
                  .isLessThan(1e-14);
            }
          });
    }
  }

  @Test
  void threadsShareTheTilesOfARank() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Executor executor = Backends.get("cpu").openExecutor(2)) {
              PlanCase.cube(12, 12, 12).check(comm, builder -> builder.executor(executor));
              PlanCase.cube(5, 5, 5).check(comm, builder -> builder.executor(executor));
            }
          });
    }
  }

  @Test
  void executingAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            for (String scheme : new String[] {"", "shared/pipelined"}) {
              FourierPlanBuilder builder =
                  FourierPlan.complex(DType.F64, 8, 6, 10).on(comm).engine(new PlainLines());
              if (!scheme.isEmpty()) {
                builder.scheme(scheme);
              }
              try (FourierPlan plan = builder.build();
                  Arena arena = Arena.ofShared()) {
                MemorySegment field = plan.allocateInput(arena);
                MemorySegment modes = plan.allocateOutput(arena);
                long before = 0;
                for (int i = 0; i < 3000; i++) {
                  before = i == 2000 ? threads.getCurrentThreadAllocatedBytes() : before;
                  plan.forward(field, modes);
                  plan.inverse(modes, field);
                }
                long each = (threads.getCurrentThreadAllocatedBytes() - before) / 1000;
                // A rank that sleeps while it waits for a slower one may allocate what it waits on.
                assertThat(each).as("bytes of one execution, scheme '%s'", scheme).isLessThan(256);
              }
            }
          });
    }
  }

  @Test
  void fewerPlanesThanRanksMakePencils() {
    try (World world = World.local(4)) {
      world.run(
          comm -> {
            try (FourierPlan plan = FourierPlan.complex(DType.F64, 3, 8, 8).on(comm).build()) {
              assertThat(plan.localInput().count()).isGreaterThan(0);
              assertThat(plan.explain()).contains("4 ranks");
            }
          });
    }
  }

  @Test
  void slabsNeedOneMoveWhenTheOutputStaysTransposed() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (FourierPlan natural = FourierPlan.complex(DType.F64, 8, 8, 8).on(comm).build();
                FourierPlan transposed =
                    FourierPlan.complex(DType.F64, 8, 8, 8).on(comm).transposedOutput().build()) {
              assertThat(natural.explain())
                  .contains("3 passes over memory, 2 of them with other ranks");
              assertThat(transposed.explain())
                  .contains("2 passes over memory, 1 of them with other ranks");
            }
          });
    }
  }

  @Test
  void twoFieldsAreUnderWayAtOnce() {
    double[] whole = new double[2 * 6 * 5 * 4];
    Arrays.setAll(whole, i -> Math.sin(i));
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (FourierPlan a = FourierPlan.complex(DType.F64, 6, 5, 4).on(comm).build();
                FourierPlan b = FourierPlan.complex(DType.F64, 6, 5, 4).on(comm).build();
                Arena arena = Arena.ofShared()) {
              MemorySegment in = a.allocateInput(arena);
              MemorySegment first = a.allocateOutput(arena);
              MemorySegment second = b.allocateOutput(arena);
              WholeArray.scatter(whole, a.inputGrid(), comm.rank(), a.inputType(), in);
              a.startForward(in, first);
              b.startForward(in, second);
              a.await();
              b.await();
              assertThat(second.mismatch(first)).isEqualTo(-1);
              assertThatThrownBy(a::await).isInstanceOf(IllegalStateException.class);
            }
          });
    }
  }

  @Test
  void auxiliaryMemoryCanBeTheCallers() {
    try (FourierPlan plan = FourierPlan.real(DType.F64, 6, 10).build();
        Arena arena = Arena.ofShared()) {
      MemorySegment field = plan.allocateInput(arena);
      MemorySegment modes = plan.allocateOutput(arena);
      MemorySegment aux = arena.allocate(plan.auxBytes(), 64);
      plan.useAux(aux);
      plan.forward(field, modes);
      assertThatThrownBy(() -> plan.useAux(aux.asSlice(1)))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> plan.forward(field.asSlice(8), modes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      MemorySegment onHeap = MemorySegment.ofArray(new double[4096]);
      assertThatThrownBy(() -> plan.forward(field, onHeap))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("output is on the Java heap");
    }
  }
}
