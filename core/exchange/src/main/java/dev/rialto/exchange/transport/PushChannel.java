package dev.rialto.exchange.transport;

import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Messages that senders put into the receivers' windows.
 *
 * <p>One epoch lasts as long as the channel. A receiver tells each sender when it has read a
 * message, so that the next may be put. Puts begin when the run does and are completed, and the
 * receivers told, as the caller awaits: until then they overlap with what the caller does.
 */
final class PushChannel implements Channel {
  private final ChannelSpec wiring;
  private final Window window;
  private final int[] order;
  private final MemorySegment[] incoming;
  private final long[] remotePlaces;
  private final long[] lengths;
  private final boolean[] put;
  private final MessageBuffers buffers;
  private final Notices ready;
  private final Notices free;

  PushChannel(ChannelSpec wiring) {
    this.wiring = wiring;
    long[] local = ChannelSpec.places(wiring.receiveBytes());
    this.window = wiring.comm().allocateWindow(local[wiring.sources().length]);
    this.remotePlaces = wiring.tellSources(local);
    this.order = wiring.rotated();
    this.incoming = new MemorySegment[wiring.sources().length];
    Arrays.setAll(incoming, i -> window.memory().asSlice(local[i], wiring.receiveBytes()[i]));
    this.lengths = new long[wiring.targets().length];
    this.put = new boolean[wiring.targets().length];
    this.buffers = new MessageBuffers(wiring, wiring.sendBytes());
    this.ready = new Notices(wiring, wiring.tag() + 1, wiring.targets(), wiring.sources());
    this.free = new Notices(wiring, wiring.tag() + 2, wiring.sources(), wiring.targets());
    window.lockAll();
  }

  @Override
  public int[] order() {
    return order;
  }

  @Override
  public MemorySegment outgoing(int message) {
    return buffers.get(message);
  }

  @Override
  public MemorySegment incoming(int message) {
    return incoming[message];
  }

  @Override
  public void begin() {
    for (int message = 0; message < incoming.length; message++) {
      ready.expect(message);
    }
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    free.await(message);
    lengths[message] = bytes;
    put[message] = true;
    window.put(
        memory,
        wiring.type(),
        bytes / wiring.type().size(),
        wiring.targets()[message],
        remotePlaces[message]);
  }

  @Override
  public void sent() {}

  /** Completes the puts and says so to their targets. */
  private void complete() {
    for (int message : order) {
      if (put[message]) {
        put[message] = false;
        window.flush(wiring.targets()[message]);
        free.expect(message);
        ready.send(message, lengths[message]);
      }
    }
  }

  @Override
  public int next() {
    complete();
    return ready.any();
  }

  @Override
  public long received(int message) {
    return ready.number(message);
  }

  @Override
  public void release(int message) {
    free.send(message, 0);
  }

  @Override
  public void end() {
    complete();
  }

  @Override
  public void fail() {
    ready.fail();
    free.fail();
  }

  @Override
  public long bufferBytes() {
    return window.memory().byteSize() + buffers.allocated();
  }

  /** If a peer has failed nothing is given back: others may be using the window. */
  @Override
  public void close() {
    for (int message = 0; message < put.length; message++) {
      free.await(message);
    }
    ready.part();
    window.unlockAll();
    window.close();
    free.close();
    ready.close();
  }
}
