package dev.rialto.local;

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
  /** What bytes are that no rank may write. */
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

  /** Begins the operation; returns nothing if it has returned. */
  private interface Call {
    @Nullable Request on(Communicator comm, boolean wait, MemorySegment send, MemorySegment to);
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

  private Call call = (comm, wait, from, to) -> null;

  RandomCollective(Random random, int ranks) {
    this.random = random;
    this.ranks = ranks;
    this.root = random.nextInt(ranks);
    this.count = COUNTS[random.nextInt(COUNTS.length)];
    boolean user = random.nextInt(4) == 0;
    this.type = user ? DType.C128 : pick(SequentialFold.TYPES);
    ReduceOp op = user ? COMPOSE : pick(SequentialFold.operators(type));
    this.send = new byte[ranks][0];
    this.expected = new byte[ranks][0];
    List<Runnable> kinds =
        List.of(
            this::barrier,
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

  @Nullable Request call(Communicator comm, boolean wait, MemorySegment from, MemorySegment to) {
    return call.on(comm, wait, from, to);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static @Nullable Request done(Runnable blocking) {
    blocking.run();
    return null;
  }

  private void barrier() {
    call = (comm, wait, from, to) -> wait ? done(comm::barrier) : comm.ibarrier();
  }

  private void broadcast() {
    byte[] data = elements(count);
    inPlace = true;
    for (int rank = 0; rank < ranks; rank++) {
      send[rank] = rank == root ? data : elements(count);
      expected[rank] = data;
    }
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.broadcast(to, type, count, root))
                : comm.ibroadcast(to, type, count, root);
  }

  private void gather() {
    Blocks blocks = uniform();
    blocks.gatherAt(root);
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.gather(from, to, type, count, root))
                : comm.igather(from, to, type, count, root);
  }

  private void gatherV() {
    Blocks blocks = uneven();
    blocks.gatherAt(root);
    call =
        (comm, wait, from, to) -> {
          long mine = blocks.counts[comm.rank()];
          long[] counts = comm.rank() == root ? blocks.counts.clone() : new long[0];
          return wait
              ? done(() -> comm.gatherV(from, mine, to, counts, blocks.starts, type, root))
              : clobbering(
                  comm.igatherV(from, mine, to, counts, blocks.starts, type, root), counts);
        };
  }

  private void scatter() {
    uniform().scatterFrom(root);
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.scatter(from, to, type, count, root))
                : comm.iscatter(from, to, type, count, root);
  }

  private void scatterV() {
    Blocks blocks = uneven();
    blocks.scatterFrom(root);
    call =
        (comm, wait, from, to) -> {
          long mine = blocks.counts[comm.rank()];
          long[] counts = comm.rank() == root ? blocks.counts.clone() : new long[0];
          return wait
              ? done(() -> comm.scatterV(from, counts, blocks.starts, to, mine, type, root))
              : clobbering(
                  comm.iscatterV(from, counts, blocks.starts, to, mine, type, root), counts);
        };
  }

  private void allGather() {
    Blocks blocks = uniform();
    IntStream.range(0, ranks).forEach(blocks::gatherAt);
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.allGather(from, to, type, count))
                : comm.iallGather(from, to, type, count);
  }

  private void allGatherV() {
    Blocks blocks = uneven();
    IntStream.range(0, ranks).forEach(blocks::gatherAt);
    call =
        (comm, wait, from, to) -> {
          long mine = blocks.counts[comm.rank()];
          long[] counts = blocks.counts.clone();
          return wait
              ? done(() -> comm.allGatherV(from, mine, to, counts, blocks.starts, type))
              : clobbering(comm.iallGatherV(from, mine, to, counts, blocks.starts, type), counts);
        };
  }

  private void allToAll() {
    Blocks[] sent = new Blocks[ranks];
    Arrays.setAll(sent, i -> uniform());
    transpose(sent, sent);
    boolean persistent = random.nextBoolean();
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.allToAll(from, to, type, count))
                : persistent
                    ? started(comm.persistentAllToAll(from, to, type, count))
                    : comm.iallToAll(from, to, type, count);
  }

  private void allToAllV() {
    Blocks[] sent = new Blocks[ranks];
    Arrays.setAll(sent, i -> uneven());
    Blocks[] received = new Blocks[ranks];
    Arrays.setAll(
        received, to -> new Blocks(Arrays.stream(sent).mapToLong(b -> b.counts[to]).toArray(), 2));
    transpose(sent, received);
    boolean persistent = random.nextBoolean();
    call =
        (comm, wait, from, to) -> {
          Blocks out = sent[comm.rank()];
          Blocks in = received[comm.rank()];
          long[] counts = in.counts.clone();
          if (wait) {
            return done(
                () -> comm.allToAllV(from, out.counts, out.starts, to, counts, in.starts, type));
          }
          return clobbering(
              persistent
                  ? started(
                      comm.persistentAllToAllV(
                          from, out.counts, out.starts, to, counts, in.starts, type))
                  : comm.iallToAllV(from, out.counts, out.starts, to, counts, in.starts, type),
              counts);
        };
  }

  private void reduce(ReduceOp op) {
    byte[][] sums = prefixes(op);
    expected[root] = sums[ranks - 1];
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.reduce(from, to, type, count, op, root))
                : comm.ireduce(from, to, type, count, op, root);
  }

  private void allReduce(ReduceOp op) {
    byte[][] sums = prefixes(op);
    Arrays.fill(expected, sums[ranks - 1]);
    inPlace = random.nextBoolean();
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.allReduce(from, to, type, count, op))
                : comm.iallReduce(from, to, type, count, op);
  }

  private void scan(ReduceOp op) {
    byte[][] sums = prefixes(op);
    System.arraycopy(sums, 0, expected, 0, ranks);
    inPlace = random.nextBoolean();
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.scan(from, to, type, count, op))
                : comm.iscan(from, to, type, count, op);
  }

  private void exscan(ReduceOp op) {
    byte[][] sums = prefixes(op);
    System.arraycopy(sums, 0, expected, 1, ranks - 1);
    inPlace = random.nextBoolean();
    expected[0] = inPlace ? send[0] : untouched(count);
    call =
        (comm, wait, from, to) ->
            wait
                ? done(() -> comm.exscan(from, to, type, count, op))
                : comm.iexscan(from, to, type, count, op);
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
    call =
        (comm, wait, from, to) -> {
          long[] counts = blocks.counts.clone();
          return wait
              ? done(() -> comm.reduceScatter(from, to, type, counts, op))
              : clobbering(comm.ireduceScatter(from, to, type, counts, op), counts);
        };
  }

  /** Count arrays are the caller's again when a non-blocking call has returned. */
  private static Request clobbering(Request begun, long[] counts) {
    Arrays.fill(counts, -1);
    return begun;
  }

  private static Request started(PersistentRequest request) {
    request.start();
    return request;
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
