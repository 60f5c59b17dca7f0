package dev.rialto.exchange.transport;

import dev.rialto.exchange.plan.LongLists;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;

/**
 * The exchange as a transport sees it: the messages of this rank, never those to itself. The arrays
 * that it returns are its own and must not be changed.
 */
public final class ChannelSpec {
  /** The number of tags of an exchange. */
  public static final int TAGS = 4;

  private final Communicator comm;
  private final int tag;
  private final DType type;
  private final int[] targets;
  private final long[] sendBytes;
  private final int[] sources;
  private final long[] receiveBytes;
  private final boolean variable;
  private final int vectors;
  private final SharedMemory shared;
  private final LongFunction<MemorySegment> allocator;

  /**
   * Describes the messages.
   *
   * @param comm the ranks
   * @param tag the first of {@value #TAGS} tags that no other exchange uses at the time
   * @param type what messages are made of: elements, or bytes where a codec made them
   * @param targets the receiver of each outgoing message, ascending and distinct
   * @param sendBytes the most bytes of each outgoing message
   * @param sources the sender of each incoming message, ascending and distinct
   * @param receiveBytes the most bytes of each incoming message
   * @param variable whether messages may be shorter than that
   * @param vectors how many arrays the exchange moves at once
   * @param shared what memory of one rank the others can address
   * @param allocator gives zeroed memory that lives as long as the channel
   */
  public ChannelSpec(
      Communicator comm,
      int tag,
      DType type,
      int[] targets,
      long[] sendBytes,
      int[] sources,
      long[] receiveBytes,
      boolean variable,
      int vectors,
      SharedMemory shared,
      LongFunction<MemorySegment> allocator) {
    this.comm = comm;
    this.tag = tag;
    this.type = type;
    this.targets = targets.clone();
    this.sendBytes = sendBytes.clone();
    this.sources = sources.clone();
    this.receiveBytes = receiveBytes.clone();
    this.variable = variable;
    this.vectors = vectors;
    this.shared = shared;
    this.allocator = allocator;
  }

  /** Returns the ranks. */
  public Communicator comm() {
    return comm;
  }

  /** Returns the first of {@value #TAGS} tags that no other exchange uses at the time. */
  public int tag() {
    return tag;
  }

  /** Returns what messages are made of. */
  public DType type() {
    return type;
  }

  /** Returns the receiver of each outgoing message, ascending. */
  public int[] targets() {
    return targets;
  }

  /** Returns the most bytes of each outgoing message. */
  public long[] sendBytes() {
    return sendBytes;
  }

  /** Returns the sender of each incoming message, ascending. */
  public int[] sources() {
    return sources;
  }

  /** Returns the most bytes of each incoming message. */
  public long[] receiveBytes() {
    return receiveBytes;
  }

  /** Returns whether messages may be shorter than that. */
  public boolean variable() {
    return variable;
  }

  /** Returns how many arrays the exchange moves at once. */
  public int vectors() {
    return vectors;
  }

  /** Returns what memory of one rank the others can address. */
  public SharedMemory shared() {
    return shared;
  }

  /** Returns what gives zeroed memory that lives as long as the channel. */
  public LongFunction<MemorySegment> allocator() {
    return allocator;
  }

  /** Returns the wiring of some messages, on a communicator where their peers have other ranks. */
  ChannelSpec part(Communicator ranks, int[] out, int[] in, IntUnaryOperator rankThere) {
    return new ChannelSpec(
        ranks,
        tag,
        type,
        Arrays.stream(out).map(i -> rankThere.applyAsInt(targets[i])).toArray(),
        Arrays.stream(out).mapToLong(i -> sendBytes[i]).toArray(),
        Arrays.stream(in).map(i -> rankThere.applyAsInt(sources[i])).toArray(),
        Arrays.stream(in).mapToLong(i -> receiveBytes[i]).toArray(),
        variable,
        vectors,
        shared,
        allocator);
  }

  /** Sends each target an empty message, which {@link #received} tells from any other. */
  void sendNothing() {
    for (int target : targets) {
      Request _ = comm.isend(MemorySegment.NULL, type, 0, target, tag);
    }
  }

  /**
   * Returns the bytes of an incoming message, after checking that it is one of the exchange.
   *
   * @throws dev.rialto.spi.error.PeerFailedException if its sender has failed
   */
  long received(int message, Status status) {
    if (status.bytes() == 0 && receiveBytes[message] > 0) {
      throw Departed.peer(comm, sources[message]);
    }
    return variable() ? status.bytes() : receiveBytes[message];
  }

  /** Returns the peers' order that spreads the load: each rank begins with the one after it. */
  public int[] rotated() {
    int count = targets.length;
    int first = 0;
    while (first < count && targets[first] < comm.rank()) {
      first++;
    }
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = (first + i) % count;
    }
    return order;
  }

  /** Tells each target the place of its message and returns those of the incoming ones. */
  long[] tellTargets(long[] places) {
    return tell(targets, places, sources);
  }

  /** Tells each source the place of its message and returns those of the outgoing ones. */
  long[] tellSources(long[] places) {
    return tell(sources, places, targets);
  }

  private long[] tell(int[] to, long[] places, int[] from) {
    LongLists lists = new LongLists(comm.size());
    for (int i = 0; i < to.length; i++) {
      lists.add(to[i], places[i]);
    }
    LongLists heard = lists.exchange(comm);
    long[] result = new long[from.length];
    for (int i = 0; i < from.length; i++) {
      result[i] = heard.get(from[i])[0];
    }
    return result;
  }

  /** Returns where each message starts in one buffer, each on a cache line, and the total. */
  static long[] places(long[] bytes) {
    long[] places = new long[bytes.length + 1];
    for (int i = 0; i < bytes.length; i++) {
      places[i + 1] = places[i] + (bytes[i] + 63 & -64);
    }
    return places;
  }
}
