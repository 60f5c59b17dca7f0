package dev.rialto.bench.comm;

import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.ReduceOp;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * Makes the algorithms on arrays that are timed: a sort of two million doubles against the same on
 * one rank, and others against copying the bytes that they read and write.
 */
final class ArrayCase {
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
        algorithm("reduce/" + comm, 1.3, (in, _) -> in.sum()),
        algorithm("minmax/" + comm, 1.3, (in, _) -> in.minMax()),
        algorithm("transform/" + comm, 1.3, (in, out) -> out.set(in, x -> 2 * x + 1)),
        algorithm("scan/" + comm, 1.6, (in, out) -> out.scan(in, ReduceOp.SUM)));
  }

  static boolean onlyReads(String kind) {
    return kind.equals("reduce") || kind.equals("minmax");
  }

  /** Returns the bytes that an algorithm must read and write; a copy does either for each byte. */
  static long copiedBytes(String kind) {
    return 8 * COUNT / (onlyReads(kind) ? 2 : 1);
  }

  static CommCase sort(String comm) {
    return new CommCase(SORT + comm + "/" + SORTED, 1, 1 / 1.6, (ranks, _) -> new Sorting(ranks));
  }

  private static CommCase algorithm(
      String name, double goal, BiConsumer<F64Array, F64Array> algorithm) {
    return new CommCase(
        name + "/" + COUNT, 1, goal, (ranks, _) -> new OnArrays(ranks, COUNT, algorithm));
  }

  /** Returns a number from 0 to 1 that looks random, the same for each element every time. */
  private static double random(long element) {
    return new SplittableRandom(element).nextDouble();
  }

  /** Runs an algorithm on two arrays. */
  private static class OnArrays implements CommCase.Repeated {
    private final Team team;
    final F64Array in;
    final F64Array out;
    private final BiConsumer<F64Array, F64Array> algorithm;

    OnArrays(Communicator comm, long count, BiConsumer<F64Array, F64Array> algorithm) {
      team = Team.on(comm);
      in = team.f64(count);
      out = team.f64(count);
      in.set(ArrayCase::random);
      out.fill(1);
      this.algorithm = algorithm;
    }

    @Override
    public void run() {
      algorithm.accept(in, out);
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
      super(comm, SORTED, (_, out) -> out.sort());
    }

    @Override
    public void run() {
      out.local().copyFrom(in.local());
      super.run();
    }
  }
}
