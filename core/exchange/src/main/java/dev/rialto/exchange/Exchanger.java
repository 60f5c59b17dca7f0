package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.exchange.transport.ChannelSpec;
import dev.rialto.exchange.transport.DevicePeers;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device.MemorySharing;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs exchanges on one communicator.
 *
 * {@snippet :
 * try (Exchanger exchanger = Exchanger.on(comm)) {
 *   Exchange toY = exchanger.exchange(Transpose.plan(xPencils, yPencils, comm.rank()), DType.C128);
 *   toY.scheme("shared").run(in, out);
 * }
 * }
 *
 * <p>It keeps an {@link Exchange} for each plan, type and number of arrays, with the buffers,
 * requests and windows of its scheme, so that asking again costs a lookup. All ranks make the same
 * exchanges, choose the same schemes and start them in the same order; they may be awaited in any.
 * Used by one thread at a time. Closing is collective and closes every exchange. When one has
 * failed, no more can be made, and closing waits for no rank.
 */
public final class Exchanger implements AutoCloseable {
  private final Communicator comm;
  private final boolean ownsComm;
  private final ExchangeOptions options;
  private final SharedMemory shared;
  private final DevicePeers peers;
  private final Map<Key, Exchange> exchanges = new HashMap<>();
  private final List<Exchange> opened = new ArrayList<>();

  /**
   * The exchanger whose ranks, tags and failures this shares; itself if it was made for a
   * communicator.
   */
  private final Exchanger root;

  private final List<Exchanger> sharers = new ArrayList<>();

  private int nextTag;
  private boolean closed;
  private @Nullable Throwable failure;
  private final List<DirectReads> reads = new ArrayList<>();

  /** Plans are told apart by identity: they are made once and kept. */
  private record Key(ExchangePlan plan, DType type, int vectors) {}

  private Exchanger(
      Communicator comm, boolean ownsComm, ExchangeOptions options, @Nullable SharedMemory memory) {
    this.comm = comm;
    this.ownsComm = ownsComm;
    this.options = options;
    this.root = this;
    MemorySharing sharing = options.kernels().sharing().orElse(null);
    this.shared = memory == null ? new SharedMemory(comm, sharing) : memory.on(comm, sharing);
    this.peers = options.kernels().peers(comm);
  }

  private Exchanger(Exchanger other, ExchangeKernels kernels) {
    this.comm = other.comm;
    this.ownsComm = false;
    this.options = other.options.withKernels(kernels);
    this.root = other.root;
    this.shared = other.shared.on(comm, kernels.sharing().orElse(null));
    this.peers = kernels.peers(comm);
    root.sharers.add(this);
  }

  /** Makes an exchanger with the standard options. Collective. */
  public static Exchanger on(Communicator comm) {
    return on(comm, ExchangeOptions.standard());
  }

  /**
   * Makes an exchanger. Collective. Where the communicator can be duplicated it is, so that
   * messages of exchanges and of the caller do not mix.
   */
  public static Exchanger on(Communicator comm, ExchangeOptions options) {
    return on(comm, options, null);
  }

  /**
   * Makes an exchanger of arrays in some memory, which ranks of a node that are processes read from
   * one another by the {@code shared} transport. Collective.
   *
   * @param memory of the same ranks; it stays the caller's, and is closed after the exchanger. Null
   *     for memory of {@link #allocateShared} only
   */
  public static Exchanger on(
      Communicator comm, ExchangeOptions options, @Nullable SharedMemory memory) {
    boolean dup = comm.capabilities().contains(Capability.SPLIT);
    return new Exchanger(dup ? comm.dup() : comm, dup, options, memory);
  }

  /**
   * Returns an exchanger of arrays in other memory, such as a device's, or of exchanges that go
   * together: it shares the ranks, the order and the failures of this one, and is closed before it
   * or with it. Collective.
   */
  public Exchanger with(ExchangeKernels kernels) {
    checkOpen();
    return new Exchanger(this, kernels);
  }

  /** Returns the exchange of one array. */
  public Exchange exchange(ExchangePlan plan, DType type) {
    return exchange(plan, type, 1);
  }

  /**
   * Returns the exchange of several arrays at once, in as many messages as one would take. All
   * ranks ask for new ones in the same order.
   *
   * @throws IllegalArgumentException if the plan is for another rank or number of ranks
   * @throws MismatchException if this rank sends what its peer does not expect, or the other way
   *     round; on all ranks, where there are collectives
   */
  public Exchange exchange(ExchangePlan plan, DType type, int vectors) {
    checkOpen();
    Key key = new Key(plan, type, vectors);
    Exchange known = exchanges.get(key);
    if (known != null) {
      return known;
    }
    if (plan.rank() != comm.rank() || plan.ranks() != comm.size()) {
      throw new IllegalArgumentException(
          "plan %s on rank %d of %d; make it for this rank"
              .formatted(plan, comm.rank(), comm.size()));
    }
    if (vectors < 1) {
      throw new IllegalArgumentException(vectors + " arrays at once; give at least 1");
    }
    checkPeers(plan);
    Exchange made = new Exchange(this, plan, type, vectors, tag());
    exchanges.put(key, made);
    opened.add(made);
    return made;
  }

  private int tag() {
    int tag = root.nextTag;
    root.nextTag = (tag + ChannelSpec.TAGS) % (comm.maxTag() - ChannelSpec.TAGS + 1);
    return tag;
  }

  /**
   * Makes what lets ranks read one another's arrays themselves, owned by the caller; empty if they
   * are not all on one node, or its memory cannot be shared. Collective.
   */
  public Optional<DirectReads> directReads() {
    checkOpen();
    if (!shared.oneNode() || !comm.capabilities().containsAll(Transports.get("shared").needs())) {
      return Optional.empty();
    }
    DirectReads made = new DirectReads(this, tag(), shared);
    reads.add(made);
    return Optional.of(made);
  }

  /** Has an exchange that was closed be made anew when it is asked for again. */
  void forget(Exchange exchange) {
    exchanges.values().remove(exchange);
    opened.remove(exchange);
  }

  void forget(DirectReads closed) {
    reads.remove(closed);
  }

  /** Returns whether an exchange has failed, so that closing does not wait. */
  boolean hasFailed() {
    return root.failure != null;
  }

  /** Remembers that an exchange has failed: ranks may no longer be at the same place. */
  void failed(Throwable cause) {
    root.failure = root.failure == null ? cause : root.failure;
  }

  /**
   * Gives up what is under way, because the caller has failed in between: tells the peers that wait
   * for it, and lets closing not wait. All exchanges have failed then.
   */
  public void fail(Throwable cause) {
    failed(cause);
    root.failOpened(cause);
    root.sharers.forEach(each -> each.failOpened(cause));
  }

  private void failOpened(Throwable cause) {
    opened.forEach(exchange -> exchange.fail(cause));
    reads.forEach(DirectReads::fail);
  }

  SharedMemory shared() {
    return shared;
  }

  DevicePeers peers() {
    return peers;
  }

  /** Checks with all ranks that what each sends is what the other expects. */
  private void checkPeers(ExchangePlan plan) {
    if (!comm.capabilities().contains(Capability.COLLECTIVES)) {
      return;
    }
    LongLists sent = new LongLists(comm.size());
    long[] expected = new long[comm.size()];
    plan.receives().forEach(block -> expected[block.peer()] = block.count());
    long[] sends = new long[comm.size()];
    plan.sends().forEach(block -> sends[block.peer()] = block.count());
    for (int rank = 0; rank < comm.size(); rank++) {
      sent.add(rank, sends[rank]);
      sent.add(rank, plan.combine().name().hashCode());
    }
    LongLists told = sent.exchange(comm);
    String wrong = "";
    for (int rank = 0; rank < comm.size(); rank++) {
      long[] theirs = told.get(rank);
      if (theirs[0] != expected[rank]) {
        wrong =
            "rank %d sends %d elements to rank %d, which expects %d"
                .formatted(rank, theirs[0], comm.rank(), expected[rank]);
      } else if (theirs[1] != plan.combine().name().hashCode()) {
        wrong = "ranks %d and %d combine in different ways".formatted(rank, comm.rank());
      }
    }
    LongLists verdict = new LongLists(comm.size());
    for (int rank = 0; rank < comm.size(); rank++) {
      verdict.add(rank, wrong.isEmpty() ? 0 : 1);
    }
    LongLists verdicts = verdict.exchange(comm);
    for (int rank = 0; rank < comm.size(); rank++) {
      if (verdicts.get(rank)[0] != 0) {
        throw new MismatchException(
            plan.name() + ": " + (wrong.isEmpty() ? "rank " + rank + " found a mismatch" : wrong),
            "rank " + comm.rank() + " of " + comm.size(),
            "make the plans of all ranks from the same distributions",
            null);
      }
    }
  }

  /**
   * Allocates an array that exchanges with the {@code shared} transport can read from other
   * processes of the node, instead of a packed copy. Collective; each rank gives its own size. It
   * lives until it is {@linkplain #freeShared freed}, or else as long as the exchanger. Needs
   * {@link Capability#SHARED_WINDOWS}.
   */
  public MemorySegment allocateShared(long bytes) {
    checkOpen();
    return shared.allocate(bytes);
  }

  /**
   * Frees an array of {@link #allocateShared}. Collective; does nothing after a failure, or when
   * the exchanger is closed.
   */
  public void freeShared(MemorySegment array) {
    if (!closed && !hasFailed()) {
      shared.free(array);
    }
  }

  /** Returns the communicator that exchanges use. */
  public Communicator communicator() {
    return comm;
  }

  /**
   * Returns what the ranks' devices do together, in the order of streams; empty if the arrays are
   * the host's, or the devices cannot be connected. Collective the first time. It stays the
   * exchanger's.
   */
  public Optional<DeviceCollectives> collectives() {
    checkOpen();
    return peers.collectives();
  }

  /** Returns what exchanges work with. */
  public ExchangeOptions options() {
    return options;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this exchanger is closed");
    }
    if (hasFailed()) {
      throw new IllegalStateException(
          "an exchange of this exchanger has failed; close it", root.failure);
    }
  }

  /**
   * Closes every exchange and what they share. Collective, but not after a failure: what ranks
   * share cannot be given back without the others then, and goes with the world.
   *
   * @throws IllegalStateException if an exchange is under way; then nothing is closed
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (hasFailed()) {
      closed = true;
      return;
    }
    opened.forEach(Exchange::requireClosable);
    sharers.forEach(each -> each.opened.forEach(Exchange::requireClosable));
    closed = true;
    root.sharers.remove(this);
    List<AutoCloseable> all = new ArrayList<>(sharers);
    all.addAll(reads);
    all.addAll(opened);
    all.add(peers);
    all.add(shared);
    if (ownsComm) {
      all.add(comm);
    }
    for (AutoCloseable each : all) {
      try {
        each.close();
      } catch (RuntimeException e) {
        // The others would wait for ranks that have failed.
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
