package dev.rialto.spi.code;

import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Compiled procedures, ready to be called. Thread-safe. */
public interface Code extends AutoCloseable {
  /**
   * Gives a procedure its buffers. The body may be called from any thread, allocates nothing and
   * checks nothing; it must not be called once this code or a buffer is closed.
   *
   * @param procedure its place in the unit
   * @param buffers native memory, one segment per parameter, in order
   * @throws IllegalArgumentException if buffers are more or fewer than the parameters, on the heap,
   *     or too small
   */
  RangeBody bind(int procedure, List<MemorySegment> buffers);

  /**
   * Gives a procedure of a target with {@link CodeTarget#devices} its buffers. Calling the body
   * adds a launch over the part to the stream and returns; buffers are as for {@link #bind(int,
   * List)}, but in the memory of the stream's device; those that are passed by value are arrays of
   * Java's.
   *
   * @throws UnsupportedOperationException if the code is called by the host's threads
   */
  default RangeBody bind(int procedure, List<MemorySegment> buffers, Stream stream) {
    throw new UnsupportedOperationException(
        "this code is called by the host's threads and not launched on a stream");
  }

  /** Gives the code back. Closing again does nothing. */
  @Override
  void close();

  /**
   * Checks what {@link #bind} is given.
   *
   * @throws IllegalArgumentException as {@link #bind} does
   */
  static void check(Procedure procedure, List<MemorySegment> buffers) {
    procedure.requireOneEach(buffers);
    for (int i = 0; i < buffers.size(); i++) {
      Buffer parameter = procedure.parameters().get(i);
      long bytes = parameter.elements() * parameter.storage().bytes();
      if (!buffers.get(i).isNative() || buffers.get(i).byteSize() < bytes) {
        throw new IllegalArgumentException(
            "procedure %s needs %s bytes of native memory for %s, but was given %s"
                .formatted(procedure.name(), bytes, parameter.name(), buffers.get(i)));
      }
    }
  }
}
