package dev.rialto.tck.comm;

import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Each collective that moves data, with each type, length and root, against what its definition
 * says that each rank gets. The same cases serve the blocking, non-blocking and persistent forms.
 *
 * <p>A block is told by a key made from its sender and, where that matters, its receiver. Buffers
 * are compared as a whole, so that gaps and what lies behind the last block must stay untouched.
 */
final class CollectiveCases {
  private static final int ROUNDS = 12;
  private static final long[] NONE = {};

  private final Collectives collectives;
  private final int rank;
  private final int size;

  CollectiveCases(Collectives collectives, Communicator comm) {
    this.collectives = collectives;
    this.rank = comm.rank();
    this.size = comm.size();
  }

  /** One combination of a type, a count and a root, with memory of its own. */
  @FunctionalInterface
  private interface Case {
    void run(RankMemory memory, DType type, long count, int root);
  }

  /** Tries each type, count and root; combinations of them are for generated operations. */
  private void forEachTypeCountAndRoot(Case test) {
    forEachTypeAndCount(Math.max(CommunicationTck.TYPES.size(), size), test);
  }

  private void forEachTypeAndCount(Case test) {
    forEachTypeAndCount(CommunicationTck.TYPES.size(), test);
  }

  private void forEachTypeAndCount(int cases, Case test) {
    List<DType> types = CommunicationTck.TYPES;
    long[] counts = CommunicationTck.COUNTS;
    for (int i = 0; i < cases; i++) {
      run(test, types.get(i % types.size()), counts[i % counts.length], i % size);
    }
    run(test, DType.I8, 65543, size - 1);
  }

  private static void run(Case test, DType type, long count, int root) {
    try (RankMemory memory = new RankMemory()) {
      test.run(memory, type, count, root);
    }
  }

  /** Runs rounds whose random numbers are the same on all ranks. */
  private void forEachRound(long seed, Case test) {
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      try (RankMemory memory = new RankMemory()) {
        DType type = CommunicationTck.TYPES.get(random.nextInt(CommunicationTck.TYPES.size()));
        test.run(memory, type, round, random.nextInt(size));
      }
    }
  }

  /** Returns how many elements {@code from} has for {@code to} in a round: often none. */
  private static long count(long round, int from, int to) {
    long[] counts = {0, 1, 0, 5, 300};
    return counts[Math.floorMod(RankMemory.key(round, from, to), counts.length)];
  }

  private long[] perRank(IntToLongFunction value) {
    return IntStream.range(0, size).mapToLong(value).toArray();
  }

  /** Gives NULL for what has no elements, as a caller may. */
  private static MemorySegment orNull(MemorySegment buffer) {
    return buffer.byteSize() == 0 ? MemorySegment.NULL : buffer;
  }

  void broadcast() {
    forEachTypeCountAndRoot(
        (memory, type, count, root) -> {
          MemorySegment wanted = memory.pattern(RankMemory.key(root, count), type, count);
          MemorySegment buffer = memory.blank(type, count);
          if (rank == root) {
            buffer.copyFrom(wanted);
          }
          collectives.broadcast(orNull(buffer), type, count, root);
          RankMemory.check(wanted, buffer, count + " " + type + " from " + root);
        });
  }

  void gather() {
    forEachTypeCountAndRoot(
        (memory, type, count, root) -> {
          Blocks blocks = Blocks.uniform(size, count);
          MemorySegment mine = memory.pattern(RankMemory.key(rank, count), type, count);
          MemorySegment all = memory.blank(type, rank == root ? blocks.total() : 0);
          collectives.gather(orNull(mine), orNull(all), type, count, root);
          if (rank == root) {
            MemorySegment wanted = blocks.filled(memory, type, i -> RankMemory.key(i, count));
            RankMemory.check(wanted, all, count + " " + type + " at " + root);
          }
        });
  }

  void gatherV(long seed) {
    forEachRound(
        seed,
        (memory, type, round, root) -> {
          long[] counts = perRank(i -> count(round, i, root));
          Blocks blocks = Blocks.scattered(new Random(seed + round), counts);
          MemorySegment mine = memory.pattern(RankMemory.key(rank), type, counts[rank]);
          MemorySegment all = memory.blank(type, rank == root ? blocks.total() : 0);
          collectives.gatherV(
              orNull(mine),
              counts[rank],
              orNull(all),
              rank == root ? counts : NONE,
              rank == root ? blocks.displacements() : NONE,
              type,
              root);
          if (rank == root) {
            MemorySegment wanted = blocks.filled(memory, type, RankMemory::key);
            RankMemory.check(wanted, all, type + " at " + root + ", round " + round);
          }
        });
  }

  void scatter() {
    forEachTypeCountAndRoot(
        (memory, type, count, root) -> {
          MemorySegment all = MemorySegment.NULL;
          if (rank == root) {
            Blocks blocks = Blocks.uniform(size, count);
            all = orNull(blocks.filled(memory, type, i -> RankMemory.key(i, count)));
          }
          MemorySegment mine = memory.blank(type, count);
          collectives.scatter(all, orNull(mine), type, count, root);
          MemorySegment wanted = memory.pattern(RankMemory.key(rank, count), type, count);
          RankMemory.check(wanted, mine, count + " " + type + " from " + root);
        });
  }

  void scatterV(long seed) {
    forEachRound(
        seed,
        (memory, type, round, root) -> {
          long[] counts = perRank(i -> count(round, root, i));
          Blocks blocks = Blocks.scattered(new Random(seed + round), counts);
          MemorySegment all =
              rank == root
                  ? orNull(blocks.filled(memory, type, RankMemory::key))
                  : MemorySegment.NULL;
          MemorySegment mine = memory.blank(type, counts[rank] + 1);
          collectives.scatterV(
              all,
              rank == root ? counts : NONE,
              rank == root ? blocks.displacements() : NONE,
              mine,
              counts[rank],
              type,
              root);
          MemorySegment wanted = memory.blank(type, counts[rank] + 1);
          wanted.copyFrom(memory.pattern(RankMemory.key(rank), type, counts[rank]));
          RankMemory.check(wanted, mine, type + " from " + root + ", round " + round);
        });
  }

  void allGather() {
    forEachTypeAndCount(
        (memory, type, count, _) -> {
          Blocks blocks = Blocks.uniform(size, count);
          MemorySegment mine = memory.pattern(RankMemory.key(rank, count), type, count);
          MemorySegment all = memory.blank(type, blocks.total());
          collectives.allGather(orNull(mine), orNull(all), type, count);
          MemorySegment wanted = blocks.filled(memory, type, i -> RankMemory.key(i, count));
          RankMemory.check(wanted, all, count + " " + type);
        });
  }

  void allGatherV(long seed) {
    forEachRound(
        seed,
        (memory, type, round, _) -> {
          long[] counts = perRank(i -> count(round, i, i));
          Blocks blocks = Blocks.scattered(new Random(seed + round * size + rank), counts);
          MemorySegment mine = memory.pattern(RankMemory.key(rank), type, counts[rank]);
          MemorySegment all = memory.blank(type, blocks.total());
          collectives.allGatherV(
              orNull(mine), counts[rank], orNull(all), counts, blocks.displacements(), type);
          MemorySegment wanted = blocks.filled(memory, type, RankMemory::key);
          RankMemory.check(wanted, all, type + ", round " + round);
        });
  }

  void allToAll() {
    forEachTypeAndCount(
        (memory, type, count, _) -> {
          Blocks blocks = Blocks.uniform(size, count);
          MemorySegment out = blocks.filled(memory, type, i -> RankMemory.key(rank, i));
          MemorySegment in = memory.blank(type, blocks.total());
          collectives.allToAll(orNull(out), orNull(in), type, count);
          MemorySegment wanted = blocks.filled(memory, type, i -> RankMemory.key(i, rank));
          RankMemory.check(wanted, in, count + " " + type);
        });
  }

  void allToAllV(long seed) {
    forEachRound(
        seed,
        (memory, type, round, _) -> {
          Random random = new Random(seed + round * size + rank);
          Blocks out = Blocks.scattered(random, perRank(i -> count(round, rank, i)));
          Blocks in = Blocks.scattered(random, perRank(i -> count(round, i, rank)));
          MemorySegment sent = out.filled(memory, type, i -> RankMemory.key(rank, i));
          MemorySegment received = memory.blank(type, in.total());
          collectives.allToAllV(
              orNull(sent),
              out.counts(),
              out.displacements(),
              orNull(received),
              in.counts(),
              in.displacements(),
              type);
          MemorySegment wanted = in.filled(memory, type, i -> RankMemory.key(i, rank));
          RankMemory.check(wanted, received, type + ", round " + round);
        });
  }

  /** Gives all ranks the same block of the root: blocks that are only read may overlap. */
  void scatterOverlapping() {
    try (RankMemory memory = new RankMemory()) {
      long[] counts = LongStream.generate(() -> 5).limit(size).toArray();
      MemorySegment mine = memory.blank(DType.I32, 5);
      collectives.scatterV(
          memory.pattern(9, DType.I32, 5), counts, new long[size], mine, 5, DType.I32, 0);
      RankMemory.check(memory.pattern(9, DType.I32, 5), mine, "the block all ranks share");
    }
  }
}
