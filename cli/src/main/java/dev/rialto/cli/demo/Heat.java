package dev.rialto.cli.demo;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Heat spreading in a cube whose sides are kept at zero, by explicit steps of the seven-point
 * stencil.
 *
 * <p>The start is a sum of sine waves. Each wave keeps its form and shrinks: by exp(-π²|k|²t) in
 * nature, and by a factor per step that is known exactly in the discrete scheme. So the result is
 * checked twice: against the scheme's own exact answer, which only rounding may part it from, and
 * against nature, which it approaches with the square of the distance between points.
 */
public final class Heat {
  /** The part of the largest stable step that is used. */
  private static final double STABILITY = 0.9 / 6;

  private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;

  /** The waves: along z, y, x, and the amplitude. */
  private static final double[][] WAVES = {
    {1, 1, 1, 1.0}, {1, 3, 2, 0.7}, {1, 2, 5, 0.5}, {1, 7, 6, 0.4}, {1, 12, 13, 0.3}
  };

  private final int cube;
  private final int steps;
  private final double spacing;
  private final double timeStep;

  /**
   * Describes a run.
   *
   * @param cube the points along each edge, without the sides
   * @param steps how many time steps
   */
  public Heat(int cube, int steps) {
    this.cube = cube;
    this.steps = steps;
    this.spacing = 1.0 / (cube + 1);
    this.timeStep = STABILITY * spacing * spacing;
  }

  /** Hears how far the run is; called on rank 0. */
  @FunctionalInterface
  public interface Progress {
    /** Takes the steps done so far. */
    void step(int done);
  }

  /**
   * What a run gave; the numbers are the same on all ranks.
   *
   * @param schemeError the largest difference from the scheme's exact answer
   * @param error the largest difference from nature
   * @param seconds the time of all steps
   * @param bytesPerStep what all ranks sent in one step
   * @param before the middle plane at the start; without values on ranks other than 0
   * @param after the middle plane at the end; likewise
   */
  public record Result(
      double schemeError,
      double error,
      double seconds,
      long bytesPerStep,
      Plane before,
      Plane after) {}

  /** Returns the time that the steps stretch over. */
  public double time() {
    return steps * timeStep;
  }

  /** Runs on one rank; all ranks of the communicator call it. */
  public Result run(Communicator comm, Progress progress) {
    Block block = new Block(cube, comm.rank(), comm.size());
    // Outside of the Java heap, from where any communicator can send.
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment now = arena.allocate(8L * block.stored(), 64);
      MemorySegment next = arena.allocate(8L * block.stored(), 64);
      return run(comm, block, now, next, progress);
    }
  }

  private Result run(
      Communicator comm, Block block, MemorySegment now, MemorySegment next, Progress progress) {
    fill(block, now, 0, false);
    Plane before = middle(comm, block, now);
    double seconds;
    long bytes;
    try (Faces nowFaces = new Faces(comm, block, now);
        Faces nextFaces = new Faces(comm, block, next)) {
      comm.barrier();
      long start = System.nanoTime();
      MemorySegment from = now;
      MemorySegment to = next;
      for (int step = 0; step < steps; step++) {
        step(block, from, to, step % 2 == 0 ? nowFaces : nextFaces);
        MemorySegment swap = from;
        from = to;
        to = swap;
        if (comm.rank() == 0) {
          progress.step(step + 1);
        }
      }
      comm.barrier();
      seconds = (System.nanoTime() - start) / 1e9;
      bytes = nowFaces.bytes();
    }
    MemorySegment last = steps % 2 == 0 ? now : next;
    MemorySegment exact = steps % 2 == 0 ? next : now;
    double[] numbers = {0, 0, bytes};
    fill(block, exact, steps, true);
    numbers[0] = difference(block, last, exact);
    fill(block, exact, steps, false);
    numbers[1] = difference(block, last, exact);
    combine(comm, numbers);
    return new Result(
        numbers[0], numbers[1], seconds, (long) numbers[2], before, middle(comm, block, last));
  }

  /** One time step: the inner points while the faces travel, then the points next to them. */
  private static void step(Block block, MemorySegment from, MemorySegment to, Faces faces) {
    int z = block.points(0);
    int y = block.points(1);
    int x = block.points(2);
    faces.start();
    update(block, from, to, 2, z, 2, y, 2, x);
    faces.await();
    update(block, from, to, 1, 2, 1, y + 1, 1, x + 1);
    update(block, from, to, Math.max(z, 2), z + 1, 1, y + 1, 1, x + 1);
    update(block, from, to, 2, z, 1, 2, 1, x + 1);
    update(block, from, to, 2, z, Math.max(y, 2), y + 1, 1, x + 1);
    update(block, from, to, 2, z, 2, y, 1, 2);
    update(block, from, to, 2, z, 2, y, Math.max(x, 2), x + 1);
  }

  private static void update(
      Block block,
      MemorySegment from,
      MemorySegment to,
      int z0,
      int z1,
      int y0,
      int y1,
      int x0,
      int x1) {
    for (int z = z0; z < z1; z++) {
      for (int y = y0; y < y1; y++) {
        row(from, to, block.at(z, y, x0), x1 - x0, block.stride(1), block.stride(0));
      }
    }
  }

  private static void row(MemorySegment from, MemorySegment to, int at, int count, int dy, int dz) {
    int i = at;
    for (int end = at + SPECIES.loopBound(count); i < end; i += SPECIES.length()) {
      vector(from, i - 1)
          .add(vector(from, i + 1))
          .add(vector(from, i - dy))
          .add(vector(from, i + dy))
          .add(vector(from, i - dz))
          .add(vector(from, i + dz))
          .mul(STABILITY)
          .add(vector(from, i).mul(1 - 6 * STABILITY))
          .intoMemorySegment(to, 8L * i, ByteOrder.nativeOrder());
    }
    for (; i < at + count; i++) {
      double sum =
          get(from, i - 1)
              + get(from, i + 1)
              + get(from, i - dy)
              + get(from, i + dy)
              + get(from, i - dz)
              + get(from, i + dz);
      set(to, i, STABILITY * sum + (1 - 6 * STABILITY) * get(from, i));
    }
  }

  private static DoubleVector vector(MemorySegment values, int at) {
    return DoubleVector.fromMemorySegment(SPECIES, values, 8L * at, ByteOrder.nativeOrder());
  }

  private static double get(MemorySegment values, int at) {
    return values.getAtIndex(ValueLayout.JAVA_DOUBLE, at);
  }

  private static void set(MemorySegment values, int at, double value) {
    values.setAtIndex(ValueLayout.JAVA_DOUBLE, at, value);
  }

  /** Fills the own points with the exact answer after some steps. */
  private void fill(Block block, MemorySegment values, int after, boolean ofScheme) {
    for (int z = 1; z <= block.points(0); z++) {
      for (int y = 1; y <= block.points(1); y++) {
        for (int x = 1; x <= block.points(2); x++) {
          set(values, block.at(z, y, x), 0);
        }
      }
    }
    for (double[] wave : WAVES) {
      double size = wave[3] * Math.pow(ofScheme ? schemeFactor(wave) : natureFactor(wave), after);
      double[][] sines = new double[3][];
      for (int axis = 0; axis < 3; axis++) {
        sines[axis] = new double[block.points(axis) + 1];
        for (int i = 1; i < sines[axis].length; i++) {
          sines[axis][i] = Math.sin(Math.PI * wave[axis] * spacing * (block.first(axis) + i));
        }
      }
      for (int z = 1; z <= block.points(0); z++) {
        for (int y = 1; y <= block.points(1); y++) {
          double zy = size * sines[0][z] * sines[1][y];
          for (int x = 1; x <= block.points(2); x++) {
            int at = block.at(z, y, x);
            set(values, at, get(values, at) + zy * sines[2][x]);
          }
        }
      }
    }
  }

  private double schemeFactor(double[] wave) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
      double half = Math.sin(Math.PI * wave[axis] * spacing / 2);
      sum += 4 * half * half;
    }
    return 1 - STABILITY * sum;
  }

  private double natureFactor(double[] wave) {
    double squares = wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2];
    return Math.exp(-Math.PI * Math.PI * squares * timeStep);
  }

  private static double difference(Block block, MemorySegment a, MemorySegment b) {
    double largest = 0;
    for (int z = 1; z <= block.points(0); z++) {
      for (int y = 1; y <= block.points(1); y++) {
        for (int x = 1; x <= block.points(2); x++) {
          int at = block.at(z, y, x);
          // A NaN must not pass for a small difference.
          double difference = Math.abs(get(a, at) - get(b, at));
          largest = difference <= largest ? largest : difference;
        }
      }
    }
    return largest;
  }

  /** The two errors by their maximum, the bytes by their sum. */
  private static void combine(Communicator comm, double[] numbers) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, numbers);
      MemorySegment bytes = memory.asSlice(16);
      comm.allReduce(memory, memory, DType.F64, 2, ReduceOp.MAX);
      comm.allReduce(bytes, bytes, DType.F64, 1, ReduceOp.SUM);
      MemorySegment.copy(memory, ValueLayout.JAVA_DOUBLE, 0, numbers, 0, 3);
    }
  }

  /** Collects the plane in the middle of the z axis on rank 0. */
  private Plane middle(Communicator comm, Block block, MemorySegment values) {
    int z = cube / 2 - block.first(0);
    try (Arena arena = Arena.ofConfined()) {
      long count = (long) cube * cube;
      MemorySegment plane = arena.allocate(8 * count, 64);
      if (z >= 0 && z < block.points(0)) {
        for (int y = 0; y < block.points(1); y++) {
          MemorySegment.copy(
              values,
              8L * block.at(z + 1, y + 1, 1),
              plane,
              8 * ((long) (block.first(1) + y) * cube + block.first(2)),
              8L * block.points(2));
        }
      }
      comm.reduce(plane, plane, DType.F64, count, ReduceOp.SUM, 0);
      return new Plane(
          cube, comm.rank() == 0 ? plane.toArray(ValueLayout.JAVA_DOUBLE) : new double[0]);
    }
  }
}
