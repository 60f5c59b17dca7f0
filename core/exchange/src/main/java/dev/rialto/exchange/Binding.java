package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.ChannelSpec;
import dev.rialto.exchange.transport.DeviceChannel;
import dev.rialto.exchange.transport.DevicePeers;
import dev.rialto.exchange.transport.DirectChannel;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
  private final Scheme scheme;
  private final Arena arena = Arena.ofShared();
  private final Messages sends;
  private final ExchangeKernels kernels;
  private final Channel channel;
  private final @Nullable Encoder encoder;
  private final Staged staging;
  private final boolean linked;
  private final Outbox outbox;
  private final Inbox inbox;
  private final OwnBlock own;
  private final @Nullable AccessChecks checks;
  private final String way;
  private final boolean byAddress;

  /** The bytes of buffers besides those of the channel. */
  private long kept;

  private @Nullable RunEvent event;

  Binding(
      ExchangePlan plan,
      DType type,
      int vectors,
      Scheme scheme,
      Exchanger exchanger,
      ExchangeOptions options,
      int tag) {
    this.plan = plan;
    this.scheme = scheme;
    Communicator comm = exchanger.communicator();
    DevicePeers peers = exchanger.peers();
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
    this.sends = new Messages(plan.sends(), plan.rank(), type, vectors);
    Messages receives = new Messages(plan.receives(), plan.rank(), type, vectors);
    long longest = Math.max(sends.longest(), receives.longest());
    this.encoder =
        codec.map(c -> new Encoder(c, type, longest, counted(options, c.onHost()))).orElse(null);
    ChannelSpec wiring =
        new ChannelSpec(
            comm,
            tag,
            encoder == null ? type : DType.I8,
            sends.peers(),
            sends.bounds(encoder),
            receives.peers(),
            receives.bounds(encoder),
            encoder != null && !encoder.fixedLength(),
            vectors,
            exchanger.shared(),
            allocator);
    this.channel =
        linked
            ? DeviceChannel.open(wiring, peers, scheme.staging() == Staging.BULK)
            : transport.open(wiring);
    DirectChannel direct =
        channel instanceof DirectChannel d
                && encoder == null
                && !options.checks()
                && plan.combine() == Combine.REPLACE
            ? d
            : null;
    this.way = way(transport, peers, linked, kernels.onHost() || direct != null, forHost);
    this.staging = new Staged(kernels, counted(options, true), linked);
    boolean packed = options.checks() || encoder != null || vectors > 1 || !usable;
    this.outbox =
        new Outbox(
            sends,
            kernels,
            channel,
            direct,
            encoder,
            staging,
            packed ? Transport.Reach.BUFFERS : transport.sends());
    List<UnpackPlan> landings = UnpackPlan.of(plan);
    this.own = OwnBlock.of(plan, type, vectors, landings, kernels, counted(options, false));
    this.inbox =
        new Inbox(
            plan,
            receives,
            landings,
            own,
            kernels,
            channel,
            direct,
            direct == null ? new MessageKernels[0] : Inbox.directs(receives, sends, kernels, comm),
            encoder,
            staging,
            packed ? Transport.Reach.BUFFERS : transport.receives());
    this.checks =
        options.checks()
            ? new AccessChecks(plan, type, vectors, kernels, counted(options, true))
            : null;
    this.byAddress =
        kernels.onHost()
            && (checks != null || own.byAddress() || outbox.byAddress() || inbox.byAddress());
  }

  private static String way(
      Transport transport, DevicePeers peers, boolean linked, boolean plain, boolean forHost) {
    if (linked) {
      return "from device to device by "
          + peers.collectives().orElseThrow().name()
          + ", in the order of a stream";
    }
    if (plain) {
      return transport.description();
    }
    return (forHost
            ? "through memory of the host"
            : "in device memory, which the communicator takes")
        + (peers.reason().isEmpty() ? "" : "; devices are not connected: " + peers.reason());
  }

  /**
   * Returns whether runs use the host's arrays by their addresses, so that they have to be kept
   * from being freed meanwhile.
   */
  boolean byAddress() {
    return byAddress;
  }

  /** Returns how messages travel, for people. */
  String way() {
    return way;
  }

  private LongFunction<MemorySegment> allocator(ExchangeOptions options, boolean forHost) {
    LongFunction<MemorySegment> given = options.allocator();
    return given != null ? given : bytes -> options.kernels().allocate(bytes, forHost, arena);
  }

  /** Returns an allocator of what is not the channel's. */
  private LongFunction<MemorySegment> counted(ExchangeOptions options, boolean forHost) {
    LongFunction<MemorySegment> allocator = allocator(options, forHost);
    return bytes -> {
      kept += bytes;
      return allocator.apply(bytes);
    };
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
    RunEvent recorded = RunEvent.recorded() ? RunEvent.begun(plan, scheme) : null;
    if (recorded != event) {
      event = recorded;
    }
    if (encoder != null) {
      encoder.reset();
    }
    // Peers and communicators read arrays as they are now.
    staging.finish();
    channel.begin();
    inbox.expect(out, overwrites);
    outbox.send(in, overwrites, scheme.staging() == Staging.FUSED);
    own.start(in, overwrites);
    if (checks == null) {
      own.move(in, out);
    } else {
      checks.started(in, out);
    }
  }

  /**
   * Ends a run.
   *
   * @param in the arrays of the start
   * @param out the arrays of the start
   * @param waits whether the caller waits even where what comes after on the stream is in order
   */
  void await(MemorySegment[] in, MemorySegment[] out, boolean waits) {
    if (checks != null) {
      checks.verify(in, out);
      own.move(in, out);
    }
    inbox.receive(out, scheme.staging() == Staging.BULK, event);
    channel.end();
    if (linked && waits) {
      kernels.finish();
    }
    if (event != null) {
      event.bytes = outbox.wireBytes();
      event.commit();
    }
  }

  long bufferBytes() {
    return channel.bufferBytes() + kept;
  }

  ExchangeReport report() {
    return new ExchangeReport(
        sends.count(),
        sends.totalBytes(),
        outbox.wireBytes(),
        encoder == null ? 0 : encoder.maxError(),
        encoder == null ? 0 : encoder.rmsError(),
        encoder == null ? 0 : encoder.raw());
  }

  /** Tells peers that a run has failed here. */
  void fail() {
    channel.fail();
  }

  /** Gives everything back; where that fails, peers may still use the buffers, and they stay. */
  @Override
  public void close() {
    if (linked) {
      // The last run may not have been waited for.
      kernels.finish();
    }
    channel.close();
    arena.close();
  }
}
