package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.Nccl;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.parts.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Collectives among GPUs by NCCL, whose ranks get to know one another over any communicator.
 *
 * <p>NCCL takes one rank per GPU. Ranks that share one are found out before NCCL is asked, since it
 * would tell only some of them.
 */
final class NcclCollectives implements DeviceCollectives {
  private final Nccl library;
  private final CudaDevice device;
  private final int rank;
  private final int size;
  private final long comm;
  private boolean failed;
  private boolean closed;

  private NcclCollectives(Nccl library, CudaDevice device, int rank, int size, long comm) {
    this.library = library;
    this.device = device;
    this.rank = rank;
    this.size = size;
    this.comm = comm;
  }

  /** Connects the GPUs of all ranks of a communicator; collective. */
  static NcclCollectives connect(CudaDevice device, Communicator over) {
    try (Arena arena = Arena.ofConfined()) {
      requireApart(device, over, arena);
      Nccl library = Nccl.find().orElseThrow();
      MemorySegment id = arena.allocate(Nccl.ID_BYTES);
      if (over.rank() == 0) {
        MemorySegment.copy(library.uniqueId(), 0, id, JAVA_BYTE, 0, Nccl.ID_BYTES);
      }
      over.broadcast(id, DType.I8, Nccl.ID_BYTES, 0);
      device.context().enter();
      long comm = library.connect(id.toArray(JAVA_BYTE), over.rank(), over.size());
      return new NcclCollectives(library, device, over.rank(), over.size(), comm);
    } catch (Nccl.NcclFailure e) {
      throw failure(e, over.rank(), over.size());
    }
  }

  /**
   * Two ranks on one GPU of one node tell the same two numbers: its UUID's. Whether NCCL is there
   * is told, too, since the others would wait for a rank that leaves.
   */
  private static void requireApart(CudaDevice device, Communicator over, Arena arena) {
    long[] uuidHere = Driver.uuid(device.context().device());
    MemorySegment mine =
        arena.allocateFrom(JAVA_LONG, uuidHere[0], uuidHere[1], Nccl.find().isPresent() ? 1 : 0);
    MemorySegment all = arena.allocate(JAVA_LONG, 3L * over.size());
    over.allGather(mine, all, DType.I64, 3);
    Set<List<Long>> seen = new HashSet<>();
    for (int i = 0; i < over.size(); i++) {
      if (all.getAtIndex(JAVA_LONG, 3L * i + 2) == 0) {
        throw new UnsupportedOperationException("rank " + i + ": " + Nccl.MISSING);
      }
      List<Long> uuid =
          List.of(all.getAtIndex(JAVA_LONG, 3L * i), all.getAtIndex(JAVA_LONG, 3L * i + 1));
      if (!seen.add(uuid)) {
        throw new CommunicationException(
            "rank " + i + " has the GPU of another rank, and NCCL takes one rank per GPU",
            "rank " + over.rank() + " of " + over.size(),
            "give each rank a GPU, or let ranks that share one use the scheme shared",
            null);
      }
    }
  }

  private static CommunicationException failure(RuntimeException e, int rank, int size) {
    return new CommunicationException(
        "NCCL: " + e.getMessage(), "rank " + rank + " of " + size, "NCCL_DEBUG=INFO tells more", e);
  }

  @Override
  public String name() {
    return "nccl";
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean supports(DType type, ReduceOp op) {
    return Nccl.type(type).isPresent() && Nccl.operation(op).isPresent();
  }

  private void add(Stream stream, DeviceStream.Work work) {
    if (closed) {
      throw new IllegalStateException("these collectives are closed");
    }
    try {
      library.checkEarlier(comm);
    } catch (Nccl.NcclFailure e) {
      failed = true;
      throw failure(e, rank, size);
    }
    CudaStream.require(stream)
        .submit(
            CudaStream.label(stream),
            handle -> {
              try {
                work.submit(handle);
              } catch (Nccl.NcclFailure e) {
                failed = true;
                throw failure(e, rank, size);
              }
            });
  }

  private static int operation(DType type, ReduceOp op) {
    return Nccl.operation(op)
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "NCCL has no %s of %s; it has sums, products, means, min and max"
                        .formatted(op.label(), type)));
  }

  private static int number(DType type) {
    return Nccl.type(type)
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "NCCL does not combine " + type + "; combine its parts"));
  }

  @Override
  public void allReduce(
      MemorySegment from, MemorySegment to, DType type, long count, ReduceOp op, Stream stream) {
    int number = number(type);
    int operation = operation(type, op);
    long a = from.address();
    long b = to.address();
    add(stream, handle -> library.allReduce(a, b, count, number, operation, comm, handle));
  }

  @Override
  public void reduce(
      MemorySegment from,
      MemorySegment to,
      DType type,
      long count,
      ReduceOp op,
      int root,
      Stream stream) {
    int number = number(type);
    int operation = operation(type, op);
    long a = from.address();
    long b = to.address();
    add(stream, handle -> library.reduce(a, b, count, number, operation, root, comm, handle));
  }

  @Override
  public void reduceScatter(
      MemorySegment from, MemorySegment to, DType type, long count, ReduceOp op, Stream stream) {
    int number = number(type);
    int operation = operation(type, op);
    long a = from.address();
    long b = to.address();
    add(stream, handle -> library.reduceScatter(a, b, count, number, operation, comm, handle));
  }

  @Override
  public void broadcast(MemorySegment buffer, DType type, long count, int root, Stream stream) {
    long a = buffer.address();
    add(stream, handle -> library.broadcast(a, type.bytes(count), 0, root, comm, handle));
  }

  @Override
  public void allGather(
      MemorySegment from, MemorySegment to, DType type, long count, Stream stream) {
    long a = from.address();
    long b = to.address();
    add(stream, handle -> library.allGather(a, b, type.bytes(count), 0, comm, handle));
  }

  @Override
  public void exchange(List<Message> sends, List<Message> receives, Stream stream) {
    List<Message> out = List.copyOf(sends);
    List<Message> in = List.copyOf(receives);
    add(
        stream,
        handle ->
            library.group(
                comm,
                () -> {
                  for (Message m : out) {
                    library.send(m.address(), m.bytes(), m.peer(), comm, handle);
                  }
                  for (Message m : in) {
                    library.receive(m.address(), m.bytes(), m.peer(), comm, handle);
                  }
                }));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      device.context().enter();
      library.disconnect(comm, failed);
    }
  }
}
