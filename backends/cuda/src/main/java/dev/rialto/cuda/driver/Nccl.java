package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** NVIDIA's library of collectives among GPUs, with Java's types; handles are {@code long}. */
public final class Nccl {
  /** The bytes of what ranks get to know one another by. */
  public static final int ID_BYTES = 128;

  /** The reason for which NCCL cannot be used here, for messages. */
  public static final String MISSING =
      LibrarySearch.here().name(InstalledLibrary.NCCL)
          + " not found; install NCCL, or name the folder of its library with"
          + " RIALTO_CUDA_HOME or LD_LIBRARY_PATH";

  private static final int IN_PROGRESS = 7;

  /** In the order of the library's numbers. */
  private static final List<ReduceOp> OPERATIONS =
      List.of(ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MAX, ReduceOp.MIN, DeviceCollectives.MEAN);

  private static final class Found {
    static final Optional<Nccl> LIBRARY = LibrarySearch.open(InstalledLibrary.NCCL).map(Nccl::new);
  }

  private final OpenLibrary library;
  private final MethodHandle version;
  private final MethodHandle uniqueId;
  private final MethodHandle initRank;
  private final MethodHandle destroy;
  private final MethodHandle abort;
  private final MethodHandle errorString;
  private final MethodHandle lastError;
  private final MethodHandle asyncError;
  private final MethodHandle allReduce;
  private final MethodHandle reduce;
  private final MethodHandle reduceScatter;
  private final MethodHandle broadcast;
  private final MethodHandle allGather;
  private final MethodHandle send;
  private final MethodHandle receive;
  private final MethodHandle groupStart;
  private final MethodHandle groupEnd;

  private Nccl(OpenLibrary library) {
    this.library = library;
    MemoryLayout id = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(ID_BYTES, JAVA_BYTE));
    version = of("ncclGetVersion", ADDRESS);
    uniqueId = of("ncclGetUniqueId", ADDRESS);
    initRank = of("ncclCommInitRank", ADDRESS, JAVA_INT, id, JAVA_INT);
    destroy = of("ncclCommDestroy", JAVA_LONG);
    abort = of("ncclCommAbort", JAVA_LONG);
    errorString = library.function("ncclGetErrorString", FunctionDescriptor.of(ADDRESS, JAVA_INT));
    lastError = library.function("ncclGetLastError", FunctionDescriptor.of(ADDRESS, JAVA_LONG));
    asyncError = of("ncclCommGetAsyncError", JAVA_LONG, ADDRESS);
    allReduce = reducing("ncclAllReduce");
    reduceScatter = reducing("ncclReduceScatter");
    reduce =
        of(
            "ncclReduce",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG);
    broadcast = reducing("ncclBroadcast");
    allGather =
        of("ncclAllGather", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    send = of("ncclSend", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    receive = of("ncclRecv", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    groupStart = of("ncclGroupStart");
    groupEnd = of("ncclGroupEnd");
  }

  /** Two buffers, a count, a type, a number, the communicator and the stream. */
  private MethodHandle reducing(String name) {
    return of(name, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  }

  private MethodHandle of(String name, MemoryLayout... parameters) {
    return library.function(name, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  /** Returns the library, if it is installed. */
  public static Optional<Nccl> find() {
    return Found.LIBRARY;
  }

  public String path() {
    return library.path();
  }

  public String version() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      check(0, (int) version.invokeExact(number), "asking NCCL's version");
      int all = number.get(JAVA_INT, 0);
      return all / 10000 + "." + all / 100 % 100 + "." + all % 100;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Makes what the ranks of one communicator share, at one of them. */
  public byte[] uniqueId() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment id = arena.allocate(ID_BYTES);
      check(0, (int) uniqueId.invokeExact(id), "beginning a communicator");
      return id.toArray(JAVA_BYTE);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Makes a communicator for the GPU of the thread's context; waits for all ranks. */
  public long connect(byte[] id, int rank, int size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      MemorySegment shared = arena.allocateFrom(JAVA_BYTE, id);
      check(
          0,
          (int) initRank.invokeExact(out, size, shared, rank),
          "connecting rank " + rank + " of " + size);
      return out.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void disconnect(long comm, boolean failed) {
    try {
      check(
          0,
          failed ? (int) abort.invokeExact(comm) : (int) destroy.invokeExact(comm),
          "closing a communicator");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Raises what has gone wrong in earlier operations. */
  public void checkEarlier(long comm) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment code = arena.allocate(JAVA_INT);
      check(comm, (int) asyncError.invokeExact(comm, code), "asking for failures");
      int earlier = code.get(JAVA_INT, 0);
      if (earlier != IN_PROGRESS) {
        check(comm, earlier, "an earlier operation");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void allReduce(long from, long to, long count, int type, int op, long comm, long stream) {
    try {
      check(
          comm, (int) allReduce.invokeExact(from, to, count, type, op, comm, stream), "all-reduce");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void reduceScatter(
      long from, long to, long count, int type, int op, long comm, long stream) {
    try {
      check(
          comm,
          (int) reduceScatter.invokeExact(from, to, count, type, op, comm, stream),
          "reduce-scatter");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void reduce(
      long from, long to, long count, int type, int op, int root, long comm, long stream) {
    try {
      check(
          comm, (int) reduce.invokeExact(from, to, count, type, op, root, comm, stream), "reduce");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void broadcast(long buffer, long count, int type, int root, long comm, long stream) {
    try {
      check(
          comm,
          (int) broadcast.invokeExact(buffer, buffer, count, type, root, comm, stream),
          "broadcast");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void allGather(long from, long to, long count, int type, long comm, long stream) {
    try {
      check(comm, (int) allGather.invokeExact(from, to, count, type, comm, stream), "all-gather");
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Adds operations as one, so that their order does not matter. */
  public void group(long comm, Runnable operations) {
    try {
      check(comm, (int) groupStart.invokeExact(), "beginning a group");
      try {
        operations.run();
      } finally {
        check(comm, (int) groupEnd.invokeExact(), "ending a group");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void send(long from, long bytes, int peer, long comm, long stream) {
    try {
      check(comm, (int) send.invokeExact(from, bytes, 0, peer, comm, stream), "sending to " + peer);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public void receive(long to, long bytes, int peer, long comm, long stream) {
    try {
      check(
          comm,
          (int) receive.invokeExact(to, bytes, 0, peer, comm, stream),
          "receiving from " + peer);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Returns the library's number of a type; empty if it adds no such elements. */
  public static OptionalInt type(DType type) {
    return switch (type) {
      case I8 -> OptionalInt.of(0);
      case I32 -> OptionalInt.of(2);
      case I64 -> OptionalInt.of(4);
      case F16 -> OptionalInt.of(6);
      case F32 -> OptionalInt.of(7);
      case F64 -> OptionalInt.of(8);
      case BF16 -> OptionalInt.of(9);
      case C64, C128, I16, U8, U16, U32, U64 -> OptionalInt.empty();
    };
  }

  /** Returns the library's number of an operation; empty if it has no such one. */
  public static OptionalInt operation(ReduceOp op) {
    int place = OPERATIONS.indexOf(op);
    return place < 0 ? OptionalInt.empty() : OptionalInt.of(place);
  }

  private void check(long comm, int code, String what) {
    if (code != 0) {
      throw new NcclFailure(what + " failed: " + text(errorString, code) + details(comm));
    }
  }

  /** Returns the library's own words on its last error. */
  private String details(long comm) {
    try {
      MemorySegment words = (MemorySegment) lastError.invokeExact(comm);
      String text = words.address() == 0 ? "" : string(words).strip();
      return text.isEmpty() ? "" : " (" + text + ")";
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static String text(MethodHandle function, int code) {
    try {
      return string((MemorySegment) function.invokeExact(code));
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  @SuppressWarnings("restricted")
  private static String string(MemorySegment text) {
    return text.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static RuntimeException unchecked(Throwable e) {
    return switch (e) {
      case RuntimeException known -> known;
      case Error error -> throw error;
      default -> new IllegalStateException("native code throws nothing", e);
    };
  }

  /** The library's reason for a failure; the caller adds the rank. */
  public static final class NcclFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    NcclFailure(String message) {
      super(message);
    }
  }
}
