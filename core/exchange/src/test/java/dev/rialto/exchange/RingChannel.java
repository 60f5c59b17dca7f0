package dev.rialto.exchange;

import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.ChannelSpec;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Messages that go around a ring, one step after the other, as the caller awaits. */
final class RingChannel implements Channel {
  private final Communicator comm;
  private final ChannelSpec wiring;
  private final MemorySegment[] outgoing;
  private final MemorySegment[] incoming;
  private final long[] lengths;
  private final long[] received;
  private int step;

  RingChannel(ChannelSpec wiring) {
    this.comm = wiring.comm();
    this.wiring = wiring;
    this.outgoing = buffers(wiring.sendBytes());
    this.incoming = buffers(wiring.receiveBytes());
    this.lengths = new long[outgoing.length];
    this.received = new long[incoming.length];
  }

  private MemorySegment[] buffers(long[] bytes) {
    return Arrays.stream(bytes).mapToObj(wiring.allocator()).toArray(MemorySegment[]::new);
  }

  @Override
  public int[] order() {
    return wiring.rotated();
  }

  @Override
  public MemorySegment outgoing(int message) {
    return outgoing[message];
  }

  @Override
  public MemorySegment incoming(int message) {
    return incoming[message];
  }

  @Override
  public void begin() {
    step = 1;
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    lengths[message] = bytes;
  }

  @Override
  public void sent() {}

  @Override
  public int next() {
    while (step < comm.size()) {
      int to = (comm.rank() + step) % comm.size();
      int from = Math.floorMod(comm.rank() - step, comm.size());
      int out = Arrays.binarySearch(wiring.targets(), to);
      int in = Arrays.binarySearch(wiring.sources(), from);
      step++;
      Status status =
          comm.sendReceive(
              out < 0 ? MemorySegment.NULL : outgoing[out],
              out < 0 ? 0 : lengths[out],
              to,
              wiring.tag(),
              in < 0 ? MemorySegment.NULL : incoming[in],
              in < 0 ? 0 : incoming[in].byteSize(),
              from,
              wiring.tag(),
              DType.I8);
      if (in >= 0) {
        received[in] = status.bytes();
        return in;
      }
    }
    return -1;
  }

  @Override
  public long received(int message) {
    return received[message];
  }

  @Override
  public void end() {
    if (next() >= 0) {
      throw new IllegalStateException("a message was not taken");
    }
  }

  @Override
  public long bufferBytes() {
    return Arrays.stream(wiring.sendBytes()).sum() + Arrays.stream(wiring.receiveBytes()).sum();
  }

  @Override
  public void close() {}
}
