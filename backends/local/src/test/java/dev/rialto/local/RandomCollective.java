package dev.rialto.local;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A collective with random arguments, what each rank sends in it, and what each must have received
 * in the end by a plain sequential computation.
 */
final class RandomCollective {
  /** The value of bytes that no rank may write. */
  static final byte UNTOUCHED = 0x5a;

  /** Composes {@code x -> a x + b}, kept as the complex number (a, b): order matters. */
  static final ReduceOp COMPOSE =
      ReduceOp.user(
          "compose",
          false,
          (left, right, type, count) -> {
            ValueLayout.OfDouble real = ValueLayout.JAVA_DOUBLE;
            for (int i = 0; i < 2 * count; i += 2) {
              double a = right.getAtIndex(real, i);
              double b = right.getAtIndex(real, i + 1);
              right.setAtIndex(real, i, left.getAtIndex(real, i) * a);
              right.setAtIndex(real, i + 1, left.getAtIndex(real, i + 1) * a + b);
            }
          });

  private static final long[] COUNTS = {0, 1, 2, 3, 7, 26, 100, 1000, 5000, 20_000};

  /** Makes a rank's operation with its buffers. */
  private interface Description {
    Collective of(int rank, MemorySegment from, MemorySegment to);
  }

  private final Random random;
  private final int ranks;
  private final int root;
  private final String name;
  final DType type;
  private final long count;
  final byte[][] send;
  final byte[][] expected;

  /** Whether what a rank sends is to be put where it receives. */
  boolean inPlace;

  private final boolean persistent;
  private Description description = (_, _, _) -> new Collective.Barrier();

  RandomCollective(Random random, int ranks) {
    this.random = random;
    this.ranks = ranks;
    this.root = random.nextInt(ranks);
    this.count = COUNTS[random.nextInt(COUNTS.length)];
    this.persistent = random.nextInt(3) == 0;
    boolean user = random.nextInt(4) == 0;
    this.type = user ? DType.C128 : pick(SequentialFold.TYPES);
    ReduceOp op = user ? COMPOSE : pick(SequentialFold.operators(type));
    this.send = new byte[ranks][0];
    this.expected = new byte[ranks][0];
    List<Runnable> kinds =
        List.of(
            () -> {},
            this::broadcast,
            this::gather,
            this::gatherV,
            this::scatter,
            this::scatterV,
            this::allGather,
            this::allGatherV,
            this::allToAll,
            this::allToAllV,
            () -> reduce(op),
            () -> allReduce(op),
            () -> scan(op),
            () -> exscan(op),
            () -> reduceScatter(op));
    int kind = random.nextInt(kinds.size());
    kinds.get(kind).run();
    this.name = "operation " + kind + " of " + count + " " + type + " by " + op.label();
  }

  @Override
  public String toString() {
    return name;
  }

  /** Does the operation, or begins it; returns nothing if it has been done. */
  @Nullable Request call(Communicator comm, boolean wait, MemorySegment from, MemorySegment to) {
    Collective collective = description.of(comm.rank(), from, to);
    if (wait) {
      comm.run(collective);
      return null;
    }
    if (!persistent) {
      return comm.start(collective);
    }
    PersistentRequest request = comm.prepare(collective);
    request.start();
    return request;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void broadcast() {
    byte[] data = elements(count);
    inPlace = true;
    for (int rank = 0; rank < ranks; rank++) {
      send[rank] = rank == root ? data : elements(count);
      expected[rank] = data;
    }
    description = (_, from, to) -> new Collective.Broadcast(to, type, count, root);
  }

  private void gather() {
    Blocks blocks = uniform();
    blocks.gatherAt(root);
    description = (_, from, to) -> new Collective.Gather(from, to, type, count, root);
  }

  private void gatherV() {
    Blocks blocks = uneven();
    blocks.gatherAt(root);
    description =
        (rank, from, to) -> {
          long[] counts = rank == root ? blocks.counts : new long[0];
          return new Collective.GatherV(
              from, blocks.counts[rank], to, counts, blocks.starts, type, root);
        };
  }

  private void scatter() {
    uniform().scatterFrom(root);
    description = (_, from, to) -> new Collective.Scatter(from, to, type, count, root);
  }

  private void scatterV() {
    Blocks blocks = uneven();
    blocks.scatterFrom(root);
    description =
        (rank, from, to) -> {
          long[] counts = rank == root ? blocks.counts : new long[0];
          return new Collective.ScatterV(
              from, counts, blocks.starts, to, blocks.counts[rank], type, root);
        };
  }

  private void allGather() {
    Blocks blocks = uniform();
    IntStream.range(0, ranks).forEach(blocks::gatherAt);
    description = (_, from, to) -> new Collective.AllGather(from, to, type, count);
  }

  private void allGatherV() {
    Blocks blocks = uneven();
    IntStream.range(0, ranks).forEach(blocks::gatherAt);
    description =
        (rank, from, to) ->
            new Collective.AllGatherV(
                from, blocks.counts[rank], to, blocks.counts, blocks.starts, type);
  }

  private void allToAll() {
    Blocks[] sent = new Blocks[ranks];
    Arrays.setAll(sent, i -> uniform());
    transpose(sent, sent);
    description = (_, from, to) -> new Collective.AllToAll(from, to, type, count);
  }

  private void allToAllV() {
    Blocks[] sent = new Blocks[ranks];
    Arrays.setAll(sent, i -> uneven());
    Blocks[] received = new Blocks[ranks];
    Arrays.setAll(
        received, to -> new Blocks(Arrays.stream(sent).mapToLong(b -> b.counts[to]).toArray(), 2));
    transpose(sent, received);
    description =
        (rank, from, to) -> {
          Blocks out = sent[rank];
          Blocks in = received[rank];
          return new Collective.AllToAllV(
              from, out.counts, out.starts, to, in.counts, in.starts, type);
        };
  }

  private void reduce(ReduceOp op) {
    byte[][] sums = prefixes(op);
    expected[root] = sums[ranks - 1];
    description = (_, from, to) -> new Collective.Reduce(from, to, type, count, op, root);
  }

  private void allReduce(ReduceOp op) {
    byte[][] sums = prefixes(op);
    Arrays.fill(expected, sums[ranks - 1]);
    inPlace = random.nextBoolean();
    description = (_, from, to) -> new Collective.AllReduce(from, to, type, count, op);
  }

  private void scan(ReduceOp op) {
    byte[][] sums = prefixes(op);
    System.arraycopy(sums, 0, expected, 0, ranks);
    inPlace = random.nextBoolean();
    description = (_, from, to) -> new Collective.Scan(from, to, type, count, op);
  }

  private void exscan(ReduceOp op) {
    byte[][] sums = prefixes(op);
    System.arraycopy(sums, 0, expected, 1, ranks - 1);
    inPlace = random.nextBoolean();
    expected[0] = inPlace ? send[0] : untouched(count);
    description = (_, from, to) -> new Collective.Exscan(from, to, type, count, op);
  }

  private void reduceScatter(ReduceOp op) {
    Blocks blocks = new Blocks(uneven().counts, 0);
    for (int rank = 0; rank < ranks; rank++) {
      send[rank] = elements(blocks.end);
    }
    byte[][] sums = fold(op);
    for (int rank = 0; rank < ranks; rank++) {
      expected[rank] = blocks.block(sums[ranks - 1], rank);
    }
    description = (_, from, to) -> new Collective.ReduceScatter(from, to, type, blocks.counts, op);
  }

  /** Gives each rank elements to send and returns what the first 1, 2, … of them sum to. */
  private byte[][] prefixes(ReduceOp op) {
    for (int rank = 0; rank < ranks; rank++) {
      send[rank] = elements(count);
    }
    return fold(op);
  }

  private byte[][] fold(ReduceOp op) {
    byte[][] sums = new byte[ranks][];
    sums[0] = send[0];
    for (int rank = 1; rank < ranks; rank++) {
      sums[rank] = SequentialFold.combine(op, type, sums[rank - 1], send[rank]);
    }
    return sums;
  }

  private void transpose(Blocks[] sent, Blocks[] received) {
    for (int rank = 0; rank < ranks; rank++) {
      send[rank] = elements(sent[rank].end);
      expected[rank] = untouched(received[rank].end);
    }
    for (int from = 0; from < ranks; from++) {
      for (int to = 0; to < ranks; to++) {
        received[to].put(expected[to], from, sent[from].block(send[from], to));
      }
    }
  }

  private byte[] elements(long many) {
    return SequentialFold.random(random, type, many);
  }

  private byte[] untouched(long many) {
    byte[] bytes = new byte[(int) type.bytes(many)];
    Arrays.fill(bytes, UNTOUCHED);
    return bytes;
  }

  private Blocks uniform() {
    return new Blocks(LongStream.generate(() -> count).limit(ranks).toArray(), 0);
  }

  private Blocks uneven() {
    long[] counts = new long[ranks];
    Arrays.setAll(counts, i -> random.nextInt(3) == 0 ? 0 : random.nextLong(count + 1));
    return new Blocks(counts, 2);
  }

  /** One block per rank in a buffer. */
  private final class Blocks {
    final long[] counts;
    final long[] starts;
    final long end;

    Blocks(long[] counts, int largestGap) {
      this.counts = counts;
      this.starts = new long[ranks];
      long at = 0;
      for (int i = 0; i < ranks; i++) {
        at += random.nextInt(largestGap + 1);
        starts[i] = at;
        at += counts[i];
      }
      this.end = at;
    }

    byte[] block(byte[] buffer, int i) {
      int from = (int) type.bytes(starts[i]);
      return Arrays.copyOfRange(buffer, from, from + (int) type.bytes(counts[i]));
    }

    void put(byte[] buffer, int i, byte[] block) {
      System.arraycopy(block, 0, buffer, (int) type.bytes(starts[i]), block.length);
    }

    void gatherAt(int at) {
      expected[at] = untouched(end);
      for (int rank = 0; rank < ranks; rank++) {
        if (send[rank].length == 0) {
          send[rank] = elements(counts[rank]);
        }
        put(expected[at], rank, send[rank]);
      }
    }

    void scatterFrom(int from) {
      send[from] = elements(end);
      for (int rank = 0; rank < ranks; rank++) {
        expected[rank] = block(send[from], rank);
      }
    }
  }
}
