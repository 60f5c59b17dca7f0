package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Properties of Fourier transforms of any shape on any ranks, checked without a reference. */
class TransformPropertiesTest {
  private static final long SEED = 20261117;

  private interface Property {
    void check(Communicator comm, FourierPlan plan, Random random, Arena arena);
  }

  /** Checks a property for random shapes of one to three axes on one to five ranks. */
  private static void forRandomPlans(Property property) {
    for (int ranks = 1; ranks <= 5; ranks++) {
      long seed = SEED + ranks;
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              Random random = new Random(seed);
              for (int i = 0; i < 6; i++) {
                long[] shape = new long[1 + i % 3];
                for (int axis = 0; axis < shape.length; axis++) {
                  shape[axis] = 1L + random.nextInt(shape.length == 1 ? 200 : 12);
                }
                FourierPlanBuilder builder = FourierPlan.complex(DType.F64, shape).on(comm);
                try (FourierPlan plan =
                        (random.nextBoolean() ? builder.transposedOutput() : builder).build();
                    Arena arena = Arena.ofShared()) {
                  property.check(comm, plan, random, arena);
                }
              }
            });
      }
    }
  }

  /** Draws a whole array, the same on all ranks, and transforms it. */
  private static MemorySegment transformed(
      Communicator comm, FourierPlan plan, double[] whole, Arena arena) {
    MemorySegment in = plan.allocateInput(arena);
    MemorySegment out = plan.allocateOutput(arena);
    WholeArray.scatter(whole, plan.inputGrid(), comm.rank(), plan.inputType(), in);
    plan.forward(in, out);
    return out;
  }

  private static double[] field(FourierPlan plan, Random random) {
    return random.doubles(2 * plan.inputGrid().shape().count(), -1, 1).toArray();
  }

  @Test
  void theSumOfSquaresIsKept() {
    forRandomPlans(
        (comm, plan, random, arena) -> {
          double[] whole = field(plan, random);
          MemorySegment out = transformed(comm, plan, whole, arena);
          double expected = 0;
          for (double number : whole) {
            expected += number * number;
          }
          MemorySegment sum = arena.allocate(JAVA_DOUBLE);
          double mine = 0;
          for (long i = 0; i < plan.outputBytes() / 8; i++) {
            mine += Math.pow(out.getAtIndex(JAVA_DOUBLE, i), 2);
          }
          sum.set(JAVA_DOUBLE, 0, mine / plan.inputGrid().shape().count());
          comm.allReduce(sum, sum, DType.F64, 1, ReduceOp.SUM);
          assertThat(sum.get(JAVA_DOUBLE, 0)).isCloseTo(expected, within(1e-12 * expected));
        });
  }

  @Test
  void sumsAreTransformedToSums() {
    forRandomPlans(
        (comm, plan, random, arena) -> {
          double[] x = field(plan, random);
          double[] y = field(plan, random);
          double[] both = new double[x.length];
          for (int i = 0; i < x.length; i++) {
            both[i] = 2 * x[i] - 3 * y[i];
          }
          MemorySegment first = transformed(comm, plan, x, arena);
          MemorySegment second = transformed(comm, plan, y, arena);
          MemorySegment sum = transformed(comm, plan, both, arena);
          for (long i = 0; i < plan.outputBytes() / 8; i++) {
            double expected =
                2 * first.getAtIndex(JAVA_DOUBLE, i) - 3 * second.getAtIndex(JAVA_DOUBLE, i);
            assertThat(sum.getAtIndex(JAVA_DOUBLE, i))
                .isCloseTo(expected, within(1e-12 * x.length));
          }
        });
  }

  @Test
  void aShiftTurnsPhases() {
    forRandomPlans(
        (comm, plan, random, arena) -> {
          Grid grid = plan.outputGrid();
          long[] shape = grid.shape().extents();
          int axis = random.nextInt(shape.length);
          long shift = random.nextLong(shape[axis]);
          long stride = 1;
          for (int a = axis + 1; a < shape.length; a++) {
            stride *= shape[a];
          }
          double[] x = field(plan, random);
          double[] moved = new double[x.length];
          for (int e = 0; e < x.length / 2; e++) {
            long index = e / stride % shape[axis];
            int to = (int) (e + ((index + shift) % shape[axis] - index) * stride);
            moved[2 * to] = x[2 * e];
            moved[2 * to + 1] = x[2 * e + 1];
          }
          MemorySegment still = transformed(comm, plan, x, arena);
          MemorySegment turned = transformed(comm, plan, moved, arena);
          for (long element : grid.elements(comm.rank())) {
            long at = 2 * grid.local(element);
            double angle =
                -2 * Math.PI * (element / stride % shape[axis] * shift % shape[axis]) / shape[axis];
            double re = still.getAtIndex(JAVA_DOUBLE, at);
            double im = still.getAtIndex(JAVA_DOUBLE, at + 1);
            assertThat(turned.getAtIndex(JAVA_DOUBLE, at))
                .isCloseTo(re * Math.cos(angle) - im * Math.sin(angle), within(1e-13 * x.length));
            assertThat(turned.getAtIndex(JAVA_DOUBLE, at + 1))
                .isCloseTo(re * Math.sin(angle) + im * Math.cos(angle), within(1e-13 * x.length));
          }
        });
  }
}
