package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A random array with plain copies of its values, the same on all ranks, that results are compared
 * with. Values are bits of doubles for floating-point types and longs for integers.
 */
final class Sample implements AutoCloseable {
  static final DType[] TYPES = {
    DType.F64, DType.F32, DType.I64, DType.I32, DType.I8, DType.F16, DType.BF16
  };

  final Random random;
  final Team team;
  final DType type;
  final Shape shape;
  final Array array;
  final long[] values;

  Sample(Team team, Random random) {
    this(team, random, TYPES[random.nextInt(TYPES.length)], shape(random));
  }

  Sample(Team team, Random random, DType type, Shape shape) {
    this.random = random;
    this.team = team;
    this.type = type;
    this.shape = shape;
    this.array = array(team, random, type, shape);
    this.values = random.ints(shape.count(), -20, 20).mapToLong(v -> bits(type, v)).toArray();
    set(array, values);
  }

  private static Shape shape(Random random) {
    long[] extents = random.longs(1 + random.nextInt(3), 0, 9).toArray();
    if (extents.length == 1) {
      extents[0] = random.nextInt(200);
    }
    return Shape.of(extents);
  }

  /** Makes an array of zeros, divided in a random way. */
  static Array array(Team team, Random random, DType type, Shape shape) {
    Decomposition decomposition = decomposition(team.communicator().size(), random, shape);
    boolean blocks =
        decomposition instanceof Decomposition.Irregular
            || (decomposition instanceof Decomposition.OnGrid grid
                && grid.deal() == Decomposition.Deal.BLOCK);
    boolean roomy = Arrays.stream(shape.extents()).allMatch(extent -> extent > 1);
    IndexSpace space = team.space(shape.extents()).divided(decomposition);
    if (blocks && roomy && random.nextBoolean()) {
      space = random.nextBoolean() ? space.halo(1).periodic() : space.halo(1);
    }
    return space.array(type);
  }

  static Decomposition decomposition(int ranks, Random random, Shape shape) {
    int axes = 1 + random.nextInt(Math.min(3, shape.rank()));
    int[] grid = new int[axes];
    Arrays.fill(grid, 1);
    int left = ranks;
    for (int axis = 0; axis < axes; axis++) {
      grid[axis] = 1 + random.nextInt(left);
      left /= grid[axis];
    }
    return switch (random.nextInt(7)) {
      case 0 -> Decomposition.block();
      case 1 -> Decomposition.block(grid);
      case 2 -> Decomposition.cyclic(grid);
      case 3 -> Decomposition.blockCyclic(random.longs(axes, 1, 4).toArray(), grid);
      case 4 -> Decomposition.hash();
      case 5 -> {
        long[][] lengths = new long[axes][];
        Arrays.setAll(lengths, axis -> random.longs(grid[axis], 0, 5).toArray());
        yield Decomposition.irregular(lengths);
      }
      default -> {
        int turn = random.nextInt(ranks);
        yield Decomposition.byOwner(element -> (int) ((element / 3 + turn) % ranks));
      }
    };
  }

  /** Returns the bits of an element that is half of a number, or the number for integers. */
  static long bits(DType type, long number) {
    return floating(type) ? Double.doubleToRawLongBits(number * 0.5) : number;
  }

  static boolean floating(DType type) {
    return type.kind() == DType.Kind.FLOAT;
  }

  /** Returns bits as the type keeps them. */
  static long rounded(DType type, long bits) {
    double value = Double.longBitsToDouble(bits);
    return switch (type) {
      case I8 -> (byte) bits;
      case I32 -> (int) bits;
      case F32 -> Double.doubleToRawLongBits((float) value);
      case F16 ->
          Double.doubleToRawLongBits(Float.float16ToFloat(Float.floatToFloat16((float) value)));
      case BF16 -> Double.doubleToRawLongBits(brain(value));
      default -> bits;
    };
  }

  /** Rounds a value that a float holds exactly to eight bits, ties to even. */
  private static double brain(double value) {
    if (value == 0) {
      return value;
    }
    double unit = Math.scalb(1.0, Math.getExponent(value) - 7);
    return Math.rint(value / unit) * unit;
  }

  /** Makes an array hold values. */
  static void set(Array array, long[] values) {
    if (array.isOnDevice()) {
      try (Array host = array.space().onHost().array(array.type())) {
        set(host, values);
        array.copy(host);
      }
      return;
    }
    switch (array) {
      case RealArray real ->
          real.generate(i -> Double.longBitsToDouble(values[Math.toIntExact(i)]));
      case IntegerArray integers -> integers.generate(i -> values[Math.toIntExact(i)]);
      case ComplexArray _ -> throw new IllegalArgumentException("complex");
    }
  }

  /** Returns what an array holds, collected from all ranks. */
  static long[] contents(Array array) {
    if (array.isOnDevice()) {
      try (Array host = array.space().onHost().array(array.type())) {
        host.copy(array);
        return contents(host);
      }
    }
    ConcurrentLinkedQueue<long[]> mine = new ConcurrentLinkedQueue<>();
    switch (array) {
      case RealArray real ->
          real.forEach((i, value) -> mine.add(new long[] {i, Double.doubleToRawLongBits(value)}));
      case IntegerArray integers -> integers.forEach((i, value) -> mine.add(new long[] {i, value}));
      case ComplexArray _ -> throw new IllegalArgumentException("complex");
    }
    long[] all = new long[Math.toIntExact(array.shape().count())];
    boolean[] seen = new boolean[all.length];
    Communicator comm = array.team().communicator();
    try (Arena arena = Arena.ofShared()) {
      for (int root = 0; root < comm.size(); root++) {
        long count = 2 * array.distribution().localCount(root);
        MemorySegment words = arena.allocate(JAVA_LONG, count);
        if (root == comm.rank()) {
          long at = 0;
          for (long[] each : mine) {
            words.setAtIndex(JAVA_LONG, at++, each[0]);
            words.setAtIndex(JAVA_LONG, at++, each[1]);
          }
          assertThat(at).as("elements visited on rank %d", root).isEqualTo(count);
        }
        comm.broadcast(words, DType.I64, count, root);
        for (long at = 0; at < count; at += 2) {
          int element = Math.toIntExact(words.getAtIndex(JAVA_LONG, at));
          assertThat(seen[element]).as("element %d seen before", element).isFalse();
          seen[element] = true;
          all[element] = words.getAtIndex(JAVA_LONG, at + 1);
        }
      }
    }
    for (boolean each : seen) {
      assertThat(each).as("every element seen").isTrue();
    }
    return all;
  }

  /** Returns bits in the order of their values. */
  static long[] sorted(DType type, long[] values) {
    return floating(type)
        ? Arrays.stream(values)
            .mapToDouble(Double::longBitsToDouble)
            .sorted()
            .mapToLong(Double::doubleToRawLongBits)
            .toArray()
        : Arrays.stream(values).sorted().toArray();
  }

  static double number(DType type, long bits) {
    return floating(type) ? Double.longBitsToDouble(bits) : bits;
  }

  double number(long bits) {
    return number(type, bits);
  }

  @Override
  public void close() {
    array.close();
  }
}
