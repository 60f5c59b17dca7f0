package dev.rialto.mpi.window;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The places of all ranks' memory of a window.
 *
 * @param bytes how many each rank has
 * @param starts how far behind the library's start each rank's begin
 */
@SuppressWarnings("ArrayRecordComponent") // Only handed on; never compared.
record WindowPlaces(long[] bytes, long[] starts) {
  /** Tells all ranks where this one's memory is. Collective. */
  static WindowPlaces tell(MpiGroup group, Collectives collectives, long bytes, long start) {
    int size = group.size();
    WindowPlaces places = new WindowPlaces(new long[size], new long[size]);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(JAVA_LONG, 2L * size);
      // No rank gets past this before all have zeroed their memory: it takes something from each.
      collectives.allGather(arena.allocateFrom(JAVA_LONG, bytes, start), all, DType.I64, 2);
      for (int i = 0; i < size; i++) {
        places.bytes[i] = all.getAtIndex(JAVA_LONG, 2L * i);
        places.starts[i] = all.getAtIndex(JAVA_LONG, 2L * i + 1);
      }
    }
    return places;
  }
}
