package dev.rialto.array;

import dev.rialto.runtime.Buffer;
import java.lang.foreign.MemorySegment;

/** Copies between arrays of devices, and of devices and the host. */
final class DeviceCopy {
  private DeviceCopy() {}

  /** Copies elements; at least one of the arrays is on a device. */
  static ArrayOperation<Array> copy(Array in, Array out) {
    in.requireStored("copying");
    return ArrayOperation.collective(
            out.team(),
            "copy",
            run -> {
              if (in.isAlignedWith(out)) {
                copyOwn(run, in, out);
              } else if (isEverywhere(run, isOnOneDevice(in, out))) {
                run.exchange(
                    out.client(), exchanger -> Movement.move(exchanger, in.held(), out.held()));
              } else {
                View from = in.isOnDevice() ? download(run, in) : in.view();
                View to =
                    out.isOnDevice()
                        ? View.temporary(run, out.type(), out.distribution())
                        : out.view();
                run.move(from, to);
                if (out.isOnDevice()) {
                  out.held().write(to.memory());
                }
              }
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out);
  }

  private static boolean isOnOneDevice(Array in, Array out) {
    return in.isOnDevice() && in.client().device() == out.client().device();
  }

  private static boolean isEverywhere(OperationRunner run, boolean here) {
    boolean all = true;
    for (long[] each : run.gather(here ? 1 : 0)) {
      all &= each[0] == 1;
    }
    return all;
  }

  private static void copyOwn(OperationRunner run, Array in, Array out) {
    if (out.part().count() == 0 || in == out) {
      return;
    }
    if (isOnOneDevice(in, out)) {
      try (Buffer elements = in.held().packed()) {
        out.held().put(elements);
      }
    } else if (!in.isOnDevice() && in.part().isDense()) {
      out.held().write(in.view().memory());
    } else if (!out.isOnDevice() && out.part().isDense()) {
      in.held().read(out.view().memory());
    } else {
      MemorySegment elements = run.allocate(in.owned().bytes());
      in.copyTo(elements);
      out.copyFrom(elements);
    }
  }

  /** Returns a copy of this rank's elements in the host's memory. */
  private static View download(OperationRunner run, Array array) {
    View copy = View.temporary(run, array.type(), array.distribution());
    array.held().read(copy.memory());
    return copy;
  }
}
