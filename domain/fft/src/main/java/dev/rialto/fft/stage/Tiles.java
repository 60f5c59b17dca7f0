package dev.rialto.fft.stage;

import dev.rialto.exchange.DirectReads;
import dev.rialto.spi.copy.CopyTile;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several steps in one pass over memory: a tile is read, transformed along one axis after another
 * while it is in the cache, and written once.
 *
 * <p>It is read from this rank's array or, where ranks share memory, straight from the arrays of
 * all: then the move that made the axes local is no pass of its own. Several axes in one tile save
 * a pass for each but the first. What it costs is a copy within the cache: results stay in the tile
 * to the end, where lines are not a power of two apart, and then go out row by row, past the caches
 * if the array is larger than they are.
 */
public final class Tiles implements Stage, RangeBody {
  private final List<Step.Lines> chain;
  private final FftEngine engine;
  private final @Nullable Executor executor;
  private final @Nullable DirectReads reads;
  private final @Nullable Pulls pulls;
  private final List<FftPlan> plans = new ArrayList<>();

  /** For each tile the first of its plans, and where it starts in input and output, in bytes. */
  private final int[] firstPlan;

  /** The copy from the input to each tile; none where its first step reads it there. */
  private final StridedCopy @Nullable [] points;

  /** The copy from each tile to the output; none where its last step writes there. */
  private final StridedCopy @Nullable [] results;

  private final long[] inOffsets;
  private final long[] outOffsets;
  private final long inBytes;
  private final long outBytes;
  private final int slots;
  private final long tileBytes;
  private final long planBytes;
  private final MemorySegment[] tiles;
  private final MemorySegment[] workspaces;
  private MemorySegment workspace = MemorySegment.NULL;
  private MemorySegment input = MemorySegment.NULL;
  private MemorySegment output = MemorySegment.NULL;

  /**
   * Makes a stage.
   *
   * @param move what is done before, with {@code reads}; none if the array is here
   */
  public Tiles(
      List<Step.Lines> chain,
      Step.@Nullable Move move,
      @Nullable DirectReads reads,
      int rank,
      FftEngine engine,
      @Nullable Executor executor) {
    this.chain = chain;
    this.engine = engine;
    this.executor = executor;
    this.reads = move == null ? null : reads;
    Tiling tiling = new Tiling(chain, rank);
    int count = tiling.count();
    this.pulls = move == null ? null : new Pulls(move, tiling, rank);
    Step.Lines first = chain.getFirst();
    Step.Lines last = chain.getLast();
    this.inBytes =
        move == null
            ? first.fromType().bytes(first.from().localCount(rank))
            : move.type().bytes(move.from().localCount(rank));
    this.outBytes = last.toType().bytes(last.to().localCount(rank));
    boolean inTile = !last.changesType();
    this.results = inTile ? new StridedCopy[count] : null;
    boolean copies =
        move == null && isAcross(first, rank) && (chain.size() == 1 || !first.changesType());
    this.points = copies ? new StridedCopy[count] : null;
    this.firstPlan = new int[count];
    this.inOffsets = new long[count];
    this.outOffsets = new long[count];
    long[] inStrides = tiling.ordered(first.from().localStrides(rank), 1);
    long[] outStrides = tiling.ordered(last.to().localStrides(rank), 1);
    List<List<FftSpec>> shapes = new ArrayList<>();
    Map<Shape, StridedCopy> into = new HashMap<>();
    Map<Shape, StridedCopy> outOf = new HashMap<>();
    long most = 0;
    for (int tile = 0; tile < count; tile++) {
      long[] origin = tiling.first(tile);
      inOffsets[tile] = first.fromType().bytes(Tiling.offset(origin, inStrides));
      outOffsets[tile] = last.toType().bytes(Tiling.offset(origin, outStrides));
      List<FftSpec> specs = tiling.specs(tiling.extents(tile), move == null && !copies, !inTile);
      if (points != null) {
        points[tile] = copy(into, tiling.extents(tile), inStrides, first.fromType(), true);
      }
      if (results != null) {
        results[tile] = copy(outOf, tiling.results(tile), outStrides, last.toType(), false);
      }
      if (!shapes.contains(specs)) {
        shapes.add(specs);
        for (FftSpec spec : specs) {
          FftPlan plan = engine.plan(spec);
          plans.add(plan);
          most = Math.max(most, plan.workspaceBytes());
        }
      }
      firstPlan[tile] = shapes.indexOf(specs) * chain.size();
    }
    this.slots = executor == null ? 1 : Math.clamp(count, 1, Math.max(1, executor.parallelism()));
    this.tileBytes = rounded(tiling.tileBytes());
    this.planBytes = rounded(most);
    this.tiles = new MemorySegment[slots];
    this.workspaces = new MemorySegment[slots];
  }

  /** Returns whether the points of a line are apart in memory. */
  public static boolean isAcross(Step.Lines lines, int rank) {
    return lines.from().localStrides(rank)[lines.axis()] > 1;
  }

  /** Returns the rows of a tile that come from an array or go there, one for tiles of a shape. */
  private StridedCopy copy(
      Map<Shape, StridedCopy> known, long[] extents, long[] strides, DType type, boolean in) {
    return known.computeIfAbsent(
        Shape.of(extents),
        shape -> {
          Layout array = Layout.strided(type, shape, strides, 0);
          Layout tile = Layout.strided(type, shape, Tiling.strides(extents, type), 0);
          return in
              ? StridedCopy.of(array, tile)
              : StridedCopy.of(tile, array, CopyTile.USUAL, outBytes);
        });
  }

  private static long rounded(long bytes) {
    return Math.ceilDiv(bytes, 64) * 64;
  }

  @Override
  public void start(MemorySegment in, MemorySegment out, MemorySegment work) {
    input = in;
    output = out;
    if (!work.equals(workspace)) {
      for (int slot = 0; slot < slots; slot++) {
        long at = slot * (tileBytes + planBytes);
        tiles[slot] = work.asSlice(at, tileBytes);
        workspaces[slot] = work.asSlice(at + tileBytes, planBytes);
      }
      workspace = work;
    }
    if (reads == null) {
      all();
    }
  }

  @Override
  public void await() {
    if (reads != null) {
      reads.await(input);
      all();
      reads.finish();
    }
  }

  private void all() {
    if (executor == null || slots == 1) {
      run(0, 1);
    } else {
      executor.parallelFor(0, slots, 1, this);
    }
  }

  /** Every slot takes an equal share: tiles are alike, and neighbours write neighbouring memory. */
  @Override
  public void run(long begin, long end) {
    for (long slot = begin; slot < end; slot++) {
      int last = (int) (firstPlan.length * (slot + 1) / slots);
      for (int tile = (int) (firstPlan.length * slot / slots); tile < last; tile++) {
        one(tile, (int) slot);
      }
    }
  }

  private void one(int tile, int slot) {
    MemorySegment cached = tiles[slot];
    MemorySegment from = input;
    long offset = inOffsets[tile];
    if (pulls != null && reads != null) {
      pulls.run(tile, reads, cached.address());
      from = cached;
      offset = 0;
    } else if (points != null) {
      points[tile].run(input.address() + offset, cached.address());
      from = cached;
      offset = 0;
    }
    int first = firstPlan[tile];
    int last = chain.size() - 1;
    for (int i = 0; i < last; i++) {
      plans.get(first + i).execute(from, offset, cached, 0, workspaces[slot]);
      from = cached;
      offset = 0;
    }
    FftPlan plan = plans.get(first + last);
    if (results == null) {
      plan.execute(from, offset, output, outOffsets[tile], workspaces[slot]);
    } else {
      plan.execute(from, offset, cached, 0, workspaces[slot]);
      results[tile].run(cached.address(), output.address() + outOffsets[tile]);
    }
  }

  @Override
  public long inBytes() {
    return inBytes;
  }

  @Override
  public long outBytes() {
    return outBytes;
  }

  @Override
  public boolean inPlace() {
    return reads == null && chain.getFirst().fromType() == chain.getLast().toType();
  }

  @Override
  public boolean isCollective() {
    return reads != null;
  }

  @Override
  public boolean isReadByPeers() {
    return reads != null && !reads.oneProcess();
  }

  @Override
  public boolean reaches(MemorySegment in) {
    return reads == null || reads.reaches(in);
  }

  @Override
  public long workspaceBytes() {
    return slots * (tileBytes + planBytes);
  }

  @Override
  public void close() {
    plans.forEach(FftPlan::close);
  }

  @Override
  public String toString() {
    return chain.stream()
        .map(s -> "axis %d: %s of %d points".formatted(s.axis(), s.kind(), s.length()))
        .collect(
            Collectors.joining(
                ", ",
                reads == null ? "" : "pulled from the memory of %d ranks, ".formatted(ranks()),
                ", in %,d tiles of %,d bytes, engine %s"
                    .formatted(firstPlan.length, tileBytes, engine.name())));
  }

  private int ranks() {
    return chain.getFirst().from().ranks();
  }
}
