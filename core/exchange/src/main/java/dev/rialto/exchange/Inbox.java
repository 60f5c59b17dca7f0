package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.kernel.ExchangeKernels.Kernel;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.DirectChannel;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a rank receives in each run: put where they belong by the transport, read from
 * the senders' arrays, or unpacked; combined in the order of ranks where they meet.
 */
final class Inbox {
  private final Messages messages;
  private final ExchangeKernels kernels;
  private final Channel channel;
  private final @Nullable DirectChannel direct;
  private final @Nullable Encoder encoder;
  private final Staged staging;
  private final OwnBlock own;
  private final MessageKernels[] unpacks;
  private final InPlace[] places;
  private final MessageKernels[] directs;
  private final Kernel[] scales;
  private final boolean[] arrived;
  private final boolean[] placed;

  /** Messages that a device may still be reading from their senders' arrays, and how many. */
  private final int[] readLate;

  private int unreleased;

  /**
   * The message that is read from its sender's array; fields, so that reading allocates nothing.
   */
  private int readMessage;

  private int readVector;
  private MemorySegment readSource = MemorySegment.NULL;
  private MemorySegment readTarget = MemorySegment.NULL;
  private final Runnable reading = this::readOne;
  private final String where;

  /** The message that comes at each step in the order of ranks; -1 for the rank's own block. */
  private final int[] sequence;

  private int done;

  /** Whether messages are unpacked in that order. */
  private final boolean ordered;

  /**
   * Makes the inbox.
   *
   * @param direct the channel, if receivers may read arrays through it
   * @param directs what reads each message there; see {@link #directs}
   * @param encoder what makes messages shorter, if anything does
   */
  Inbox(
      ExchangePlan plan,
      Messages messages,
      List<UnpackPlan> landings,
      OwnBlock own,
      ExchangeKernels kernels,
      Channel channel,
      @Nullable DirectChannel direct,
      MessageKernels[] directs,
      @Nullable Encoder encoder,
      Staged staging,
      Transport.Reach reach) {
    int count = messages.count();
    this.messages = messages;
    this.kernels = kernels;
    this.channel = channel;
    this.direct = direct;
    this.directs = directs;
    this.encoder = encoder;
    this.staging = staging;
    this.own = own;
    this.where = "rank %d of %d".formatted(plan.rank(), plan.ranks());
    this.ordered = plan.combine() != Combine.REPLACE;
    this.places = messages.places(ordered ? Transport.Reach.BUFFERS : reach, kernels);
    this.unpacks = new MessageKernels[count];
    this.arrived = new boolean[count];
    this.placed = new boolean[count];
    this.readLate = new int[count];
    this.sequence = new int[landings.size()];
    int message = 0;
    for (int i = 0; i < sequence.length; i++) {
      if (plan.receives().get(i).peer() == plan.rank()) {
        sequence[i] = -1;
      } else {
        unpacks[message] = messages.unpack(kernels, landings.get(i));
        sequence[i] = message++;
      }
    }
    this.scales = scales(plan, kernels, messages.type());
  }

  /** Returns what reads each message from its sender's arrays. Collective: senders say where. */
  static MessageKernels[] directs(
      Messages messages, Messages sends, ExchangeKernels kernels, Communicator comm) {
    LongLists mine = new LongLists(comm.size());
    for (int i = 0; i < sends.count(); i++) {
      sends.block(i).write(mine);
    }
    LongLists theirs = mine.exchange(comm);
    MessageKernels[] passages = new MessageKernels[messages.count()];
    Arrays.setAll(
        passages,
        i -> {
          Block to = messages.block(i);
          Block from = Block.read(to.peer(), theirs.get(to.peer()));
          return messages.direct(kernels, from, to);
        });
    return passages;
  }

  private static Kernel[] scales(ExchangePlan plan, ExchangeKernels kernels, DType type) {
    if (plan.combine() != Combine.AVERAGE) {
      return new Kernel[0];
    }
    List<Kernel> list = new ArrayList<>();
    for (Map.Entry<Integer, Region> each : UnpackPlan.multiplicities(plan).entrySet()) {
      list.add(kernels.scale(type, each.getValue(), 1.0 / each.getKey()));
    }
    return list.toArray(Kernel[]::new);
  }

  /** Returns whether it uses arrays by their addresses, or the communicator does. */
  boolean byAddress() {
    return scales.length > 0
        || Arrays.stream(unpacks).anyMatch(MessageKernels::byAddress)
        || Arrays.stream(directs).anyMatch(MessageKernels::byAddress)
        || Arrays.stream(places).anyMatch(InPlace::usable);
  }

  /** Begins a run: tells the channel which messages it can put where they belong. */
  void expect(MemorySegment[] outputs, boolean overwrites) {
    done = 0;
    Arrays.fill(arrived, false);
    for (int i = 0; i < placed.length; i++) {
      placed[i] = places[i].usable() && !overwrites;
      if (placed[i]) {
        channel.expect(i, places[i].in(outputs[0]), places[i].layout());
      }
    }
  }

  /**
   * Waits for all messages and puts them where they belong.
   *
   * @param bulk whether nothing is unpacked before everything is there
   */
  void receive(MemorySegment[] outputs, boolean bulk, @Nullable RunEvent event) {
    for (int message = next(event); message >= 0; message = next(event)) {
      arrived[message] = true;
      if (bulk) {
        continue;
      }
      if (ordered) {
        unpackInOrder(outputs);
      } else {
        unpack(message, outputs);
      }
    }
    if (bulk || ordered) {
      unpackInOrder(outputs);
    } else {
      own.unpack(outputs);
    }
    for (Kernel scale : scales) {
      for (MemorySegment output : outputs) {
        scale.run(output, output);
      }
    }
    staging.finish();
    for (; unreleased > 0; unreleased--) {
      channel.release(readLate[unreleased - 1]);
    }
  }

  private int next(@Nullable RunEvent run) {
    if (run == null) {
      return channel.next();
    }
    MessageEvent wait = new MessageEvent();
    long before = System.nanoTime();
    wait.begin();
    int message = channel.next();
    run.waited += System.nanoTime() - before;
    if (message >= 0) {
      wait.peer = messages.block(message).peer();
      wait.rank = run.rank;
      wait.bytes = messages.bytes(message);
      wait.commit();
    }
    return message;
  }

  /** Unpacks, in the order of ranks, what has arrived and was not unpacked. */
  private void unpackInOrder(MemorySegment[] outputs) {
    for (; done < sequence.length; done++) {
      int message = sequence[done];
      if (message < 0) {
        own.unpack(outputs);
      } else if (arrived[message]) {
        unpack(message, outputs);
      } else {
        return;
      }
    }
  }

  private void unpack(int message, MemorySegment[] outputs) {
    if (placed[message]) {
      channel.release(message);
      return;
    }
    DirectChannel offers = direct != null && direct.isOffer(message) ? direct : null;
    Encoder shorter = encoder;
    if (offers != null) {
      for (int vector = 0; vector < outputs.length; vector++) {
        read(message, vector, offers.offered(message, vector), outputs[vector]);
      }
    } else if (shorter == null) {
      MemorySegment packed = channel.incoming(message);
      unpacks[message].unpack(staging.reached(packed, messages.bytes(message)), outputs);
    } else {
      long bytes = channel.received(message);
      MemorySegment incoming = channel.incoming(message);
      shorter.decode(
          shorter.onHost() ? incoming : staging.reached(incoming, bytes),
          bytes,
          messages.elements(message));
      unpacks[message].unpack(shorter.scratch(), outputs);
    }
    if (offers != null && !kernels.onHost()) {
      // Waiting for the device once, for all of them, lets it read one after another.
      readLate[unreleased++] = message;
      return;
    }
    staging.finish();
    channel.release(message);
  }

  private void readOne() {
    directs[readMessage].move(readSource, readTarget, readVector);
  }

  /**
   * Reads a message from the sender's array, which a rank of this process cannot free meanwhile.
   */
  private void read(int message, int vector, MemorySegment source, MemorySegment output) {
    MessageKernels kernel = directs[message];
    if (!kernels.onHost()) {
      kernel.move(source, output, vector);
      return;
    }
    try {
      if (!kernel.byAddress()) {
        kernel.move(source, output, vector);
        return;
      }
      readMessage = message;
      readVector = vector;
      readSource = source;
      readTarget = output;
      HostMemory.holding(source, source, reading);
    } catch (IllegalStateException e) {
      if (source.scope().isAlive()) {
        throw e;
      }
      int peer = messages.block(message).peer();
      throw new PeerFailedException(
          "rank %d has freed the array that it sends".formatted(peer),
          where,
          "keep the arena of an input open on all ranks until they have awaited the run",
          e);
    }
  }
}
