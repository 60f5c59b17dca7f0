package dev.rialto.spi.device;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Operations among the devices of several ranks, in order with streams: no rank's host waits.
 *
 * <p>Made by {@link Device#collectives}. Every operation is added to a stream and returns at once;
 * all ranks add the same ones in the same order. Buffers are memory that the device reaches, stay
 * the caller's and must live until the stream has passed. A failure, a peer's too, is raised here
 * by a later call or when the stream is synchronized. Used by one thread at a time.
 */
public interface DeviceCollectives extends AutoCloseable {
  /**
   * The sum divided by the number of ranks, of floating-point elements. Communicators do not have
   * it: it is not associative, so it cannot be had by combining two elements at a time.
   */
  ReduceOp MEAN =
      ReduceOp.user(
          "MEAN",
          true,
          (_, _, _, _) -> {
            throw new UnsupportedOperationException(
                "MEAN is for groups of devices; combine by SUM and divide by the ranks");
          });

  /** Returns a name for messages, such as {@code nccl}. */
  String name();

  /** Returns this rank's number. */
  int rank();

  /** Returns the number of ranks. */
  int size();

  /** Returns whether elements of a type can be combined by an operation. */
  boolean supports(DType type, ReduceOp op);

  /** Combines the elements of all ranks; {@code from} may be {@code to}. */
  void allReduce(
      MemorySegment from, MemorySegment to, DType type, long count, ReduceOp op, Stream stream);

  /** Combines the elements of all ranks at one; {@code to} is written there alone. */
  void reduce(
      MemorySegment from,
      MemorySegment to,
      DType type,
      long count,
      ReduceOp op,
      int root,
      Stream stream);

  /** Combines {@code count} elements for each rank, which gets its own. */
  void reduceScatter(
      MemorySegment from, MemorySegment to, DType type, long count, ReduceOp op, Stream stream);

  /** Gives all ranks the elements of one. */
  void broadcast(MemorySegment buffer, DType type, long count, int root, Stream stream);

  /** Gives all ranks {@code count} elements of each. */
  void allGather(MemorySegment from, MemorySegment to, DType type, long count, Stream stream);

  /** Sends and receives at the same time, so that no order makes ranks wait for one another. */
  void exchange(List<Message> sends, List<Message> receives, Stream stream);

  /**
   * A message to or from a rank; between two ranks they match in the order of the lists.
   *
   * @param peer the other rank; may be this one
   * @param address where its bytes are
   * @param bytes how many
   */
  record Message(int peer, long address, long bytes) {}

  /** Ends this, when the streams that use it have passed. Collective. */
  @Override
  void close();
}
