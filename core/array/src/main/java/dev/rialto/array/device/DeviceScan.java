package dev.rialto.array.device;

import dev.rialto.array.algorithm.Scan;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.runtime.Buffer;

/**
 * Scans on a device: each element is read once if there is one rank. Others first combine their
 * elements, so that those behind know what comes before theirs.
 */
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
              boolean last = run.rank() == run.ranks() - 1;
              long[][] all =
                  run.gather(
                      last ? NOTHING : DeviceReduce.inOrder(from, DeviceValues.of(from, from), op));
              long[] before = initial;
              for (int rank = 0; rank < run.rank(); rank++) {
                if (before.length == 0) {
                  before = all[rank].clone();
                } else if (all[rank].length > 0) {
                  before = new long[] {function.of(before[0], all[rank][0])};
                }
              }
              ofRank(from, to, op, before, initial.length > 0);
              DeviceTemporaries.move(run, to, out);
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out, combination, initial.length);
  }

  private static void ofRank(Operand in, Operand out, Object op, long[] before, boolean exclusive) {
    long count = out.layout().count();
    if (count == 0) {
      return;
    }
    boolean narrow = in.type() == out.type() && DeviceValues.areNarrow(in);
    long tiles = ScanKernels.tiles(count, narrow);
    long words = LookBack.words(tiles);
    try (Buffer left = out.client().empty("totals of a scan", 8 * words)) {
      DeviceKernels kernels = DeviceElementwise.kernels(out);
      kernels.zeros().launch(words, left);
      kernels
          .scan(out, DeviceValues.of(in, out), op, exclusive, narrow)
          .launch(
              tiles * DeviceKernels.BLOCK,
              out.buffer(),
              left,
              before.length == 0 ? 0L : before[0],
              before.length == 0 ? 1L : 0L,
              count);
    }
  }
}
