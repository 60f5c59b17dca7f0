package dev.rialto.tck.plain;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntToLongFunction;

/**
 * {@link DeviceCollectives} among ranks of one process.
 *
 * <p>Everything is messages, which find one another by their number between two ranks. That is
 * given when they are added, so that operations of different streams do not mix. An operation holds
 * up its stream and no other until the other ranks' streams have come to it. Elements of
 * floating-point types are combined, in the order of ranks.
 */
final class PlainCollectives implements DeviceCollectives {
  private static final int PATIENCE_SECONDS = 60;
  private static final Map<ReduceOp, DoubleBinaryOperator> OPERATIONS =
      Map.of(
          ReduceOp.SUM,
          Double::sum,
          ReduceOp.PRODUCT,
          (a, b) -> a * b,
          ReduceOp.MIN,
          Math::min,
          ReduceOp.MAX,
          Math::max,
          MEAN,
          Double::sum);

  private static final AtomicLong NAMES = new AtomicLong();

  /** The messages that ranks have put down for others, by the communicator's name. */
  private static final ConcurrentHashMap<Slot, CompletableFuture<Parcel>> MAIL =
      new ConcurrentHashMap<>();

  private final int rank;
  private final int size;
  private final long name;
  private final long[] sent;
  private final long[] received;

  private record Slot(long name, int from, int to, long number) {}

  private record Parcel(Message message, CompletableFuture<Boolean> taken) {}

  /** A message and where it meets the other rank. */
  private record Posted(Slot slot, Message message) {}

  private PlainCollectives(int rank, int size, long name) {
    this.rank = rank;
    this.size = size;
    this.name = name;
    this.sent = new long[size];
    this.received = new long[size];
  }

  /** Connects the ranks of a communicator; collective. */
  static PlainCollectives connect(Communicator over) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine =
          arena.allocateFrom(JAVA_LONG, ProcessHandle.current().pid(), NAMES.incrementAndGet());
      MemorySegment all = arena.allocate(JAVA_LONG, 2L * over.size());
      over.allGather(mine, all, DType.I64, 2);
      for (int i = 0; i < over.size(); i++) {
        if (all.getAtIndex(JAVA_LONG, 2L * i) != all.getAtIndex(JAVA_LONG, 0)) {
          throw new CommunicationException(
              "rank " + i + " is another process than rank 0",
              "rank " + over.rank() + " of " + over.size(),
              "connect ranks that are threads of one",
              null);
        }
      }
      return new PlainCollectives(over.rank(), over.size(), all.getAtIndex(JAVA_LONG, 1));
    }
  }

  @Override
  public String name() {
    return "plain";
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
    return type.kind() == DType.Kind.FLOAT && OPERATIONS.containsKey(op);
  }

  // --- Messages ---------------------------------------------------------------------------------

  @Override
  public void exchange(List<Message> sends, List<Message> receives, Stream stream) {
    List<Posted> out = outgoing(sends);
    List<Posted> in = incoming(receives);
    stream.run(() -> carry(out, in));
  }

  private List<Posted> outgoing(List<Message> sends) {
    return sends.stream()
        .map(m -> new Posted(new Slot(name, rank, m.peer(), sent[m.peer()]++), m))
        .toList();
  }

  private List<Posted> incoming(List<Message> receives) {
    return receives.stream()
        .map(m -> new Posted(new Slot(name, m.peer(), rank, received[m.peer()]++), m))
        .toList();
  }

  private static CompletableFuture<Parcel> mail(Slot slot) {
    return MAIL.computeIfAbsent(slot, _ -> new CompletableFuture<>());
  }

  private void carry(List<Posted> out, List<Posted> in) {
    List<Parcel> parcels = new ArrayList<>();
    for (Posted each : out) {
      Parcel parcel = new Parcel(each.message, new CompletableFuture<>());
      parcels.add(parcel);
      mail(each.slot).complete(parcel);
    }
    for (Posted each : in) {
      Parcel parcel = await(mail(each.slot), each.slot);
      MAIL.remove(each.slot);
      long bytes = each.message.bytes();
      if (parcel.message.bytes() != bytes) {
        throw new MismatchException(
            parcel.message.bytes() + " bytes came for a message of " + bytes,
            each.slot.toString(),
            "send as many as are received",
            null);
      }
      MemorySegment.copy(
          at(parcel.message.address(), bytes), 0, at(each.message.address(), bytes), 0, bytes);
      parcel.taken.complete(true);
    }
    for (int i = 0; i < parcels.size(); i++) {
      await(parcels.get(i).taken, out.get(i).slot);
    }
  }

  private static MemorySegment at(long address, long bytes) {
    return PlainDevice.seen(MemorySegment.ofAddress(address), bytes);
  }

  private static <T> T await(CompletableFuture<T> other, Slot slot) {
    try {
      return other.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new TimeoutException(
          "the other rank did not come within " + PATIENCE_SECONDS + " s",
          slot.toString(),
          "add the same operations on all ranks",
          e);
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(slot + " was broken off", e);
    }
  }

  // --- Collectives ------------------------------------------------------------------------------

  /** Gives each rank something and uses what they all gave, side by side. */
  private void collect(
      IntToLongFunction addresses, long bytes, Stream stream, Consumer<MemorySegment> use) {
    List<Message> sends = new ArrayList<>();
    for (int peer = 0; peer < size; peer++) {
      sends.add(new Message(peer, addresses.applyAsLong(peer), bytes));
    }
    List<Posted> out = outgoing(sends);
    List<Posted> in = incoming(sends);
    stream.run(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(Math.max(1, bytes * size), 64);
            List<Posted> here = new ArrayList<>();
            for (Posted each : in) {
              int peer = each.message.peer();
              long address = all.address() + peer * bytes;
              here.add(new Posted(each.slot, new Message(peer, address, bytes)));
            }
            carry(out, here);
            use.accept(all);
          }
        });
  }

  private void fold(MemorySegment all, DType type, long count, ReduceOp op, MemorySegment to) {
    DoubleBinaryOperator combine = requireNonNull(OPERATIONS.get(op), op::toString);
    MemorySegment result = PlainDevice.seen(to, type.bytes(count));
    for (long i = 0; i < count; i++) {
      double value = PlainArrays.get(all, type, type.bytes(i));
      for (int other = 1; other < size; other++) {
        double next = PlainArrays.get(all, type, type.bytes(other * count + i));
        value = combine.applyAsDouble(value, next);
      }
      PlainArrays.set(result, type, type.bytes(i), op.equals(MEAN) ? value / size : value);
    }
  }

  private void require(DType type, ReduceOp op) {
    if (!supports(type, op)) {
      throw new UnsupportedOperationException(
          "%s of %s; sums, products, means, min and max of floating-point are there"
              .formatted(op.label(), type));
    }
  }

  @Override
  public void allReduce(
      MemorySegment from, MemorySegment to, DType type, long count, ReduceOp op, Stream stream) {
    require(type, op);
    collect(_ -> from.address(), type.bytes(count), stream, all -> fold(all, type, count, op, to));
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
    require(type, op);
    collect(
        _ -> from.address(),
        type.bytes(count),
        stream,
        all -> {
          if (rank == root) {
            fold(all, type, count, op, to);
          }
        });
  }

  @Override
  public void reduceScatter(
      MemorySegment from, MemorySegment to, DType type, long count, ReduceOp op, Stream stream) {
    require(type, op);
    long bytes = type.bytes(count);
    collect(
        peer -> from.address() + peer * bytes,
        bytes,
        stream,
        all -> fold(all, type, count, op, to));
  }

  @Override
  public void broadcast(MemorySegment buffer, DType type, long count, int root, Stream stream) {
    long bytes = type.bytes(count);
    collect(
        _ -> buffer.address(),
        bytes,
        stream,
        all -> MemorySegment.copy(all, root * bytes, PlainDevice.seen(buffer, bytes), 0, bytes));
  }

  @Override
  public void allGather(
      MemorySegment from, MemorySegment to, DType type, long count, Stream stream) {
    long bytes = type.bytes(count);
    collect(
        _ -> from.address(),
        bytes,
        stream,
        all -> MemorySegment.copy(all, 0, PlainDevice.seen(to, bytes * size), 0, bytes * size));
  }

  /** Nothing is kept: mail is gone when it was taken. */
  @Override
  public void close() {}
}
