package dev.rialto.exchange.transport;

import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Messages that receivers get out of the senders' windows.
 *
 * <p>One epoch lasts as long as the channel. A sender tells each receiver that its message is there
 * and how long it is; the receiver gets it and tells the sender when it has. Gets of messages that
 * are there already begin when the run does, the others as the caller awaits; they are completed
 * only then, so they overlap with what the caller does in between.
 */
final class PullChannel implements Channel {
  private final ChannelSpec wiring;
  private final Window window;
  private final int[] order;
  private final MemorySegment[] outgoing;
  private final long[] remotePlaces;
  private final MessageBuffers buffers;
  private final boolean[] begun;
  private final Notices ready;
  private final Notices taken;

  PullChannel(ChannelSpec wiring) {
    this.wiring = wiring;
    long[] local = ChannelSpec.places(wiring.sendBytes());
    this.window = wiring.comm().allocateWindow(local[wiring.targets().length]);
    this.remotePlaces = wiring.tellTargets(local);
    this.order = wiring.rotated();
    this.outgoing = new MemorySegment[wiring.targets().length];
    Arrays.setAll(outgoing, i -> window.memory().asSlice(local[i], wiring.sendBytes()[i]));
    this.buffers = new MessageBuffers(wiring, wiring.receiveBytes());
    this.begun = new boolean[wiring.sources().length];
    this.ready = new Notices(wiring, wiring.tag() + 1, wiring.targets(), wiring.sources());
    this.taken = new Notices(wiring, wiring.tag() + 2, wiring.sources(), wiring.targets());
    window.lockAll();
  }

  @Override
  public int[] order() {
    return order;
  }

  @Override
  public MemorySegment outgoing(int message) {
    taken.await(message);
    return outgoing[message];
  }

  @Override
  public MemorySegment incoming(int message) {
    return buffers.get(message);
  }

  @Override
  public void begin() {
    buffers.begin();
    for (int message = 0; message < wiring.sources().length; message++) {
      ready.expect(message);
    }
  }

  @Override
  public void expect(int message, MemorySegment memory, @Nullable Layout layout) {
    buffers.set(message, memory);
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    taken.expect(message);
    ready.send(message, bytes);
  }

  @Override
  public void sent() {
    for (int message = 0; message < begun.length; message++) {
      if (ready.test(message)) {
        get(message);
      }
    }
  }

  private void get(int message) {
    begun[message] = true;
    window.get(
        incoming(message),
        wiring.type(),
        received(message) / wiring.type().size(),
        wiring.sources()[message],
        remotePlaces[message]);
  }

  @Override
  public int next() {
    for (int message = 0; message < begun.length; message++) {
      if (begun[message]) {
        return complete(message);
      }
    }
    int message = ready.any();
    if (message < 0) {
      return -1;
    }
    get(message);
    return complete(message);
  }

  private int complete(int message) {
    begun[message] = false;
    window.flush(wiring.sources()[message]);
    taken.send(message, 0);
    return message;
  }

  @Override
  public long received(int message) {
    return ready.number(message);
  }

  /** The window stays filled until it is needed again; only then is it waited for. */
  @Override
  public void end() {}

  @Override
  public void fail() {
    ready.fail();
    taken.fail();
  }

  @Override
  public long bufferBytes() {
    return window.memory().byteSize() + buffers.allocated();
  }

  /** If a peer has failed nothing is given back: others may be using the window. */
  @Override
  public void close() {
    for (int message = 0; message < outgoing.length; message++) {
      taken.await(message);
    }
    ready.part();
    window.unlockAll();
    window.close();
    taken.close();
    ready.close();
  }
}
