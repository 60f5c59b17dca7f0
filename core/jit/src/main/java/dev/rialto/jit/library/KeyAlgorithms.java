package dev.rialto.jit.library;

import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Algorithms of several launches: running sums, sorts, and choosing elements. */
final class KeyAlgorithms {
  /** Returns a kernel by its key, with blocks of {@value SumKernels#BLOCK} items. */
  interface Kernels {
    JavaKernel get(List<Object> key, Supplier<KernelBody> body);
  }

  /** Items that keep a large device busy with counting. */
  private static final long MOST_ITEMS = 1 << 18;

  private final ComputeClient client;
  private final Kernels kernels;

  KeyAlgorithms(ComputeClient client, Kernels kernels) {
    this.client = client;
    this.kernels = kernels;
  }

  /** Sets longs to the sums of others up to theirs. */
  private void runningSums(Buffer to, Buffer from) {
    long tiles = tiles(from.bytes() / Long.BYTES);
    long items = tiles * SumKernels.BLOCK;
    JavaKernel running = kernels.get(List.of("running"), SumKernels::running);
    try (Buffer totals = client.empty("sums of tiles", Long.BYTES * tiles);
        Buffer before = client.empty("sums of tiles", Long.BYTES * tiles)) {
      if (tiles > 1) {
        kernels.get(List.of("totals"), SumKernels::totals).launch(items, totals, from);
        runningSums(before, totals);
      }
      running.launch(items, to, from, before);
    }
  }

  private static long tiles(long count) {
    return (count + SumKernels.TILE - 1) / SumKernels.TILE;
  }

  void sort(Buffer keys, DType type, long n, @Nullable Buffer values, int bytes) {
    if (n < 2) {
      return;
    }
    long tiles = SortKernels.tiles(n);
    long items = tiles * SortKernels.BLOCK;
    int passes = SortKernels.passes(type);
    JavaKernel count = kernels.get(List.of("count", type), () -> SortKernels.count(type));
    JavaKernel move =
        kernels.get(List.of("move", type, bytes), () -> SortKernels.move(type, bytes));
    try (Buffer counts =
            client.empty(
                "counts of digits", (long) Long.BYTES * passes * (SortKernels.DIGITS + 1));
        Buffer left =
            client.empty("counts of tiles", (long) Long.BYTES * SortKernels.DIGITS * tiles);
        Buffer otherKeys = client.empty("keys", type.bytes(n));
        Buffer otherValues = client.empty("values", bytes * n)) {
      client.fill(counts, MemorySegment.ofArray(new long[1]));
      count.launch(Math.min(items, MOST_ITEMS), counts, left, keys, n);
      // The number of passes is even, so that the last one writes where the keys were.
      for (int pass = 0; pass < passes; pass++) {
        boolean there = pass % 2 == 0;
        Buffer from = there ? keys : otherKeys;
        Buffer to = there ? otherKeys : keys;
        if (values == null) {
          move.launch(items, to, from, counts, left, pass, n);
        } else {
          Buffer in = there ? values : otherValues;
          Buffer out = there ? otherValues : values;
          move.launch(items, to, from, counts, left, pass, n, out, in);
        }
      }
    }
  }

  /** Moves marked elements to the front of another array, and counts them. */
  void compact(Buffer to, Buffer count, Buffer from, Buffer marks, int bytes, long n) {
    try (Buffer ones = client.empty("marks", Long.BYTES * n);
        Buffer places = client.empty("places", Long.BYTES * n)) {
      kernels.get(List.of("marks"), SumKernels::marks).launch(n, ones, marks);
      runningSums(places, ones);
      kernels
          .get(List.of("compact", bytes), () -> SumKernels.compact(bytes))
          .launch(n, to, from, marks, places);
      client.copy(places.slice(Long.BYTES * (n - 1), Long.BYTES), count);
    }
  }
}
