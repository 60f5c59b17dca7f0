package dev.rialto.array.device;

import dev.rialto.array.loop.SortOrder;
import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;

/** Sorts of a rank's words on a device: by their digits, or in an order of the user's. */
public record SortKernels(DeviceKernels kernels, ComputeClient client) {
  /** Sorts words and moves numbers with them; equal ones stay in order. */
  void sort(Buffer words, Buffer numbers, long count, SortOrder order) {
    if (order.isNatural()) {
      kernels
          .library()
          .sort(SelectionKernels.longs(words, count), SelectionKernels.longs(numbers, count));
    } else {
      mergeSort(words, numbers, count, order);
    }
  }

  /** Merges runs of one word, then of two, and so on: as many passes as the number has bits. */
  private void mergeSort(Buffer words, Buffer numbers, long count, SortOrder order) {
    JavaKernel merge = kernels.kept("merge", DType.I64, on -> merge(on, order), order);
    long bytes = Long.BYTES * count;
    try (Buffer otherWords = client.empty("words of a sort", bytes);
        Buffer otherNumbers = client.empty("numbers of a sort", bytes)) {
      boolean there = false;
      for (long run = 1; run < count; run *= 2) {
        merge.launch(
            count,
            there ? words : otherWords,
            there ? numbers : otherNumbers,
            there ? otherWords : words,
            there ? otherNumbers : numbers,
            run,
            count);
        there = !there;
      }
      if (there) {
        client.copy(otherWords, words.slice(0, bytes));
        client.copy(otherNumbers, numbers.slice(0, bytes));
      }
    }
  }

  /** Each item finds how many words of the other run come before its own. */
  private static JavaKernel merge(JavaKernels on, SortOrder order) {
    return on.kernel(
        (Item it, I64 to, I64 toNumbers, I64 from, I64 fromNumbers, Long run, Long count) -> {
          long i = it.global();
          long word = from.get(i);
          long begin = i / (2 * run) * (2 * run);
          long middle = Math.min(count, begin + run);
          boolean left = i < middle;
          long low = left ? middle : begin;
          long high = left ? Math.min(count, middle + run) : middle;
          long first = low;
          while (low < high) {
            long half = (low + high) / 2;
            int apart = order.compare(from.get(half), word);
            // Of equal words those of the left run come first.
            boolean before = left ? apart < 0 : apart <= 0;
            if (before) {
              low = half + 1;
            } else {
              high = half;
            }
          }
          long at = left ? i + low - first : i - middle + low;
          to.set(at, word);
          toNumbers.set(at, fromNumbers.get(i));
        });
  }

  /** Finds where in sorted words each of some bounds is; the bounds' places follow them. */
  void ends(
      Buffer ends,
      Buffer bounds,
      Buffer words,
      Buffer places,
      long count,
      int drawn,
      SortOrder order) {
    kernels
        .kept("ends", DType.I64, on -> ends(on, order), order)
        .launch(drawn, ends, bounds, words, places, count, (long) drawn);
  }

  private static JavaKernel ends(JavaKernels on, SortOrder order) {
    return on.kernel(
        (Item it, I64 ends, I64 bounds, I64 words, I64 places, Long count, Long drawn) -> {
          long bound = bounds.get(it.global());
          long place = bounds.get(drawn + it.global());
          long low = 0;
          long high = count;
          while (low < high) {
            long half = (low + high) / 2;
            int apart = order.compare(words.get(half), bound);
            boolean after = apart > 0 || (apart == 0 && places.get(half) >= place);
            if (after) {
              high = half;
            } else {
              low = half + 1;
            }
          }
          ends.set(it.global(), low);
        });
  }

  /** Copies elements of a type from listed places. */
  void gather(Buffer to, Buffer from, Buffer places, DType type, long count) {
    int parts = Math.max(1, type.size() / Long.BYTES);
    kernels
        .kept("gather", type, on -> gather(on, type.size()), parts)
        .launch(count * parts, to, from, places);
  }

  private static JavaKernel gather(JavaKernels on, int size) {
    return switch (size) {
      case 1 ->
          on.kernel(
              (Item it, I8 to, I8 from, I64 places) ->
                  to.set(it.global(), from.get(places.get(it.global()))));
      case 2 ->
          on.kernel(
              (Item it, I16 to, I16 from, I64 places) ->
                  to.set(it.global(), from.get(places.get(it.global()))));
      case 4 ->
          on.kernel(
              (Item it, I32 to, I32 from, I64 places) ->
                  to.set(it.global(), from.get(places.get(it.global()))));
      case 8 ->
          on.kernel(
              (Item it, I64 to, I64 from, I64 places) ->
                  to.set(it.global(), from.get(places.get(it.global()))));
      default ->
          on.kernel(
              (Item it, I64 to, I64 from, I64 places) ->
                  to.set(it.global(), from.get(2 * places.get(it.global() / 2) + it.global() % 2)));
    };
  }
}
