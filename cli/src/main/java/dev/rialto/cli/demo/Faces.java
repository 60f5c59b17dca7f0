package dev.rialto.cli.demo;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The exchange of a block's outermost points with its neighbours.
 *
 * <p>Each face is described once, as a layout in the block's memory, and sent from there straight
 * into the neighbour's: nothing is packed. Between {@link #start} and {@link #await} the inner
 * points can be computed.
 */
final class Faces implements AutoCloseable {
  private final List<PersistentRequest> requests = new ArrayList<>();
  private final long bytes;

  Faces(Communicator comm, Block block, MemorySegment values) {
    long sum = 0;
    for (int axis = 0; axis < 3; axis++) {
      for (int direction : new int[] {-1, 1}) {
        int neighbor = block.neighbor(axis, direction);
        if (neighbor < 0) {
          continue;
        }
        int own = direction < 0 ? 1 : block.points(axis);
        // The neighbour sees the same face from the other side, so the tag names the face's axis
        // and the direction in which it travels.
        requests.add(
            comm.persistentReceive(
                values,
                block.plane(axis, own + direction),
                neighbor,
                2 * axis + (1 - direction) / 2));
        requests.add(
            comm.persistentSend(
                values, block.plane(axis, own), neighbor, 2 * axis + (1 + direction) / 2));
        sum += block.plane(axis, own).bytes();
      }
    }
    bytes = sum;
  }

  /** Returns the bytes sent by one exchange. */
  long bytes() {
    return bytes;
  }

  void start() {
    for (PersistentRequest request : requests) {
      request.start();
    }
  }

  void await() {
    for (PersistentRequest request : requests) {
      var _ = request.await();
    }
  }

  @Override
  public void close() {
    requests.forEach(PersistentRequest::close);
  }
}
