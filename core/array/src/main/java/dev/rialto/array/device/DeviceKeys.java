package dev.rialto.array.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.IntegerArray;
import dev.rialto.array.algorithm.Rearrange;
import dev.rialto.array.algorithm.SampleSort;
import dev.rialto.array.algorithm.Sort;
import dev.rialto.array.loop.SortOrder;
import dev.rialto.array.loop.Splitters;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Places;
import dev.rialto.array.part.RankPart;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Region;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rank's elements on a device while they are sorted, each as a word.
 *
 * <p>Here elements are sorted first, so that what goes to a rank lies together, and what has come
 * is sorted again. Where elements go is remembered, and others {@linkplain #apply go there too}
 * without leaving the device.
 */
public final class DeviceKeys implements SampleSort.Part {
  private final OperationRunner run;
  private final Operand array;
  private final ComputeClient client;
  private final SortKernels kernels;
  private final SortOrder order;
  private final long[] counts;
  private final List<Step> steps = new ArrayList<>();
  private Operand words;

  /** A step of elements: to other places of the same rank, or to other ranks. */
  private sealed interface Step {}

  private record Permuted(Operand places) implements Step {}

  private record Sent(ExchangePlan plan, long count) implements Step {}

  private DeviceKeys(OperationRunner run, Operand array, Operand words, SortOrder order) {
    this.run = run;
    this.array = array;
    this.client = array.client();
    this.kernels = new SortKernels(DeviceElementwise.kernels(array), client);
    this.order = order;
    this.words = words;
    this.counts = Sort.counts(array.distribution());
  }

  /**
   * Takes the elements of an array, in row-major order of which it is sorted.
   *
   * @param flip -1 if the largest comes first, else 0
   */
  public static DeviceKeys of(OperationRunner run, Operand array, SortOrder order, long flip) {
    Operand from = DeviceTemporaries.inOrder(run, array);
    Sort.size(run, from.values());
    DeviceValues values = DeviceValues.of(from, from);
    if (order.isNatural()) {
      values = values.keys(from.type().kind() == DType.Kind.FLOAT, flip);
    }
    Operand words = DeviceTemporaries.longs(run, from, from.layout().count());
    DeviceElementwise.assign(words, values);
    return new DeviceKeys(run, from, words, order);
  }

  /**
   * Sorts the elements themselves, the least first, if one rank has them all without gaps and their
   * type has digits; returns whether it has.
   */
  public static boolean sortInPlace(OperationRunner run, Operand array) {
    boolean digits =
        switch (array.type()) {
          case F64, F32, I64, I32 -> true;
          default -> false;
        };
    if (run.ranks() > 1
        || !digits
        || !array.isInOrder()
        || !DeviceElementwise.places(array).equals(Places.DENSE)) {
      return false;
    }
    long count = array.layout().count();
    Layout dense = Layout.contiguous(array.type(), count);
    DeviceElementwise.kernels(array)
        .library()
        .sort(new Tensor(array.buffer(), Shape.of(count), dense));
    return true;
  }

  /** Sorts the elements of all ranks. Collective. */
  public DeviceKeys sort() {
    new SampleSort(run, array.distribution(), order, this).sort();
    return this;
  }

  @Override
  public void alone() {
    sortWords();
  }

  /** Sorts the words that this rank has, and remembers where they were. */
  private void sortWords() {
    long count = words.layout().count();
    Operand places = DeviceTemporaries.longs(run, array, count);
    DeviceElementwise.assign(places, DeviceValues.numbers(run, places));
    if (count > 1) {
      kernels.sort(words.buffer(), places.buffer(), count, order);
    }
    steps.add(new Permuted(places));
  }

  @Override
  public long[] sample(int[] places) {
    long[] list = Arrays.stream(places).asLongStream().toArray();
    if (list.length == 0) {
      return list;
    }
    try (Buffer at = client.create(MemorySegment.ofArray(list));
        Buffer found = client.empty("samples", Long.BYTES * (long) list.length)) {
      kernels.gather(found, words.buffer(), at, DType.I64, list.length);
      return client.read(found).toArray(JAVA_LONG);
    }
  }

  @Override
  public long[] divide(Splitters splitters) {
    sortWords();
    Permuted sorted = (Permuted) steps.getLast();
    long count = words.layout().count();
    long[] ends = new long[run.ranks()];
    Arrays.fill(ends, count);
    int drawn = splitters.drawn();
    if (count > 0 && drawn > 0) {
      long[] list = new long[2 * drawn];
      System.arraycopy(splitters.bounds(), 0, list, 0, drawn);
      for (int i = 0; i < drawn; i++) {
        list[drawn + i] = splitters.places()[i];
      }
      try (Buffer bounds = client.create(MemorySegment.ofArray(list));
          Buffer found = client.empty("ends of pieces", Long.BYTES * (long) drawn)) {
        kernels.ends(found, bounds, words.buffer(), sorted.places().buffer(), count, drawn, order);
        MemorySegment.copy(client.read(found), JAVA_LONG, 0, ends, 0, drawn);
      }
    }
    long[] sent = ends.clone();
    for (int rank = 1; rank < sent.length; rank++) {
      sent[rank] = ends[rank] - ends[rank - 1];
    }
    return sent;
  }

  @Override
  public void exchange(long[][] pieces) {
    int me = run.rank();
    long[] has = new long[run.ranks()];
    long[] received = new long[run.ranks()];
    for (int rank = 0; rank < has.length; rank++) {
      received[rank] = pieces[rank][me];
      for (int to = 0; to < has.length; to++) {
        has[to] += pieces[rank][to];
      }
    }
    send(pieces[me].clone(), received);
    sortWords();
    send(overlaps(has, counts, me), overlaps(counts, has, me));
  }

  /** Returns how much of what one rank has in one division each rank has in another. */
  private static long[] overlaps(long[] mine, long[] theirs, int me) {
    long[] common = new long[mine.length];
    long first = Arrays.stream(mine, 0, me).sum();
    long start = 0;
    for (int rank = 0; rank < common.length; rank++) {
      long end = Math.min(first + mine[me], start + theirs[rank]);
      common[rank] = Math.max(0, end - Math.max(first, start));
      start += theirs[rank];
    }
    return common;
  }

  /** Sends pieces that follow one another to the ranks, and puts those that come in their order. */
  private void send(long[] sent, long[] received) {
    long count = Arrays.stream(received).sum();
    ExchangePlan plan =
        ExchangePlan.of(
            "pieces of a sort",
            run.rank(),
            run.ranks(),
            Arrays.stream(sent).sum(),
            count,
            blocks(sent),
            blocks(received),
            Combine.REPLACE);
    Sent step = new Sent(plan, count);
    Operand next = DeviceTemporaries.longs(run, array, count);
    travel(step, words.buffer(), next.buffer(), DType.I64);
    words = next;
    steps.add(step);
  }

  private static List<Block> blocks(long[] counts) {
    List<Block> blocks = new ArrayList<>();
    long at = 0;
    for (int rank = 0; rank < counts.length; rank++) {
      blocks.add(Block.of(rank, Region.contiguous(at, counts[rank])));
      at += counts[rank];
    }
    return blocks;
  }

  private void travel(Sent step, Buffer from, Buffer to, DType type) {
    run.exchange(
        client,
        exchanger -> {
          try (Exchange exchange = exchanger.exchange(step.plan(), type);
              Resource in = client.resource(from, false);
              Resource out = client.resource(to, true)) {
            exchange.run(in.segment(), out.segment());
          }
        });
  }

  /** Puts the elements of arrays, divided in any way, in the order that was found. Collective. */
  public void apply(Operand... arrays) {
    for (Operand each : arrays) {
      Operand from = DeviceTemporaries.inOrderAs(run, each, array);
      Operand to = DeviceTemporaries.likeInOrder(run, each, array);
      apply(from.part(), to.part(), each.type());
      DeviceTemporaries.move(run, to, each);
    }
  }

  private void apply(RankPart from, RankPart to, DType type) {
    Buffer now = from.packed();
    try {
      for (Step step : steps) {
        long count =
            switch (step) {
              case Permuted(Operand places) -> places.layout().count();
              case Sent(ExchangePlan _, long received) -> received;
            };
        Buffer next = client.empty("elements in order", type.bytes(count));
        try {
          switch (step) {
            case Permuted(Operand places) -> {
              if (count > 0) {
                kernels.gather(next, now, places.buffer(), type, count);
              }
            }
            case Sent sent -> travel(sent, now, next, type);
          }
        } catch (RuntimeException | Error e) {
          next.close();
          throw e;
        }
        now.close();
        now = next;
      }
      if (now.bytes() > 0) {
        to.put(now);
      }
    } finally {
      now.close();
    }
  }

  /** Returns a new array of each value once. Collective. */
  public Operand unique(Operand like) {
    boolean floating = like.type().kind() == DType.Kind.FLOAT;
    long count = words.layout().count();
    DeviceValues values = DeviceValues.of(words, words);
    long[] ends = count == 0 ? new long[0] : sample(new int[] {0, (int) count - 1});
    long @Nullable [] before = null;
    long[][] all = run.gather(ends);
    for (int rank = run.rank() - 1; rank >= 0 && before == null; rank--) {
      before = all[rank].length == 0 ? null : new long[] {all[rank][1]};
    }
    // Without one before it, the first value is a new one.
    long last = before != null ? before[0] : count == 0 ? 0 : ~ends[0];
    Operand marks = DeviceTemporaries.longs(run, array, count);
    IntegerArray.Binary differs = (x, y) -> x == y ? 0 : 1;
    SelectionKernels.adjacent(marks, values, differs, last);
    try (Buffer places = client.empty("places of values", Long.BYTES * count)) {
      long once = SelectionKernels.places(array, DeviceValues.of(marks, marks), places, count);
      return Rearrange.made(
          run, like, once, made -> SelectionKernels.take(made, values.fromKeys(floating), places));
    }
  }
}
