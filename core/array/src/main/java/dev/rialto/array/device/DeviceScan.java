package dev.rialto.array.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.algorithm.Scan;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.runtime.Buffer;
import java.lang.foreign.MemorySegment;

/** Scans on a device: totals of tiles there, their scan on the host, and then that of each tile. */
public final class DeviceScan {
  private static final long[] NOTHING = {};

  private DeviceScan() {}

  /** Scans; see {@link Scan#of}. */
  public static ArrayOperation<Operand> scan(
      Operand in, Operand out, Combination combination, long... initial) {
    String name = initial.length > 0 ? "exclusiveScan" : "inclusiveScan";
    Operands.requireOneDevice(name, out, in);
    Object op = combination.function();
    DeviceValues.Words function = DeviceValues.words(op);
    return ArrayOperation.collective(
            name,
            run -> {
              Operand from = DeviceTemporaries.inOrder(run, in);
              Operand to = DeviceTemporaries.likeInOrder(run, out, from);
              long[] totals = totals(from, op);
              long[] own = NOTHING;
              for (long each : totals) {
                own = new long[] {own.length == 0 ? each : function.of(own[0], each)};
              }
              long[] before = initial;
              long[][] all = run.gather(own);
              for (int rank = 0; rank < run.rank(); rank++) {
                if (before.length == 0) {
                  before = all[rank].clone();
                } else if (all[rank].length > 0) {
                  before = new long[] {function.of(before[0], all[rank][0])};
                }
              }
              tiles(from, to, op, before, initial.length > 0, totals);
              DeviceTemporaries.move(run, to, out);
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out, combination, initial.length);
  }

  /** Returns what the elements of each tile are combined into. */
  private static long[] totals(Operand in, Object op) {
    long count = in.layout().count();
    long tiles = ScanKernels.tiles(count);
    if (tiles == 0) {
      return NOTHING;
    }
    try (Buffer results = in.client().empty("totals of a scan", 8 * tiles)) {
      DeviceElementwise.kernels(in)
          .tiles(DeviceValues.of(in, in), op)
          .launch(tiles * DeviceKernels.BLOCK, results, count);
      return in.client().read(results).toArray(JAVA_LONG);
    }
  }

  private static void tiles(
      Operand in, Operand out, Object op, long[] before, boolean exclusive, long[] totals) {
    if (totals.length == 0) {
      return;
    }
    DeviceValues.Words function = DeviceValues.words(op);
    long[] carries = new long[totals.length];
    long[] carry = before;
    for (int tile = 0; tile < totals.length; tile++) {
      carries[tile] = carry.length == 0 ? 0 : carry[0];
      carry = new long[] {carry.length == 0 ? totals[0] : function.of(carry[0], totals[tile])};
    }
    try (Buffer starts = out.client().create(MemorySegment.ofArray(carries))) {
      DeviceElementwise.kernels(out)
          .scan(out, DeviceValues.of(in, out), op, exclusive)
          .launch(
              (long) carries.length * DeviceKernels.BLOCK,
              out.buffer(),
              starts,
              before.length == 0 ? 1L : 0L,
              out.layout().count());
    }
  }
}
