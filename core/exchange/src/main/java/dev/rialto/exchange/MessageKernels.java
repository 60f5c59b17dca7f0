package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.kernel.ExchangeKernels.Kernel;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The kernels that move one message between a buffer, or a peer's arrays, and this rank's arrays.
 *
 * <p>In a message the arrays follow one another, and in each the regions.
 */
final class MessageKernels {
  /** Moves nothing. */
  static final MessageKernels NONE = new MessageKernels(1, List.of());

  private final int vectors;
  private final Kernel[] kernels;
  private final boolean byAddress;

  private MessageKernels(int vectors, List<Kernel> perVector) {
    this.vectors = vectors;
    this.kernels = perVector.toArray(Kernel[]::new);
    this.byAddress = perVector.stream().anyMatch(Kernel::byAddress);
  }

  /** Makes the passage from arrays into a message. */
  static MessageKernels pack(ExchangeKernels kernels, DType type, Block block, int vectors) {
    List<Kernel> list = new ArrayList<>();
    for (int vector = 0; vector < vectors; vector++) {
      long at = vector * block.count();
      for (Region region : block.regions()) {
        list.add(kernels.move(type, region, Region.contiguous(at, region.count()), false));
        at += region.count();
      }
    }
    return new MessageKernels(vectors, list);
  }

  /** Makes the passage from a message into arrays, by the steps of one array. */
  static MessageKernels unpack(
      ExchangeKernels kernels, DType type, UnpackPlan landing, int vectors) {
    List<Kernel> list = new ArrayList<>();
    for (int vector = 0; vector < vectors; vector++) {
      for (UnpackPlan.Step step : landing.steps(vector)) {
        list.add(kernels.move(type, step.from(), step.to(), step.add()));
      }
    }
    return new MessageKernels(vectors, list);
  }

  /** Makes the passage from a peer's arrays into this rank's. */
  static MessageKernels direct(
      ExchangeKernels kernels, DType type, Block from, Block to, int vectors) {
    List<Kernel> list = new ArrayList<>();
    List<Region> sources = from.regions();
    List<Region> targets = to.regions();
    if (!counts(sources).equals(counts(targets))) {
      sources = List.of(flat(sources));
      targets = List.of(flat(targets));
    }
    for (int vector = 0; vector < vectors; vector++) {
      for (int i = 0; i < sources.size(); i++) {
        list.add(kernels.move(type, sources.get(i), targets.get(i), false));
      }
    }
    return new MessageKernels(vectors, list);
  }

  private static List<Long> counts(List<Region> regions) {
    return regions.stream().map(Region::count).toList();
  }

  static Region flat(List<Region> regions) {
    if (regions.size() == 1) {
      return regions.getFirst();
    }
    long[] all = new long[Math.toIntExact(regions.stream().mapToLong(Region::count).sum())];
    int[] at = {0};
    for (Region region : regions) {
      region.forEachRun(
          (offset, count) -> {
            for (long i = 0; i < count; i++) {
              all[at[0]++] = offset + i;
            }
          });
    }
    return Region.indices(Arrays.copyOf(all, at[0]));
  }

  /** Returns whether one of the kernels works {@linkplain Kernel#byAddress on addresses}. */
  boolean byAddress() {
    return byAddress;
  }

  private int perVector() {
    return kernels.length / vectors;
  }

  void pack(MemorySegment[] arrays, MemorySegment message) {
    int each = perVector();
    for (int i = 0; i < kernels.length; i++) {
      kernels[i].run(arrays[i / each], message);
    }
  }

  void unpack(MemorySegment message, MemorySegment[] arrays) {
    int each = perVector();
    for (int i = 0; i < kernels.length; i++) {
      kernels[i].run(message, arrays[i / each]);
    }
  }

  void move(MemorySegment from, MemorySegment to, int vector) {
    int each = perVector();
    for (int i = vector * each; i < (vector + 1) * each; i++) {
      kernels[i].run(from, to);
    }
  }
}
