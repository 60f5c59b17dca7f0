package dev.rialto.runtime.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.Backends;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.MemorySpace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Live blocks never overlap, no stream gets memory that another one uses, and all of it returns.
 */
class MemoryPoolsTest {
  private static final long PAGE = 64 << 10;

  private final MemorySpace space = Backends.get("cpu").devices().getFirst().memory();
  private final MemoryPools pools = new MemoryPools(space, PAGE, new MemoryAccount());

  private final List<Lane> all = Collections.synchronizedList(new ArrayList<>());
  private final List<Handed> handedOut = Collections.synchronizedList(new ArrayList<>());

  /** A block, and its generation when it was handed out. */
  private record Handed(Block block, int generation) {}

  @AfterEach
  void everythingReturns() {
    handedOut.forEach(handed -> handed.block().release(handed.generation()));
    all.forEach(lane -> timeline(lane).advanceToEnd());
    pools.cleanup();
    assertThat(pools.usage().reserved()).isZero();
  }

  private Lane lane() {
    Lane lane = new Lane(new ManualTimeline());
    all.add(lane);
    pools.add(lane);
    return lane;
  }

  /** Reserves a block that is released at the end if it was not before. */
  private Block reserve(Lane lane, long bytes, AllocationMode mode) {
    Block block = pools.reserve(lane, bytes, mode, null);
    handedOut.add(new Handed(block, block.generation()));
    return block;
  }

  private static ManualTimeline timeline(Lane lane) {
    return (ManualTimeline) lane.timeline();
  }

  private static void use(Block block, Lane lane, boolean writes) {
    block.claim();
    block.record(lane, timeline(lane).add(), writes);
    block.unclaim();
  }

  @Test
  void sizeClassesRoundUpByAnEighthAtMost() {
    for (long bytes = 1; bytes <= SizeClasses.LARGEST; bytes += bytes / 97 + 1) {
      long rounded = SizeClasses.bytes(SizeClasses.of(bytes));
      assertThat(rounded).as("for %d", bytes).isGreaterThanOrEqualTo(bytes);
      assertThat(rounded - bytes).as("for %d", bytes).isLessThan(Math.max(64, bytes / 8 + 1));
    }
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      assertThat(SizeClasses.of(SizeClasses.bytes(i))).isEqualTo(i);
    }
    assertThat(SizeClasses.of(0)).isZero();
  }

  @Test
  void aFewBuffersThatLiveLongKeepLittleMoreThanAPageEach() {
    Lane lane = lane();
    Random random = new Random(7);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      blocks.add(pools.reserve(lane, 4096, AllocationMode.POOLED, null));
    }
    Collections.shuffle(blocks, random);
    List<Block> kept = blocks.subList(0, 1_000);
    blocks.subList(1_000, blocks.size()).forEach(block -> block.release(block.generation()));
    assertThat(pools.usage().used()).isEqualTo(1_000 * 4096);
    assertThat(pools.usage().reserved()).isLessThanOrEqualTo(1_000 * PAGE / 3 * 4);
    kept.forEach(block -> block.release(block.generation()));
    assertThat(pools.usage().reserved()).isLessThanOrEqualTo(8 << 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void randomUseKeepsTheInvariants(long seed) {
    Random random = new Random(seed);
    List<Lane> lanes = new ArrayList<>(List.of(lane(), lane(), lane()));
    List<AllocationMode> modes = List.of(AllocationMode.values());
    List<Block> live = new ArrayList<>();
    TreeMap<Long, Long> ends = new TreeMap<>();
    long used = 0;
    for (int step = 0; step < 20_000; step++) {
      Lane lane = lanes.get(random.nextInt(lanes.size()));
      if (random.nextInt(5) < 2 && live.size() < 400) {
        long bytes = (long) Math.exp(random.nextDouble() * 15);
        AllocationMode mode = modes.get(random.nextInt(modes.size()));
        Block block = reserve(lane, bytes, mode);
        assertThat(block.isIdleExceptOn(lane)).as("still used by another stream").isTrue();
        long from = block.segment().address();
        long to = from + block.bytes();
        var before = ends.floorEntry(to - 1);
        assertThat(before == null || before.getValue() <= from).as("overlap").isTrue();
        ends.put(from, to);
        live.add(block);
        used += bytes;
      } else if (!live.isEmpty() && random.nextInt(2) == 0) {
        Block block = live.remove(random.nextInt(live.size()));
        ends.remove(block.segment().address());
        used -= block.requested();
        assertThat(block.release(block.generation())).isTrue();
      } else if (!live.isEmpty()) {
        use(live.get(random.nextInt(live.size())), lane, random.nextBoolean());
      }
      timeline(lanes.get(random.nextInt(lanes.size()))).advance();
      if (random.nextInt(2000) == 0) {
        pools.cleanup();
      }
      if (random.nextInt(1000) == 0) {
        Lane gone = lanes.remove(0);
        timeline(gone).advanceToEnd();
        pools.remove(gone);
        lanes.add(lane());
      }
      assertThat(pools.usage().used()).isEqualTo(used);
    }
    live.forEach(block -> block.release(block.generation()));
    lanes.forEach(lane -> timeline(lane).advanceToEnd());
    pools.cleanup();
    assertThat(pools.usage().used()).isZero();
    assertThat(pools.usage().reserved()).isZero();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void littleIsReservedBeyondWhatEachPoolEverUsed(long seed) {
    Random random = new Random(seed);
    Lane lane = lane();
    List<Block> live = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (live.isEmpty() || (live.size() < 500 && random.nextInt(9) < 5)) {
        Block block =
            reserve(lane, (long) Math.exp(random.nextDouble() * 15), AllocationMode.POOLED);
        use(block, lane, true);
        live.add(block);
      } else {
        Block block = live.remove(random.nextInt(live.size()));
        block.release(block.generation());
      }
      timeline(lane).advanceToEnd();
    }
    for (MemoryReport.Row pool : pools.report("test").pools()) {
      // A block is at most an eighth longer than asked for, or 64 bytes; the last page may be
      // empty.
      long blocks = pool.peakUsed() * 9 / 8 + 64 * 500;
      assertThat(pool.peakReserved())
          .as("%s", pool)
          .isLessThanOrEqualTo(blocks * 9 / 8 + Math.max(PAGE, blocks / 8) + PAGE);
    }
    live.forEach(block -> block.release(block.generation()));
  }

  @Test
  void memoryIsUsedAgainInStreamOrder() {
    Lane one = lane();
    Lane two = lane();
    Block first = reserve(one, 100, AllocationMode.POOLED);
    use(first, one, true);
    first.release(first.generation());
    assertThat(reserve(one, 100, AllocationMode.POOLED))
        .as("at once on the same stream")
        .isSameAs(first);
    use(first, one, true);
    first.release(first.generation());
    Block other = reserve(two, 2 << 20, AllocationMode.POOLED);
    use(other, two, true);
    other.release(other.generation());
    assertThat(reserve(one, 2 << 20, AllocationMode.POOLED))
        .as("not while another stream uses it")
        .isNotSameAs(other);
    timeline(two).advanceToEnd();
    assertThat(reserve(one, 2 << 20, AllocationMode.POOLED)).isSameAs(other);
  }

  @Test
  void oneBufferMayTakeHalfOfTheMemoryThereIs() {
    Lane lane = lane();
    long most = space.available() / 2;
    Block half = reserve(lane, most, AllocationMode.POOLED);
    assertThat(half.bytes()).isGreaterThanOrEqualTo(most).isLessThan(most + PAGE);
    half.release(half.generation());
    pools.cleanup();
  }

  @Test
  void littleIsReservedBeyondWhatAModelLoadUses() {
    Lane lane = lane();
    List<Block> weights = new ArrayList<>();
    // A transformer's tensors at a sixteenth of their size, each by way of a copy in double width.
    for (int layer = 0; layer < 16; layer++) {
      for (long bytes :
          new long[] {256 * 256 * 2, 256 * 64 * 2, 256 * 688 * 2, 688 * 256 * 2, 512}) {
        Block wide = reserve(lane, 2 * bytes, AllocationMode.POOLED);
        Block weight = reserve(lane, bytes, AllocationMode.PERSISTENT);
        use(wide, lane, true);
        use(weight, lane, true);
        wide.release(wide.generation());
        weights.add(weight);
      }
    }
    Block vocabulary = reserve(lane, 32_000 * 256 * 2, AllocationMode.PERSISTENT);
    MemoryUsage usage = pools.usage();
    assertThat((double) usage.reserved() / usage.used())
        .as("%s", pools.report("test"))
        .isLessThan(1.15);
    vocabulary.release(vocabulary.generation());
    weights.forEach(weight -> weight.release(weight.generation()));
  }

  @Test
  void largeTemporariesDoNotPileUp() {
    Lane lane = lane();
    Random random = new Random(7);
    for (int i = 0; i < 500; i++) {
      Block block = reserve(lane, (1 << 20) + random.nextInt(8 << 20), AllocationMode.POOLED);
      use(block, lane, true);
      timeline(lane).advanceToEnd();
      block.release(block.generation());
    }
    // The most ever used at once was one of at most nine mebibytes.
    assertThat(pools.usage().peakReserved()).isLessThan((9 << 20) / 8 * 9 + 2 * PAGE);
  }

  @Test
  void exactMemoryIsGivenBackAtOnceAndPersistentMemoryKept() {
    Lane lane = lane();
    Block exact = reserve(lane, 1000, AllocationMode.EXACT);
    Block persistent = reserve(lane, 1000, AllocationMode.PERSISTENT);
    assertThat(pools.usage().reserved()).isEqualTo(2 * 1024);
    exact.release(exact.generation());
    persistent.release(persistent.generation());
    assertThat(pools.usage().reserved()).isEqualTo(1024);
    assertThat(reserve(lane, 1000, AllocationMode.PERSISTENT)).isSameAs(persistent);
    persistent.release(persistent.generation());
    pools.cleanup();
    assertThat(pools.usage().reserved()).isZero();
  }

  @Test
  void aQuotaHolds() {
    Lane lane = lane();
    Quota quota = new Quota(1000);
    Block block = pools.reserve(lane, 600, AllocationMode.POOLED, quota);
    assertThatExceptionOfType(MemoryException.class)
        .isThrownBy(() -> pools.reserve(lane, 401, AllocationMode.POOLED, quota))
        .withMessageContaining("600 of this client's limit of 1000 bytes");
    block.release(block.generation());
    assertThat(quota.used()).isZero();
    Block again = pools.reserve(lane, 1000, AllocationMode.POOLED, quota);
    again.release(again.generation());
  }

  @Test
  void partsOfABlockHaveUsersOfTheirOwnAndReturnTogether() {
    Lane one = lane();
    Lane two = lane();
    Block whole = reserve(one, 4096, AllocationMode.POOLED);
    List<Block> parts =
        pools.divide(whole, whole.generation(), new long[] {0, 2048}, new long[] {2048, 2048});
    use(parts.get(0), one, true);
    use(parts.get(1), two, true);
    assertThat(parts.get(0).isIdleExceptOn(one)).isTrue();
    parts.get(0).release(0);
    parts.get(1).release(0);
    assertThat(pools.usage().used()).isZero();
    assertThat(reserve(one, 4096, AllocationMode.POOLED)).isNotSameAs(whole);
    timeline(two).advanceToEnd();
    assertThat(whole.isIdleExceptOn(one)).isTrue();
  }

  @Test
  void severalThreadsReserveAndRelease() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Lane lane = lane();
        Random random = new Random(t);
        running.add(
            threads.submit(
                () -> {
                  List<Block> live = new ArrayList<>();
                  for (int i = 0; i < 20_000; i++) {
                    if (live.size() < 50 && random.nextInt(3) > 0) {
                      Block block = reserve(lane, 8 + random.nextInt(5000), AllocationMode.POOLED);
                      // Whoever else had this block would see another number.
                      block.segment().set(JAVA_LONG, 0, block.id());
                      live.add(block);
                    } else if (!live.isEmpty()) {
                      Block block = live.remove(random.nextInt(live.size()));
                      assertThat(block.segment().get(JAVA_LONG, 0)).isEqualTo(block.id());
                      block.release(block.generation());
                    }
                  }
                  live.forEach(block -> block.release(block.generation()));
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
    pools.cleanup();
    assertThat(pools.usage().reserved()).isZero();
  }
}
