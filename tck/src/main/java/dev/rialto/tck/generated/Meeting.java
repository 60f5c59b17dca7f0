package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** A barrier made of messages, with a tag that no script uses. */
public final class Meeting {
  public static final int TAG = 32767;

  private Meeting() {}

  public static void of(Communicator comm) {
    MemorySegment none = MemorySegment.NULL;
    for (int step = 1; step < comm.size(); step *= 2) {
      int target = (comm.rank() + step) % comm.size();
      int source = (comm.rank() - step + comm.size()) % comm.size();
      comm.sendReceive(none, 0, target, TAG, none, 0, source, TAG, DType.I8);
    }
  }
}
