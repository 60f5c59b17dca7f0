package dev.rialto.bench;

import dev.rialto.array.Decomposition;
import dev.rialto.array.DistributedArray;
import dev.rialto.array.Elementwise;
import dev.rialto.array.Generator;
import dev.rialto.array.Mapping;
import dev.rialto.array.Operation;
import dev.rialto.array.Operator;
import dev.rialto.array.Reduce;
import dev.rialto.array.Scan;
import dev.rialto.array.Sort;
import dev.rialto.array.Team;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

/**
 * Makes the algorithms on arrays that are timed: a sort of two million doubles against the same on
 * one rank, and others against copying the bytes that they read and write.
 */
final class ArrayCase {
  /** The doubles that are sorted. */
  static final long SORTED = 2_000_000;

  /** The doubles that other algorithms go over: more than caches hold. */
  static final long COUNT = 16_000_000;

  static final String SORT = "sort/";

  /** The algorithms that are compared with copying. */
  static final List<String> KINDS = List.of("reduce", "minmax", "transform", "scan");

  private ArrayCase() {}

  static List<CommCase> all(String comm) {
    return List.of(
        sort(comm),
        algorithm("reduce/" + comm, 1.3, (in, _) -> Reduce.of(in, Operator.SUM)),
        algorithm("minmax/" + comm, 1.3, (in, _) -> Reduce.minMax(in)),
        algorithm(
            "transform/" + comm,
            1.3,
            (in, out) -> Elementwise.transform(in, out, Mapping.ofDoubles(x -> 2 * x + 1))),
        algorithm("scan/" + comm, 1.6, (in, out) -> Scan.inclusive(in, out, Operator.SUM)));
  }

  static boolean onlyReads(String kind) {
    return kind.equals("reduce") || kind.equals("minmax");
  }

  /** Returns the bytes that an algorithm must read and write; a copy does either for each byte. */
  static long copiedBytes(String kind) {
    return 8 * COUNT / (onlyReads(kind) ? 2 : 1);
  }

  static CommCase sort(String comm) {
    return new CommCase(
        SORT + comm + "/" + SORTED,
        1,
        OptionalDouble.of(1 / 1.6),
        (ranks, _) -> new Sorting(ranks));
  }

  private static CommCase algorithm(
      String name,
      double goal,
      BiFunction<DistributedArray, DistributedArray, Operation<?>> algorithm) {
    return new CommCase(
        name + "/" + COUNT,
        1,
        OptionalDouble.of(goal),
        (ranks, _) -> new OnArrays(ranks, COUNT, algorithm));
  }

  /** Returns a number from 0 to 1 that looks random, the same for each element every time. */
  private static double random(long element) {
    return new SplittableRandom(element).nextDouble();
  }

  /** Runs an algorithm on two arrays. */
  private static class OnArrays implements CommCase.Repeated {
    private final Team team;
    final DistributedArray in;
    final DistributedArray out;
    private final Operation<?> operation;

    OnArrays(
        Communicator comm,
        long count,
        BiFunction<DistributedArray, DistributedArray, Operation<?>> algorithm) {
      team = Team.on(comm);
      in = team.array(DType.F64, Shape.of(count), Decomposition.block());
      out = team.array(DType.F64, Shape.of(count), Decomposition.block());
      Elementwise.generate(in, Generator.ofDoubles(ArrayCase::random)).run();
      Elementwise.fill(out, 1).run();
      operation = algorithm.apply(in, out);
    }

    @Override
    public void run() {
      operation.run();
    }

    @Override
    public void close() {
      in.close();
      out.close();
      team.close();
    }
  }

  /** Sorts a fresh copy each time. */
  private static final class Sorting extends OnArrays {
    Sorting(Communicator comm) {
      super(comm, SORTED, (_, out) -> Sort.ascending(out));
    }

    @Override
    public void run() {
      out.local().copyFrom(in.local());
      super.run();
    }
  }
}
