package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.world.MpiCommunicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a request's message, as the library takes them.
 *
 * @param memory what the library reads or writes: the caller's buffer, or a copy of it
 * @param staging the loaded copy, if messages are staged
 * @param start where the elements start in the memory, in bytes
 * @param count how many of the library's datatype there are
 * @param datatype the library's datatype
 * @param type the type of the elements
 * @param bytes the bytes of the elements
 */
record Payload(
    MemorySegment memory,
    @Nullable StagedMessage staging,
    long start,
    int count,
    long datatype,
    DType type,
    long bytes) {

  /** Returns elements without gaps. */
  static Payload of(MemorySegment buffer, DType type, long bytes) {
    StagedMessage staging = staged(buffer, bytes, action -> action.take(0, bytes));
    return of(buffer, staging, 0, Datatypes.count(bytes), Datatypes.ofBytes(bytes), type, bytes);
  }

  /** Returns what a layout names. */
  static Payload of(MemorySegment buffer, Layout layout) {
    StagedMessage staging =
        staged(buffer, layout.span(), action -> layout.forEachRun(action::take));
    return of(
        buffer,
        staging,
        Datatypes.start(layout),
        1,
        Datatypes.of(layout),
        layout.type(),
        layout.bytes());
  }

  private static Payload of(
      MemorySegment buffer,
      @Nullable StagedMessage staging,
      long start,
      int count,
      long datatype,
      DType type,
      long bytes) {
    MemorySegment used = staging == null ? buffer : staging.memory();
    return new Payload(used, staging, start, count, datatype, type, bytes);
  }

  private static @Nullable StagedMessage staged(
      MemorySegment buffer, long bytes, StagedMessage.Parts parts) {
    // Memory of a GPU, which some libraries take, cannot be copied here.
    if (!StagedMessage.ON || bytes == 0 || MpiCommunicator.takesGpuMemory()) {
      return null;
    }
    StagedMessage staging = new StagedMessage(buffer, bytes, parts);
    staging.load();
    return staging;
  }

  /** Returns where the library finds the first element. */
  long address() {
    return memory.address() + start;
  }
}
