package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Plans against sums as they are defined, for random shapes, grids, kinds and rank counts. */
class FourierPlanTest {
  private static final Kind[] REAL_KINDS = {
    Kind.DCT1,
    Kind.DCT2,
    Kind.DCT3,
    Kind.DCT4,
    Kind.DST1,
    Kind.DST2,
    Kind.DST3,
    Kind.DST4,
    Kind.HARTLEY
  };

  /** One plan to check, the same on all ranks. */
  private record Case(
      FourierPlanBuilder.Family family,
      DType precision,
      List<Long> shape,
      List<Integer> axes,
      Kind kind,
      Normalization normalization,
      List<Integer> input,
      List<Integer> order,
      boolean transposed,
      boolean inPlace,
      long seed) {

    long[] extents() {
      return shape.stream().mapToLong(Long::longValue).toArray();
    }

    FourierPlanBuilder builder() {
      FourierPlanBuilder builder =
          switch (family) {
            case COMPLEX -> FourierPlan.complex(precision, extents());
            case HALF -> FourierPlan.real(precision, extents());
            case REAL -> FourierPlan.realToReal(precision, kind, extents());
          };
      return builder
          .axes(axes.stream().mapToInt(Integer::intValue).toArray())
          .normalization(normalization);
    }

    FourierPlan plan(Communicator comm) {
      FourierPlanBuilder builder = builder().on(comm);
      if (!input.isEmpty()) {
        builder.input(
            Grid.block(Shape.of(extents()), input.stream().mapToInt(Integer::intValue).toArray())
                .withOrder(order.stream().mapToInt(Integer::intValue).toArray()));
      }
      return (transposed ? builder.transposedOutput() : builder).build();
    }

    double[] whole() {
      Random random = new Random(seed);
      double[] pairs = new double[(int) (2 * Shape.of(extents()).count())];
      for (int i = 0; i < pairs.length; i++) {
        pairs[i] =
            i % 2 == 1 && family != FourierPlanBuilder.Family.COMPLEX
                ? 0
                : random.nextDouble(-1, 1);
      }
      return pairs;
    }

    double[] transformed() {
      double[] pairs = whole();
      long[] extents = extents();
      List<Integer> descending = new ArrayList<>(axes);
      descending.sort((a, b) -> b - a);
      for (int i = 0; i < descending.size(); i++) {
        int axis = descending.get(i);
        boolean halves = i == 0 && family == FourierPlanBuilder.Family.HALF;
        Kind along =
            halves
                ? Kind.REAL_TO_COMPLEX
                : family == FourierPlanBuilder.Family.REAL ? kind : Kind.FORWARD;
        long n = extents[axis];
        double together =
            switch (along) {
              case DCT1 -> 2 * (n - 1);
              case DST1 -> 2 * (n + 1);
              case FORWARD, REAL_TO_COMPLEX, HARTLEY -> n;
              default -> 2 * n;
            };
        pairs = Direct.axis(along, pairs, extents, axis, normalization.scale(false, together));
        if (halves) {
          extents[axis] = n / 2 + 1;
        }
      }
      return pairs;
    }
  }

  private static void check(Communicator comm, Case each) {
    double[] whole = each.whole();
    double[] expected = each.transformed();
    double size = Math.sqrt(Arrays.stream(expected).map(v -> v * v).sum()) + 1;
    double tolerance = (each.precision == DType.F64 ? 1e-14 : 1e-5) * size;
    try (FourierPlan plan = each.plan(comm);
        Arena arena = Arena.ofShared()) {
      long room = Math.max(plan.inputBytes(), plan.outputBytes());
      MemorySegment in = arena.allocate(room, 64);
      MemorySegment out = each.inPlace ? in : arena.allocate(room, 64);
      MemorySegment back = each.inPlace ? in : arena.allocate(room, 64);
      for (int repeat = 0; repeat < 2; repeat++) {
        DistributedArray.scatter(whole, plan.inputGrid(), comm.rank(), plan.inputType(), in);
        plan.forward(in, out);
        assertThat(
                DistributedArray.difference(
                    expected, plan.outputGrid(), comm.rank(), plan.outputType(), out))
            .as("%s on rank %d of %d%n%s", each, comm.rank(), comm.size(), plan.explain())
            .isLessThan(tolerance);
        if (!each.inPlace) {
          assertThat(
                  DistributedArray.difference(
                      whole, plan.inputGrid(), comm.rank(), plan.inputType(), in))
              .as("the input of %s", each)
              .isLessThan(1e-6);
        }
        if (each.normalization != Normalization.NONE) {
          plan.inverse(out, back);
          assertThat(
                  DistributedArray.difference(
                      whole, plan.inputGrid(), comm.rank(), plan.inputType(), back))
              .as("%s and back", each)
              .isLessThan(each.precision == DType.F64 ? 1e-13 : 1e-4);
        }
      }
    }
  }

  private static <T> T anyOf(Random random, T[] of) {
    return of[random.nextInt(of.length)];
  }

  private static Case random(Random random, int ranks) {
    int axes = 1 + random.nextInt(3);
    FourierPlanBuilder.Family family = anyOf(random, FourierPlanBuilder.Family.values());
    Kind kind = anyOf(random, REAL_KINDS);
    List<Long> shape = new ArrayList<>();
    List<Integer> chosen = new ArrayList<>();
    List<Integer> order = new ArrayList<>();
    for (int axis = 0; axis < axes; axis++) {
      shape.add(2L + random.nextInt(axes == 1 ? 40 : 11));
      order.add(random.nextInt(axis + 1), axis);
      if (random.nextInt(5) > 0) {
        chosen.add(axis);
      }
    }
    if (chosen.isEmpty()) {
      chosen.add(axes - 1);
    }
    List<Integer> parts = new ArrayList<>();
    if (random.nextBoolean()) {
      int rest = ranks;
      for (int axis = 0; axis < axes; axis++) {
        int part = 1;
        for (int candidate = 2; candidate <= rest; candidate++) {
          if (rest % candidate == 0 && random.nextBoolean()) {
            part = candidate;
          }
        }
        part = axis == axes - 1 ? rest : part;
        parts.add(part);
        rest /= part;
      }
    }
    return new Case(
        family,
        random.nextInt(3) > 0 ? DType.F64 : DType.F32,
        shape,
        chosen,
        kind,
        anyOf(random, Normalization.values()),
        parts,
        order,
        random.nextBoolean(),
        random.nextInt(3) == 0,
        random.nextLong());
  }

  @Test
  void randomPlansOnOneToFiveRanksMatchTheirDefinitions() {
    long seed = 20261115;
    for (int ranks = 1; ranks <= 5; ranks++) {
      Random random = new Random(seed + ranks);
      List<Case> cases = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        cases.add(random(random, ranks));
      }
      try (World world = World.local(ranks)) {
        world.run(comm -> cases.forEach(each -> check(comm, each)));
      }
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
              assertThat(natural.explain()).contains("5 passes over memory, 2 of them moves");
              assertThat(transposed.explain()).contains("4 passes over memory, 1 of them moves");
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
              DistributedArray.scatter(whole, a.inputGrid(), comm.rank(), a.inputType(), in);
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
    }
  }
}
