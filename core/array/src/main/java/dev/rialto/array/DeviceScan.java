package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.runtime.Buffer;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/** Scans on a device: totals of tiles there, their scan on the host, and then that of each tile. */
final class DeviceScan {
  private static final long[] NOTHING = {};

  private DeviceScan() {}

  /** Scans; see {@link Scan#of}. */
  static ArrayOperation<Array> scan(Array in, Array out, Combination combination, long... initial) {
    String name = initial.length > 0 ? "exclusiveScan" : "inclusiveScan";
    OnDevice.require(name, out, in);
    Array.requireApart(in, out);
    if (!combination.commutative()) {
      throw out.notOnDevice(name + " with " + combination + " of " + out);
    }
    if (!in.isInOrder() || !out.isInOrder()) {
      Array other = in.isInOrder() ? out : in;
      throw out.notOnDevice(name + " of " + other + ", which is not in order");
    }
    Elements words = DeviceReduce.words(out.type());
    long[] identity = combination.identity(Elements.of(out.type()));
    // Nothing, added to any number, leaves it as it is: 0.0 and -0.0 give 0.0.
    long neutral =
        words.isFloating() && combination.named() == ReduceOp.Builtin.SUM
            ? Double.doubleToRawLongBits(-0.0)
            : identity[0];
    Folding folding = new Folding(combination, words, null, null);
    return ArrayOperation.collective(
            out.team(),
            name,
            run -> {
              long[] totals = totals(in, combination, neutral);
              long[] own = folding.ofRanks(run, rows(totals), totals.length).clone();
              long[][] all = run.gather(own);
              long[] before = folding.ofRanks(run, all, run.rank());
              if (initial.length > 0) {
                before =
                    before.length == 0
                        ? initial
                        : folding.ofRanks(run, new long[][] {initial, before}, 2);
              }
              if (before.length == 0) {
                before = new long[] {neutral};
              }
              carry(totals, before[0], DeviceValues.words(combination.function()));
              tiles(in, out, combination, neutral, initial.length > 0, totals);
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out, combination, initial.length)
        .anywhere();
  }

  private static long[][] rows(long[] words) {
    long[][] rows = new long[words.length][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new long[] {words[i]};
    }
    return rows;
  }

  /** Returns what the elements of each tile are combined into. */
  private static long[] totals(Array in, Combination combination, long neutral) {
    int tiles = Math.toIntExact((in.part().count() + ScanKernels.TILE - 1) / ScanKernels.TILE);
    if (tiles == 0) {
      return NOTHING;
    }
    try (Buffer results = in.client().empty("totals of a scan", 8L * tiles)) {
      OnDevice.kernels(in)
          .tiles(DeviceValues.of(in, in), combination.function(), neutral)
          .launch((long) tiles * DeviceKernels.BLOCK, results, in.part().count());
      return in.client().read(results).toArray(JAVA_LONG);
    }
  }

  /** Replaces each word by the combination of those before it. */
  private static void carry(long[] words, long first, DeviceValues.Words operator) {
    long carry = first;
    for (int i = 0; i < words.length; i++) {
      long own = words[i];
      words[i] = carry;
      carry = operator.of(carry, own);
    }
  }

  private static void tiles(
      Array in, Array out, Combination combination, long neutral, boolean before, long[] carries) {
    if (carries.length == 0) {
      return;
    }
    try (Buffer starts = out.client().create(MemorySegment.ofArray(carries))) {
      OnDevice.kernels(out)
          .scan(out, DeviceValues.of(in, out), combination.function(), neutral, before)
          .launch(
              (long) carries.length * DeviceKernels.BLOCK,
              out.buffer(),
              starts,
              out.part().count());
    }
  }
}
