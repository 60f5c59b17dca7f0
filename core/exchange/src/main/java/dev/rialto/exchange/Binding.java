package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.kernel.ExchangeKernels.Kernel;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.DeviceChannel;
import dev.rialto.exchange.transport.DevicePeers;
import dev.rialto.exchange.transport.DirectChannel;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.exchange.transport.Wiring;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Everything of an exchange that depends on its scheme: the channel, the kernels, the buffers.
 *
 * <p>A message is moved without packing where it lies together in the array and the transport
 * reaches it, or the transport understands layouts, or the receiver can read the array itself. The
 * block of the rank itself never meets the transport. Where devices are connected, everything is in
 * the order of their streams, and the host waits at the end, if at all.
 */
final class Binding implements AutoCloseable {
  private final ExchangePlan plan;
  private final DType type;
  private final Scheme scheme;
  private final Communicator comm;
  private final ExchangeKernels kernels;
  private final Arena arena = Arena.ofShared();
  private final @Nullable Encoder encoder;
  private final Channel channel;

  /** Whether messages go from device to device, in order with kernels. */
  private final boolean linked;

  private final String way;
  private final @Nullable DirectChannel direct;

  private final Block[] sends;
  private final long[] sendBytes;
  private final Passage[] packs;
  private final InPlace[] sendPlaces;
  private final boolean[] sentInPlace;
  private final @Nullable MemorySegment[] toSend;
  private final long[] lengths;

  private final Block[] receives;
  private final long[] receiveBytes;
  private final Passage[] unpacks;
  private final InPlace[] receivePlaces;
  private final Passage[] directs;
  private final boolean[] arrived;
  private final boolean[] placed;

  /** Messages that a device may still be reading from their senders' arrays, and how many. */
  private final int[] readLate;

  private int unreleased;

  /** The message that comes at each step in the order of ranks; -1 for the rank's own block. */
  private final int[] sequence;

  /** Whether messages are unpacked in that order. */
  private final boolean ordered;

  private final @Nullable Passage selfMove;
  private final @Nullable Passage selfPack;
  private final @Nullable Passage selfUnpack;
  private final MemorySegment selfBuffer;
  private final Kernel[] scales;
  private final @Nullable AccessChecks checks;
  private final Staged staging;

  private MemorySegment[] inputs = {};
  private MemorySegment[] outputs = {};
  private boolean selfStaged;
  private int done;
  private long wireBytes;
  private @Nullable RunEvent event;

  Binding(
      ExchangePlan plan,
      DType type,
      int vectors,
      Scheme scheme,
      Communicator comm,
      SharedMemory shared,
      DevicePeers peers,
      ExchangeOptions options,
      int tag) {
    this.plan = plan;
    this.type = type;
    this.scheme = scheme;
    this.comm = comm;
    this.kernels = options.kernels();
    Transport transport = Transports.get(scheme.transport());
    Optional<Codec> codec = scheme.makeCodec().map(kernels::codec);
    this.linked =
        DeviceChannel.carries(transport)
            && codec.map(c -> !c.onHost() && c.fixedLength()).orElse(true)
            && peers.collectives().isPresent();
    boolean usable = linked || kernels.usableBy(comm);
    // Windows are the host's, and so is what a codec of the host reads.
    boolean forHost =
        !usable
            || transport.needs().contains(Capability.WINDOWS)
            || transport.needs().contains(Capability.SHARED_WINDOWS)
            || codec.map(Codec::onHost).orElse(false);
    LongFunction<MemorySegment> allocator = allocator(options, forHost);
    this.sends = others(plan.sends());
    this.receives = others(plan.receives());
    this.sendBytes = rawBytes(sends, vectors);
    this.receiveBytes = rawBytes(receives, vectors);
    this.encoder =
        codec
            .map(c -> new Encoder(c, type, vectors, longest(), allocator(options, c.onHost())))
            .orElse(null);
    Wiring wiring =
        new Wiring(
            comm,
            tag,
            encoder == null ? type : DType.I8,
            peers(sends),
            messageBytes(sendBytes),
            peers(receives),
            messageBytes(receiveBytes),
            encoder != null && !encoder.fixedLength(),
            vectors,
            shared,
            allocator);
    this.channel =
        linked
            ? DeviceChannel.open(wiring, peers, scheme.staging() == Staging.BULK)
            : transport.open(wiring);
    boolean packed = options.checks() || encoder != null || vectors > 1 || !usable;
    this.sendPlaces = places(sends, packed ? Transport.Reach.BUFFERS : transport.sends());
    this.receivePlaces =
        places(
            receives,
            packed || plan.combine() != Combine.REPLACE
                ? Transport.Reach.BUFFERS
                : transport.receives());
    this.direct =
        channel instanceof DirectChannel d
                && encoder == null
                && !options.checks()
                && plan.combine() == Combine.REPLACE
            ? d
            : null;
    this.way = way(transport, peers, forHost);
    this.packs = new Passage[sends.length];
    Arrays.setAll(packs, i -> Passage.pack(kernels, type, sends[i], vectors));
    this.sentInPlace = new boolean[sends.length];
    this.toSend = new MemorySegment[sends.length];
    this.lengths = new long[sends.length];

    List<Landing> landings = Landing.of(plan);
    this.unpacks = new Passage[receives.length];
    this.arrived = new boolean[receives.length];
    this.placed = new boolean[receives.length];
    this.readLate = new int[receives.length];
    this.sequence = new int[plan.receives().size()];
    Passage ownUnpack = null;
    int message = 0;
    for (int i = 0; i < sequence.length; i++) {
      Passage unpack = Passage.unpack(kernels, type, landings.get(i), vectors);
      if (plan.receives().get(i).peer() == plan.rank()) {
        ownUnpack = unpack;
        sequence[i] = -1;
      } else {
        unpacks[message] = unpack;
        sequence[i] = message++;
      }
    }
    this.selfUnpack = ownUnpack;
    this.selfPack = plan.selfSend().map(b -> Passage.pack(kernels, type, b, vectors)).orElse(null);
    this.selfMove =
        plan.combine() == Combine.REPLACE && plan.selfSend().isPresent()
            ? Passage.direct(
                kernels, type, plan.selfSend().get(), plan.selfReceive().orElseThrow(), vectors)
            : null;
    this.selfBuffer =
        plan.selfSend().isPresent()
            ? lazily(allocator(options, false), plan.selfSend().get(), vectors)
            : MemorySegment.NULL;
    this.ordered = plan.combine() != Combine.REPLACE;
    this.directs = directs(vectors);
    this.scales = scales();
    this.checks =
        options.checks()
            ? new AccessChecks(plan, type, vectors, kernels, allocator(options, true))
            : null;
    this.staging = new Staged(kernels, arena);
  }

  private String way(Transport transport, DevicePeers peers, boolean forHost) {
    if (linked) {
      return "from device to device by "
          + peers.collectives().orElseThrow().name()
          + ", in the order of a stream";
    }
    if (kernels.onHost() || direct != null) {
      return transport.description();
    }
    return (forHost
            ? "through memory of the host"
            : "in device memory, which the communicator takes")
        + (peers.reason().isEmpty() ? "" : "; devices are not connected: " + peers.reason());
  }

  /** Returns how messages travel, for people. */
  String way() {
    return way;
  }

  private LongFunction<MemorySegment> allocator(ExchangeOptions options, boolean forHost) {
    LongFunction<MemorySegment> given = options.allocator();
    return given != null ? given : bytes -> kernels.allocate(bytes, forHost, arena);
  }

  /** The own block is staged only where it is combined, or moved within one array. */
  private MemorySegment lazily(LongFunction<MemorySegment> allocator, Block block, int vectors) {
    return plan.combine() == Combine.REPLACE && plan.inputCount() != plan.outputCount()
        ? MemorySegment.NULL
        : allocator.apply(Math.max(type.bytes(block.count()) * vectors, 64));
  }

  private Block[] others(List<Block> blocks) {
    return blocks.stream().filter(b -> b.peer() != plan.rank()).toArray(Block[]::new);
  }

  private static int[] peers(Block[] blocks) {
    return Arrays.stream(blocks).mapToInt(Block::peer).toArray();
  }

  private long longest() {
    long longest = 0;
    for (Block block : sends) {
      longest = Math.max(longest, block.count());
    }
    for (Block block : receives) {
      longest = Math.max(longest, block.count());
    }
    return longest;
  }

  private long[] rawBytes(Block[] blocks, int vectors) {
    return Arrays.stream(blocks)
        .mapToLong(block -> type.bytes(Math.multiplyExact(block.count(), (long) vectors)))
        .toArray();
  }

  private long[] messageBytes(long[] raw) {
    Encoder coded = encoder;
    return coded == null
        ? raw
        : Arrays.stream(raw).map(bytes -> coded.bound(bytes / type.size())).toArray();
  }

  private InPlace[] places(Block[] blocks, Transport.Reach reach) {
    return Arrays.stream(blocks)
        .map(block -> InPlace.of(block, type, reach, kernels))
        .toArray(InPlace[]::new);
  }

  /** Asks the senders where in their arrays the messages lie. */
  private Passage[] directs(int vectors) {
    if (!(channel instanceof DirectChannel) || direct == null) {
      return new Passage[0];
    }
    LongLists mine = new LongLists(comm.size());
    for (Block block : sends) {
      block.write(mine);
    }
    LongLists theirs = mine.exchange(comm);
    Passage[] passages = new Passage[receives.length];
    Arrays.setAll(
        passages,
        i -> {
          int peer = receives[i].peer();
          Block from = Block.read(peer, theirs.get(peer));
          return Passage.direct(kernels, type, from, receives[i], vectors);
        });
    return passages;
  }

  private Kernel[] scales() {
    if (plan.combine() != Combine.AVERAGE) {
      return new Kernel[0];
    }
    List<Kernel> list = new ArrayList<>();
    for (Map.Entry<Integer, Region> each : Landing.multiplicities(plan).entrySet()) {
      list.add(kernels.scale(type, each.getValue(), 1.0 / each.getKey()));
    }
    return list.toArray(Kernel[]::new);
  }

  Scheme scheme() {
    return scheme;
  }

  /**
   * Begins a run.
   *
   * @param overwrites whether what is received overwrites what is sent, so that all of that must be
   *     packed before
   */
  void start(MemorySegment[] in, MemorySegment[] out, boolean overwrites) {
    event = RunEvent.recorded() ? new RunEvent() : null;
    if (event != null) {
      event.begin();
    }
    inputs = in;
    outputs = out;
    done = 0;
    wireBytes = 0;
    if (encoder != null) {
      encoder.reset();
    }
    Arrays.fill(arrived, false);
    // Peers and communicators read arrays as they are now.
    finish();
    channel.begin();
    for (int i = 0; i < receives.length; i++) {
      placed[i] = receivePlaces[i].usable() && !overwrites;
      if (placed[i]) {
        channel.expect(i, receivePlaces[i].in(out[0]), receivePlaces[i].layout());
      }
    }
    boolean fused = scheme.staging() == Staging.FUSED;
    for (int message : channel.order()) {
      boolean ready = prepare(message, overwrites);
      if (ready && fused) {
        finish();
        send(message);
      }
    }
    finish();
    if (!fused) {
      for (int message : channel.order()) {
        if (toSend[message] != null) {
          send(message);
        }
      }
    }
    channel.sent();
    selfStaged = selfMove == null || overwrites;
    if (selfPack != null && selfStaged) {
      selfPack.pack(in, selfBuffer);
    }
    if (checks != null) {
      checks.started(in, out);
    }
    if (selfMove != null && !selfStaged && checks == null) {
      moveSelf();
    }
  }

  /** Waits for the kernels before somebody else uses what they wrote, unless that is in order. */
  private void finish() {
    if (!linked) {
      kernels.finish();
    }
  }

  private void moveSelf() {
    for (int vector = 0; vector < inputs.length; vector++) {
      selfMove.move(inputs[vector], outputs[vector], vector);
    }
  }

  /** Gets a message ready to be sent; returns false if the receiver reads the array itself. */
  private boolean prepare(int message, boolean overwrites) {
    InPlace place = sendPlaces[message];
    long raw = sendBytes[message];
    lengths[message] = raw;
    if (direct != null && !overwrites && worthOffering(message)) {
      toSend[message] = null;
      wireBytes += raw;
      direct.offer(message, inputs);
      return false;
    }
    sentInPlace[message] = place.usable() && !overwrites;
    if (sentInPlace[message]) {
      toSend[message] = place.in(inputs[0]);
      return true;
    }
    MemorySegment buffer = channel.outgoing(message);
    toSend[message] = buffer;
    if (encoder == null) {
      staging.pack(packs[message], inputs, buffer, raw);
    } else {
      packs[message].pack(inputs, encoder.scratch());
      if (encoder.onHost()) {
        kernels.finish();
      }
      lengths[message] = encoder.encode(raw / type.size(), buffer, staging);
    }
    return true;
  }

  private boolean worthOffering(int message) {
    for (MemorySegment input : inputs) {
      if (!(kernels.onHost()
          ? direct.worthOffering(message, input)
          : direct.canOffer(message, input))) {
        return false;
      }
    }
    return true;
  }

  private void send(int message) {
    wireBytes += lengths[message];
    channel.send(
        message,
        toSend[message],
        sentInPlace[message] ? sendPlaces[message].layout() : null,
        lengths[message]);
  }

  /**
   * Ends a run.
   *
   * @param waits whether the caller waits even where what comes after on the stream is in order
   */
  void await(boolean waits) {
    if (checks != null) {
      checks.verify(inputs, outputs);
      if (selfMove != null && !selfStaged) {
        moveSelf();
      }
    }
    boolean bulk = scheme.staging() == Staging.BULK;
    for (int message = next(); message >= 0; message = next()) {
      arrived[message] = true;
      if (bulk) {
        continue;
      }
      if (ordered) {
        unpackInOrder();
      } else {
        unpack(message);
      }
    }
    if (bulk || ordered) {
      unpackInOrder();
    } else if (selfStaged) {
      unpackSelf();
    }
    for (Kernel scale : scales) {
      for (MemorySegment output : outputs) {
        scale.run(output, output);
      }
    }
    finish();
    for (; unreleased > 0; unreleased--) {
      channel.release(readLate[unreleased - 1]);
    }
    channel.end();
    if (linked && waits) {
      kernels.finish();
    }
    if (event != null) {
      record(event);
    }
  }

  private int next() {
    if (event == null) {
      return channel.next();
    }
    MessageEvent wait = new MessageEvent();
    long before = System.nanoTime();
    wait.begin();
    int message = channel.next();
    event.waited += System.nanoTime() - before;
    if (message >= 0) {
      wait.peer = receives[message].peer();
      wait.rank = plan.rank();
      wait.bytes = receiveBytes[message];
      wait.commit();
    }
    return message;
  }

  private void record(RunEvent run) {
    run.plan = plan.name();
    run.scheme = scheme.toString();
    run.rank = plan.rank();
    run.bytes = wireBytes;
    run.commit();
  }

  /** Unpacks, in the order of ranks, what has arrived and was not unpacked. */
  private void unpackInOrder() {
    for (; done < sequence.length; done++) {
      int message = sequence[done];
      if (message < 0) {
        if (selfStaged) {
          unpackSelf();
        }
      } else if (arrived[message]) {
        unpack(message);
      } else {
        return;
      }
    }
  }

  private void unpackSelf() {
    if (selfUnpack != null) {
      selfUnpack.unpack(selfBuffer, outputs);
    }
  }

  private void unpack(int message) {
    if (placed[message]) {
      channel.release(message);
      return;
    }
    boolean offered = direct != null && direct.isOffer(message);
    if (offered) {
      for (int vector = 0; vector < outputs.length; vector++) {
        directs[message].move(direct.offered(message, vector), outputs[vector], vector);
      }
    } else if (encoder == null) {
      MemorySegment packed = channel.incoming(message);
      unpacks[message].unpack(staging.reached(packed, receiveBytes[message]), outputs);
    } else {
      long bytes = channel.received(message);
      MemorySegment incoming = channel.incoming(message);
      encoder.decode(
          encoder.onHost() ? incoming : staging.reached(incoming, bytes),
          bytes,
          receiveBytes[message] / type.size());
      unpacks[message].unpack(encoder.scratch(), outputs);
    }
    if (offered && !kernels.onHost()) {
      // Waiting for the device once, for all of them, lets it read one after another.
      readLate[unreleased++] = message;
      return;
    }
    finish();
    channel.release(message);
  }

  long bufferBytes() {
    return channel.bufferBytes()
        + selfBuffer.byteSize()
        + (encoder == null ? 0 : encoder.scratch().byteSize());
  }

  ExchangeReport report() {
    return new ExchangeReport(
        sends.length,
        Arrays.stream(sendBytes).sum(),
        wireBytes,
        encoder == null ? 0 : encoder.maxError(),
        encoder == null ? 0 : encoder.rmsError());
  }

  @Override
  public void close() {
    try {
      if (linked) {
        // Somebody may not have waited for the last run.
        kernels.finish();
      }
      channel.close();
    } finally {
      arena.close();
    }
  }
}
