package dev.rialto.exchange.transport;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Messages in the rounds of a {@link PairwiseSchedule}. The first round is under way when a run has
 * begun; each next one begins when the one before has ended, as the caller awaits.
 */
final class ScheduledChannel implements Channel {
  private final Communicator comm;
  private final ChannelSpec wiring;

  /** The outgoing and the incoming message of each round in which there is one; -1 for none. */
  private final int[] sendOf;

  private final int[] receiveOf;
  private final int rounds;
  private final int[] order;
  private final MessageBuffers outgoing;
  private final MessageBuffers incoming;
  private final MemorySegment[] toSend;
  private final long[] sendLengths;
  private final boolean[] handedOver;
  private final long[] lengths;
  private @Nullable Request sending;
  private @Nullable Request receiving;

  /** The current round; -1 before the first was begun. */
  private int round;

  ScheduledChannel(ChannelSpec wiring) {
    this.comm = wiring.comm();
    this.wiring = wiring;
    int total = PairwiseSchedule.rounds(comm.size());
    int[] sendRounds = new int[total];
    int[] receiveRounds = new int[total];
    int used = 0;
    for (int r = 0; r < total; r++) {
      int partner = PairwiseSchedule.partner(comm.size(), comm.rank(), r);
      sendRounds[used] = Math.max(Arrays.binarySearch(wiring.targets(), partner), -1);
      receiveRounds[used] = Math.max(Arrays.binarySearch(wiring.sources(), partner), -1);
      used += sendRounds[used] >= 0 || receiveRounds[used] >= 0 ? 1 : 0;
    }
    this.rounds = used;
    this.sendOf = sendRounds;
    this.receiveOf = receiveRounds;
    this.order = Arrays.stream(sendRounds, 0, used).filter(m -> m >= 0).toArray();
    this.outgoing = new MessageBuffers(wiring, wiring.sendBytes());
    this.incoming = new MessageBuffers(wiring, wiring.receiveBytes());
    this.toSend = new MemorySegment[wiring.targets().length];
    this.sendLengths = new long[wiring.targets().length];
    this.handedOver = new boolean[wiring.targets().length];
    this.lengths = wiring.receiveBytes().clone();
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
    Arrays.fill(handedOver, false);
    incoming.begin();
    round = -1;
  }

  @Override
  public void expect(int message, MemorySegment memory, @Nullable Layout layout) {
    incoming.set(message, memory);
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    toSend[message] = memory;
    sendLengths[message] = bytes;
    handedOver[message] = true;
    if (round < 0) {
      beginNextRound();
    }
  }

  @Override
  public void sent() {
    if (round < 0) {
      beginNextRound();
    }
  }

  /** Begins the next round, unless its message has not been handed over yet. */
  private void beginNextRound() {
    int following = round + 1;
    if (following == rounds) {
      round = following;
      return;
    }
    int out = sendOf[following];
    int in = receiveOf[following];
    if (out >= 0 && !handedOver[out]) {
      return;
    }
    round = following;
    int unit = wiring.type().size();
    if (in >= 0) {
      long count = wiring.receiveBytes()[in] / unit;
      receiving =
          comm.ireceive(incoming(in), wiring.type(), count, wiring.sources()[in], wiring.tag());
    }
    if (out >= 0) {
      sending =
          comm.isend(
              toSend[out],
              wiring.type(),
              sendLengths[out] / unit,
              wiring.targets()[out],
              wiring.tag());
    }
  }

  @Override
  public int next() {
    while (round < rounds) {
      Request receive = receiving;
      if (receive != null) {
        receiving = null;
        Status status = receive.await();
        receive.close();
        int message = receiveOf[round];
        lengths[message] = wiring.received(message, status);
        return message;
      }
      finishSend();
      beginNextRound();
    }
    return -1;
  }

  private void finishSend() {
    Request send = sending;
    if (send != null) {
      sending = null;
      var _ = send.await();
      send.close();
    }
  }

  @Override
  public long received(int message) {
    return lengths[message];
  }

  @Override
  public void end() {
    finishSend();
  }

  @Override
  public void fail() {
    wiring.sendNothing();
  }

  @Override
  public long bufferBytes() {
    return outgoing.allocated() + incoming.allocated();
  }

  @Override
  public void close() {
    if (receiving != null) {
      receiving.close();
    }
    finishSend();
  }
}
