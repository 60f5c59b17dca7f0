package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.fft.stage.Choices;
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
import java.util.function.UnaryOperator;

/** A plan that is checked against the sums it is defined by, the same on all ranks. */
record PlanCase(
    Choices.Family family,
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
  static final Kind[] REAL_KINDS = {
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

  FourierPlan plan(Communicator comm, UnaryOperator<FourierPlanBuilder> choices) {
    FourierPlanBuilder builder = choices.apply(builder().on(comm));
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
      pairs[i] = i % 2 == 1 && family != Choices.Family.COMPLEX ? 0 : random.nextDouble(-1, 1);
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
      boolean halves = i == 0 && family == Choices.Family.HALF;
      Kind along =
          halves ? Kind.REAL_TO_COMPLEX : family == Choices.Family.REAL ? kind : Kind.FORWARD;
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

  /** Checks the plan, forward and back, twice. */
  void check(Communicator comm) {
    check(comm, UnaryOperator.identity());
  }

  /** Checks it with further choices. */
  void check(Communicator comm, UnaryOperator<FourierPlanBuilder> choices) {
    double[] whole = whole();
    double[] expected = transformed();
    double size = Math.sqrt(Arrays.stream(expected).map(v -> v * v).sum()) + 1;
    double tolerance = (precision == DType.F64 ? 1e-14 : 1e-5) * size;
    try (FourierPlan plan = plan(comm, choices);
        Arena arena = Arena.ofShared()) {
      long room = Math.max(plan.inputBytes(), plan.outputBytes());
      MemorySegment in = arena.allocate(room, 64);
      MemorySegment out = inPlace ? in : arena.allocate(room, 64);
      MemorySegment back = inPlace ? in : arena.allocate(room, 64);
      for (int repeat = 0; repeat < 2; repeat++) {
        WholeArray.scatter(whole, plan.input(), comm.rank(), plan.inputType(), in);
        plan.forward(in, out);
        assertThat(
                WholeArray.difference(expected, plan.output(), comm.rank(), plan.outputType(), out))
            .as("%s on rank %d of %d%n%s", this, comm.rank(), comm.size(), plan.explain())
            .isLessThan(tolerance);
        if (!inPlace) {
          assertThat(WholeArray.difference(whole, plan.input(), comm.rank(), plan.inputType(), in))
              .as("the input of %s", this)
              .isLessThan(1e-6);
        }
        if (normalization != Normalization.NONE) {
          plan.inverse(out, back);
          assertThat(
                  WholeArray.difference(whole, plan.input(), comm.rank(), plan.inputType(), back))
              .as("%s and back", this)
              .isLessThan(precision == DType.F64 ? 1e-13 : 1e-4);
        }
      }
    }
  }

  private static <T> T anyOf(Random random, T[] of) {
    return of[random.nextInt(of.length)];
  }

  /** Draws a case for so many ranks. */
  static PlanCase random(Random random, int ranks) {
    int axes = 1 + random.nextInt(3);
    Choices.Family family = anyOf(random, Choices.Family.values());
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
    return new PlanCase(
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

  /** Returns a complex line of so many points. */
  static PlanCase line(long points) {
    return complex(List.of(points), List.of(0));
  }

  /** Returns a real line of so many points. */
  static PlanCase realLine(long points) {
    return line(points).real();
  }

  /** Returns a line of so many points for a real kind. */
  static PlanCase line(Kind kind, long points) {
    return plain(Choices.Family.REAL, kind, List.of(points), List.of(0));
  }

  /** Returns a complex box. */
  static PlanCase cube(long... edges) {
    return complex(Arrays.stream(edges).boxed().toList(), List.of(0, 1, 2));
  }

  private static PlanCase complex(List<Long> shape, List<Integer> axes) {
    return plain(Choices.Family.COMPLEX, Kind.FORWARD, shape, axes);
  }

  /** Returns the same for a real array. */
  PlanCase real() {
    return plain(Choices.Family.HALF, Kind.FORWARD, shape, axes);
  }

  private static PlanCase plain(
      Choices.Family family, Kind kind, List<Long> shape, List<Integer> axes) {
    return new PlanCase(
        family,
        DType.F64,
        shape,
        axes,
        kind,
        Normalization.INVERSE,
        List.of(),
        List.of(),
        false,
        false,
        shape.hashCode());
  }

  /** Draws so many cases for so many ranks. */
  static List<PlanCase> random(long seed, int count, int ranks) {
    Random random = new Random(seed + ranks);
    List<PlanCase> cases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cases.add(random(random, ranks));
    }
    return cases;
  }
}
