package dev.rialto.array.device;

import dev.rialto.array.algorithm.HostTemporaries;
import dev.rialto.array.part.ElementCopy;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.Movement;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.runtime.Buffer;
import java.lang.foreign.MemorySegment;

/** Copies between arrays of devices, and of devices and the host. */
public final class DeviceCopy {
  private DeviceCopy() {}

  /** Copies elements; at least one of the arrays is on a device. */
  public static ArrayOperation<Operand> copy(Operand in, Operand out) {
    in.requireStored("copying");
    return ArrayOperation.collective(
            "copy",
            run -> {
              if (Operands.isAligned(in, out)) {
                copyOwn(run, in, out);
              } else if (isEverywhere(run, isOnOneDevice(in, out))) {
                run.exchange(
                    out.client(), exchanger -> Movement.move(exchanger, in.part(), out.part()));
              } else {
                View from = in.isOnDevice() ? download(run, in) : in.view();
                View to =
                    out.isOnDevice()
                        ? HostTemporaries.temporary(run, out.type(), out.distribution())
                        : out.view();
                run.move(from, to);
                if (out.isOnDevice()) {
                  out.part().write(to.memory());
                }
              }
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out);
  }

  private static boolean isOnOneDevice(Operand in, Operand out) {
    return in.isOnDevice() && in.client().device() == out.client().device();
  }

  private static boolean isEverywhere(OperationRunner run, boolean here) {
    boolean all = true;
    for (long[] each : run.gather(here ? 1 : 0)) {
      all &= each[0] == 1;
    }
    return all;
  }

  private static void copyOwn(OperationRunner run, Operand in, Operand out) {
    if (out.layout().count() == 0 || in == out) {
      return;
    }
    if (isOnOneDevice(in, out)) {
      try (Buffer elements = in.part().packed()) {
        out.part().put(elements);
      }
    } else if (!in.isOnDevice() && in.layout().isDense()) {
      out.part().write(in.view().memory());
    } else if (!out.isOnDevice() && out.layout().isDense()) {
      in.part().read(out.view().memory());
    } else {
      MemorySegment elements = run.allocate(in.owned().bytes());
      ElementCopy.read(in, elements);
      ElementCopy.write(out, elements);
    }
  }

  /** Returns a copy of this rank's elements in the host's memory. */
  private static View download(OperationRunner run, Operand array) {
    View copy = HostTemporaries.temporary(run, array.type(), array.distribution());
    array.part().read(copy.memory());
    return copy;
  }
}
