package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Messages to ranks of this node through shared memory, to others point-to-point. Those to others
 * leave first, as they take longer; those of the node are taken first, as they are there.
 */
final class NodeChannel implements DirectChannel {
  private final SharedChannel near;
  private final MessageChannel far;

  /**
   * The number that a message has in its channel; those of the far one are counted from -1 down.
   */
  private final int[] outgoingIn;

  private final int[] incomingIn;

  private final int[] nearMessages;

  private final int[] farMessages;
  private final int[] order;

  private NodeChannel(ChannelSpec wiring, int[] nodeRanks) {
    int[] nearOut = select(wiring.targets(), nodeRanks, true);
    int[] farOut = select(wiring.targets(), nodeRanks, false);
    nearMessages = select(wiring.sources(), nodeRanks, true);
    farMessages = select(wiring.sources(), nodeRanks, false);
    Communicator node = wiring.shared().node();
    near = new SharedChannel(wiring.part(node, nearOut, nearMessages, rank -> nodeRanks[rank]));
    far = new MessageChannel(wiring.part(wiring.comm(), farOut, farMessages, rank -> rank));
    outgoingIn = numbers(wiring.targets().length, nearOut, farOut);
    incomingIn = numbers(wiring.sources().length, nearMessages, farMessages);
    order =
        IntStream.concat(
                Arrays.stream(far.order()).map(i -> farOut[i]),
                Arrays.stream(near.order()).map(i -> nearOut[i]))
            .toArray();
  }

  static NodeChannel open(ChannelSpec wiring) {
    return new NodeChannel(wiring, nodeRanks(wiring));
  }

  /** Returns each rank's number on this node; -1 for those of other nodes. */
  private static int[] nodeRanks(ChannelSpec wiring) {
    Communicator node = wiring.shared().node();
    int[] ranks = new int[wiring.comm().size()];
    Arrays.fill(ranks, -1);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine = arena.allocateFrom(JAVA_INT, wiring.comm().rank());
      MemorySegment all = arena.allocate(JAVA_INT, node.size());
      node.allGather(mine, all, DType.I32, 1);
      for (int i = 0; i < node.size(); i++) {
        ranks[all.getAtIndex(JAVA_INT, i)] = i;
      }
    }
    return ranks;
  }

  private static int[] select(int[] peers, int[] nodeRanks, boolean onNode) {
    return IntStream.range(0, peers.length)
        .filter(i -> (nodeRanks[peers[i]] >= 0) == onNode)
        .toArray();
  }

  private static int[] numbers(int count, int[] nearOnes, int[] farOnes) {
    int[] numbers = new int[count];
    for (int i = 0; i < nearOnes.length; i++) {
      numbers[nearOnes[i]] = i;
    }
    for (int i = 0; i < farOnes.length; i++) {
      numbers[farOnes[i]] = -1 - i;
    }
    return numbers;
  }

  @Override
  public int[] order() {
    return order;
  }

  @Override
  public MemorySegment outgoing(int message) {
    int i = outgoingIn[message];
    return i >= 0 ? near.outgoing(i) : far.outgoing(-1 - i);
  }

  @Override
  public MemorySegment incoming(int message) {
    int i = incomingIn[message];
    return i >= 0 ? near.incoming(i) : far.incoming(-1 - i);
  }

  @Override
  public void begin() {
    near.begin();
    far.begin();
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    int i = outgoingIn[message];
    if (i >= 0) {
      near.send(i, memory, layout, bytes);
    } else {
      far.send(-1 - i, memory, layout, bytes);
    }
  }

  @Override
  public boolean worthOffering(int message, MemorySegment input) {
    int i = outgoingIn[message];
    return i >= 0 && near.worthOffering(i, input);
  }

  @Override
  public boolean canOffer(int message, MemorySegment input) {
    int i = outgoingIn[message];
    return i >= 0 && near.canOffer(i, input);
  }

  @Override
  public void offer(int message, MemorySegment[] inputs) {
    near.offer(outgoingIn[message], inputs);
  }

  @Override
  public void sent() {
    near.sent();
    far.sent();
  }

  @Override
  public int next() {
    int i = near.next();
    if (i >= 0) {
      return nearMessages[i];
    }
    i = far.next();
    return i < 0 ? -1 : farMessages[i];
  }

  @Override
  public boolean isOffer(int message) {
    int i = incomingIn[message];
    return i >= 0 && near.isOffer(i);
  }

  @Override
  public MemorySegment offered(int message, int vector) {
    return near.offered(incomingIn[message], vector);
  }

  @Override
  public void read() {
    near.read();
  }

  @Override
  public long received(int message) {
    int i = incomingIn[message];
    return i >= 0 ? near.received(i) : far.received(-1 - i);
  }

  @Override
  public void release(int message) {
    int i = incomingIn[message];
    if (i >= 0) {
      near.release(i);
    }
  }

  @Override
  public void end() {
    near.end();
    far.end();
  }

  @Override
  public void fail() {
    near.fail();
    far.fail();
  }

  @Override
  public long bufferBytes() {
    return near.bufferBytes() + far.bufferBytes();
  }

  @Override
  public void close() {
    far.close();
    near.close();
  }
}
