package dev.rialto.exchange.plan;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One rank's part of an exchange: which of its elements go to whom, and where what comes is put.
 *
 * <p>A plan knows neither type nor memory nor communicator, so one plan serves many exchanges. A
 * rank's plan fits those of its peers if each sends as many elements as the other expects, in the
 * same order; makers guarantee that, and the binding of a plan to a communicator checks the
 * numbers. Immutable.
 */
public final class ExchangePlan {
  private final String name;
  private final int rank;
  private final int ranks;
  private final long inputCount;
  private final long outputCount;
  private final List<Block> sends;
  private final List<Block> receives;
  private final Combine combine;
  private final boolean inPlaceSafe;

  private ExchangePlan(
      String name,
      int rank,
      int ranks,
      long inputCount,
      long outputCount,
      List<Block> sends,
      List<Block> receives,
      Combine combine) {
    this.name = name;
    this.rank = rank;
    this.ranks = ranks;
    this.inputCount = inputCount;
    this.outputCount = outputCount;
    this.sends = ordered(sends);
    this.receives = ordered(receives);
    this.combine = combine;
    checkPeers(this.sends, inputCount, "sends to");
    checkPeers(this.receives, outputCount, "receives from");
    long mine = selfSend().map(Block::count).orElse(0L);
    long back = selfReceive().map(Block::count).orElse(0L);
    if (mine != back) {
      throw new IllegalArgumentException(
          "rank %d sends itself %d elements but receives %d; give the same number"
              .formatted(rank, mine, back));
    }
    this.inPlaceSafe = computeInPlaceSafe();
  }

  /**
   * Makes a plan from blocks.
   *
   * @param name what it does, for messages
   * @param rank the rank it is for
   * @param ranks how many ranks there are
   * @param inputCount the elements of the array that is sent from
   * @param outputCount the elements of the array that is received into
   * @param sends what goes to whom, one block per peer; a block for {@code rank} itself is copied
   * @param receives what comes from whom
   * @param combine what becomes of elements that are received
   * @throws IllegalArgumentException if a peer has two blocks, a block exceeds its array, or with
   *     {@link Combine#REPLACE} an element would be received twice
   * @throws IndexOutOfBoundsException if a peer does not exist
   */
  public static ExchangePlan of(
      String name,
      int rank,
      int ranks,
      long inputCount,
      long outputCount,
      List<Block> sends,
      List<Block> receives,
      Combine combine) {
    ExchangePlan plan = made(name, rank, ranks, inputCount, outputCount, sends, receives, combine);
    if (combine == Combine.REPLACE) {
      plan.checkReceivedOnce();
    }
    return plan;
  }

  /** Makes a plan whose maker knows that no element is received twice. */
  static ExchangePlan made(
      String name,
      int rank,
      int ranks,
      long inputCount,
      long outputCount,
      List<Block> sends,
      List<Block> receives,
      Combine combine) {
    return new ExchangePlan(name, rank, ranks, inputCount, outputCount, sends, receives, combine);
  }

  private static List<Block> ordered(List<Block> blocks) {
    return blocks.stream()
        .filter(block -> block.count() > 0)
        .sorted(Comparator.comparingInt(Block::peer))
        .toList();
  }

  private void checkPeers(List<Block> blocks, long count, String role) {
    Arguments.distinctRanks(
        blocks.stream().mapToInt(Block::peer).toArray(), ranks, "rank " + rank + " " + role);
    for (Block block : blocks) {
      if (block.span() > count) {
        throw new IllegalArgumentException(
            "the block that rank %d %s %d reaches element %d of an array of %d"
                .formatted(rank, role, block.peer(), block.span() - 1, count));
      }
    }
  }

  private void checkReceivedOnce() {
    BitSet seen = new BitSet();
    for (Block block : receives) {
      for (Region region : block.regions()) {
        region.forEachRun(
            (offset, count) -> {
              int from = Math.toIntExact(offset);
              int to = Math.toIntExact(offset + count);
              int taken = seen.nextSetBit(from);
              if (taken >= 0 && taken < to) {
                throw new IllegalArgumentException(
                    "rank %d receives element %d twice, the second time from %d; combine by adding"
                        .formatted(rank, taken, block.peer()));
              }
              seen.set(from, to);
            });
      }
    }
  }

  /** Returns what the exchange does, for messages. */
  public String name() {
    return name;
  }

  /** Returns the rank this part is for. */
  public int rank() {
    return rank;
  }

  /** Returns how many ranks take part. */
  public int ranks() {
    return ranks;
  }

  /** Returns the elements of the array that is sent from. */
  public long inputCount() {
    return inputCount;
  }

  /** Returns the elements of the array that is received into. */
  public long outputCount() {
    return outputCount;
  }

  /** Returns what goes to whom, in the order of ranks, this rank's own block among them. */
  public List<Block> sends() {
    return sends;
  }

  /** Returns what comes from whom, in the order of ranks, this rank's own block among them. */
  public List<Block> receives() {
    return receives;
  }

  /** Returns what becomes of elements that are received. */
  public Combine combine() {
    return combine;
  }

  /** Returns what this rank sends to itself. */
  public Optional<Block> selfSend() {
    return sends.stream().filter(block -> block.peer() == rank).findFirst();
  }

  /** Returns what this rank receives from itself. */
  public Optional<Block> selfReceive() {
    return receives.stream().filter(block -> block.peer() == rank).findFirst();
  }

  /**
   * Returns whether no element that is sent is also received into when input and output are the
   * same array, as in a halo update.
   */
  public boolean inPlaceSafe() {
    return inPlaceSafe;
  }

  private boolean computeInPlaceSafe() {
    if (combine != Combine.REPLACE || Math.max(inputCount, outputCount) > Integer.MAX_VALUE) {
      return false;
    }
    long sent = sends.stream().mapToLong(Block::count).sum();
    long received = receives.stream().mapToLong(Block::count).sum();
    if (sent + received > outputCount) {
      return sent == 0 || received == 0;
    }
    BitSet written = new BitSet();
    receives.forEach(
        block ->
            block
                .regions()
                .forEach(r -> r.forEachRun((o, n) -> written.set((int) o, (int) (o + n)))));
    boolean[] safe = {true};
    sends.forEach(
        block ->
            block
                .regions()
                .forEach(
                    r ->
                        r.forEachRun(
                            (o, n) -> {
                              int hit = written.nextSetBit((int) o);
                              safe[0] &= hit < 0 || hit >= o + n;
                            })));
    return safe[0];
  }

  /** Returns this plan for arrays of groups of {@code width} elements, whole groups at a time. */
  public ExchangePlan widened(int width) {
    if (width < 1) {
      throw new IllegalArgumentException("groups of " + width + " elements; give at least 1");
    }
    return made(
        name + " x" + width,
        rank,
        ranks,
        Math.multiplyExact(inputCount, (long) width),
        Math.multiplyExact(outputCount, (long) width),
        sends.stream().map(block -> block.widened(width)).toList(),
        receives.stream().map(block -> block.widened(width)).toList(),
        combine);
  }

  /** Returns how many elements leave this rank. */
  public long sentCount() {
    return sends.stream().filter(b -> b.peer() != rank).mapToLong(Block::count).sum();
  }

  /** Describes the plan for people: peers, bytes, contiguous runs and passes over memory. */
  public String explain(DType type) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s, rank %d of %d: %s of %s in, %s of %s out, %s"
            .formatted(
                name,
                rank,
                ranks,
                inputCount,
                type,
                outputCount,
                type,
                combine.name().toLowerCase(Locale.ROOT)));
    sends.forEach(block -> lines.add(line("to", block, type)));
    receives.forEach(block -> lines.add(line("from", block, type)));
    lines.add("memory passes: 1 shared, %d packed".formatted(1 + passes(sends) + passes(receives)));
    return String.join("\n", lines);
  }

  private String line(String direction, Block block, DType type) {
    return "  %-4s %s: %,d bytes in %,d %s"
        .formatted(
            direction,
            block.peer() == rank ? "itself" : "rank " + block.peer(),
            type.bytes(block.count()),
            block.runs(),
            block.runs() == 1 ? "run" : "runs");
  }

  /** A block that lies together needs no pass of its own: it is sent or received in place. */
  private int passes(List<Block> blocks) {
    return blocks.stream().anyMatch(b -> b.peer() != rank && b.contiguousFrom() < 0) ? 1 : 0;
  }

  @Override
  public String toString() {
    return name + " on rank " + rank + " of " + ranks;
  }
}
