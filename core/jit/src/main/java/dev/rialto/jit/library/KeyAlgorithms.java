package dev.rialto.jit.library;

import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Algorithms of several launches: running sums, sorts, and choosing elements. */
final class KeyAlgorithms {
  /** Returns a kernel by its key, with blocks of {@value SumKernels#BLOCK} items. */
  interface Kernels {
    JavaKernel get(List<Object> key, Supplier<KernelBody> body);
  }

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
    long tiles = tiles(n);
    long items = tiles * SortKernels.BLOCK;
    long words = Long.BYTES * SortKernels.DIGITS * tiles;
    JavaKernel count = kernels.get(List.of("count", type), () -> SortKernels.count(type));
    JavaKernel move =
        kernels.get(List.of("move", type, bytes), () -> SortKernels.move(type, bytes));
    try (Buffer counts = client.empty("counts of digits", words);
        Buffer ends = client.empty("counts of digits", words);
        Buffer otherKeys = client.empty("keys", type.bytes(n));
        Buffer otherValues = client.empty("values", bytes * n)) {
      // The number of passes is even, so that the last one writes where the keys were.
      for (int shift = 0; shift < Byte.SIZE * type.size(); shift += SortKernels.BITS) {
        boolean there = shift / SortKernels.BITS % 2 == 0;
        Buffer from = there ? keys : otherKeys;
        Buffer to = there ? otherKeys : keys;
        count.launch(items, counts, from, shift, n);
        runningSums(ends, counts);
        if (values == null) {
          move.launch(items, to, from, ends, shift, n);
        } else {
          Buffer in = there ? values : otherValues;
          Buffer out = there ? otherValues : values;
          move.launch(items, to, from, ends, shift, n, out, in);
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
