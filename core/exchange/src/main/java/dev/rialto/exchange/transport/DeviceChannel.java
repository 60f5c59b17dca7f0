package dev.rialto.exchange.transport;

import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.DeviceCollectives.Message;
import dev.rialto.spi.exec.Stream.Event;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Messages from device to device, in the order of streams: no call waits, for peers or kernels.
 *
 * <p>A group of messages begins when the kernels before it have ended, and kernels that read what
 * it brought, or write what it sends, come after it. All messages are one group; or else they go by
 * distance, each with those that come from no farther, so that one can be packed or unpacked while
 * the next travels. A message's two ends are then in groups whose predecessors are all of smaller
 * distances, so no order of groups makes ranks wait for one another.
 */
public final class DeviceChannel implements Channel {
  private static final Set<String> TRANSPORTS = Set.of("point-to-point", "all-to-all");

  private final ChannelSpec wiring;
  private final DevicePeers.Link link;
  private final boolean together;
  private final int[] order;
  private final MessageBuffers outgoing;
  private final MessageBuffers incoming;

  /** The incoming messages by the distance of their senders. */
  private final int[] arrivals;

  private final @Nullable Event[] there;
  private @Nullable Event last;
  private final List<Message> sends = new ArrayList<>();
  private final List<Message> receives = new ArrayList<>();

  /** The number of arrivals that are in a group that was begun, in one at all, and returned. */
  private int begun;

  private int grouped;
  private int returned;

  private DeviceChannel(ChannelSpec wiring, DevicePeers.Link link, boolean together) {
    this.wiring = wiring;
    this.link = link;
    this.together = together;
    this.order = wiring.rotated();
    this.outgoing = new MessageBuffers(wiring, wiring.sendBytes());
    this.incoming = new MessageBuffers(wiring, wiring.receiveBytes());
    int[] sources = wiring.sources();
    this.arrivals =
        IntStream.range(0, sources.length)
            .boxed()
            .sorted(Comparator.comparingInt(i -> distance(sources[i], wiring.comm().rank())))
            .mapToInt(Integer::intValue)
            .toArray();
    this.there = new Event[sources.length];
  }

  /** Returns whether this can stand in for a transport. */
  public static boolean carries(Transport transport) {
    return TRANSPORTS.contains(transport.name());
  }

  /**
   * Opens a channel among peers that are connected.
   *
   * @param together whether all messages are one group
   */
  public static DeviceChannel open(ChannelSpec wiring, DevicePeers peers, boolean together) {
    return new DeviceChannel(wiring, peers.link().orElseThrow(), together);
  }

  private int distance(int from, int to) {
    return Math.floorMod(to - from, wiring.comm().size());
  }

  @Override
  public int[] order() {
    return order;
  }

  @Override
  public MemorySegment outgoing(int message) {
    return outgoing.get(message);
  }

  @Override
  public MemorySegment incoming(int message) {
    return incoming.get(message);
  }

  @Override
  public void begin() {
    incoming.begin();
    begun = 0;
    grouped = 0;
    returned = 0;
  }

  @Override
  public void expect(int message, MemorySegment memory, @Nullable Layout layout) {
    incoming.set(message, memory);
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    int target = wiring.targets()[message];
    sends.add(new Message(target, memory.address(), bytes));
    if (!together) {
      receiveUpTo(distance(wiring.comm().rank(), target));
      group();
    }
  }

  @Override
  public void sent() {
    receiveUpTo(wiring.comm().size());
    group();
  }

  private void receiveUpTo(int distance) {
    for (; grouped < arrivals.length; grouped++) {
      int message = arrivals[grouped];
      int source = wiring.sources()[message];
      if (distance(source, wiring.comm().rank()) > distance) {
        return;
      }
      MemorySegment place = incoming(message);
      receives.add(new Message(source, place.address(), wiring.receiveBytes()[message]));
    }
  }

  private void group() {
    if (sends.isEmpty() && receives.isEmpty()) {
      return;
    }
    link.wire().waitFor(link.kernels().record());
    link.collectives().exchange(sends, receives, link.wire());
    Event after = link.wire().record();
    for (; begun < grouped; begun++) {
      there[arrivals[begun]] = after;
    }
    last = after;
    sends.clear();
    receives.clear();
  }

  /** Makes the kernels wait for a message, not the caller. */
  @Override
  public int next() {
    if (returned == arrivals.length) {
      return -1;
    }
    int message = arrivals[returned++];
    Event arrival = there[message];
    if (arrival != null) {
      link.kernels().waitFor(arrival);
    }
    return message;
  }

  @Override
  public long received(int message) {
    return wiring.receiveBytes()[message];
  }

  @Override
  public void end() {
    if (last != null) {
      link.kernels().waitFor(last);
    }
  }

  @Override
  public long bufferBytes() {
    return outgoing.allocated() + incoming.allocated();
  }

  @Override
  public void close() {}
}
