package dev.rialto.exchange.transport;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives that are all posted at once.
 *
 * <p>A persistent request is kept for each message and made anew only when a run uses other memory
 * than the one before, so a steady state makes no requests at all.
 */
final class MessageChannel implements Channel {
  private final Communicator comm;
  private final ChannelSpec wiring;
  private final boolean persistent;
  private final int[] order;
  private final MessageBuffers outgoing;
  private final MessageBuffers incoming;
  private final Half sends;
  private final Half receives;

  /** The receives of this run that have not been returned, and their messages. */
  private final List<Request> pending = new ArrayList<>();

  private final int[] pendingMessages;
  private final boolean[] expected;
  private final MemorySegment[] arrived;
  private final long[] lengths;

  /** The requests of one direction and the memory they were made for. */
  private static final class Half {
    final @Nullable Request[] requests;
    final @Nullable MemorySegment[] memories;
    final @Nullable Layout[] layouts;

    Half(int messages) {
      requests = new Request[messages];
      memories = new MemorySegment[messages];
      layouts = new Layout[messages];
    }

    boolean isFor(int message, MemorySegment memory, @Nullable Layout layout) {
      MemorySegment known = memories[message];
      // An address comes back in another arena when the one that had it is closed.
      return requests[message] != null
          && known != null
          && known.address() == memory.address()
          && known.scope().equals(memory.scope())
          && Objects.equals(layouts[message], layout);
    }

    void set(int message, Request request, MemorySegment memory, @Nullable Layout layout) {
      closeOne(message);
      requests[message] = request;
      memories[message] = memory;
      layouts[message] = layout;
    }

    void closeOne(int message) {
      Request request = requests[message];
      if (request != null) {
        requests[message] = null;
        request.close();
      }
    }

    void close() {
      for (int i = 0; i < requests.length; i++) {
        closeOne(i);
      }
    }
  }

  MessageChannel(ChannelSpec wiring) {
    this.comm = wiring.comm();
    this.wiring = wiring;
    this.persistent = comm.capabilities().contains(Capability.PERSISTENT) && !wiring.variable();
    this.order = wiring.rotated();
    this.outgoing = new MessageBuffers(wiring, wiring.sendBytes());
    this.incoming = new MessageBuffers(wiring, wiring.receiveBytes());
    this.sends = new Half(wiring.targets().length);
    this.receives = new Half(wiring.sources().length);
    this.pendingMessages = new int[wiring.sources().length];
    this.expected = new boolean[wiring.sources().length];
    this.arrived = new MemorySegment[wiring.sources().length];
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
    return arrived[message];
  }

  @Override
  public void begin() {
    Arrays.fill(expected, false);
    pending.clear();
  }

  @Override
  public void expect(int message, MemorySegment memory, @Nullable Layout layout) {
    expected[message] = true;
    arrived[message] = memory;
    Request request;
    if (!persistent) {
      request = receive(message, memory, layout);
      receives.set(message, request, memory, layout);
    } else {
      if (!receives.isFor(message, memory, layout)) {
        receives.set(message, persistentReceive(message, memory, layout), memory, layout);
      }
      request = receives.requests[message];
      ((PersistentRequest) request).start();
    }
    pendingMessages[pending.size()] = message;
    pending.add(request);
  }

  private Request receive(int message, MemorySegment memory, @Nullable Layout layout) {
    int source = wiring.sources()[message];
    if (layout != null) {
      return comm.ireceive(memory, layout, source, wiring.tag());
    }
    long bytes = wiring.receiveBytes()[message];
    DType unit = wiring.type();
    return comm.ireceive(memory, unit, bytes / unit.size(), source, wiring.tag());
  }

  private Request persistentReceive(int message, MemorySegment memory, @Nullable Layout layout) {
    int source = wiring.sources()[message];
    if (layout != null) {
      return comm.persistentReceive(memory, layout, source, wiring.tag());
    }
    long bytes = wiring.receiveBytes()[message];
    DType unit = wiring.type();
    return comm.persistentReceive(memory, unit, bytes / unit.size(), source, wiring.tag());
  }

  /** Posts the receives that go into buffers. */
  private void expectTheRest() {
    for (int message = 0; message < expected.length; message++) {
      if (!expected[message]) {
        expect(message, incoming.get(message), null);
      }
    }
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    expectTheRest();
    int target = wiring.targets()[message];
    if (!persistent) {
      sends.set(message, isend(memory, layout, bytes, target), memory, layout);
      return;
    }
    if (!sends.isFor(message, memory, layout)) {
      sends.set(message, persistentSend(memory, layout, bytes, target), memory, layout);
    }
    ((PersistentRequest) sends.requests[message]).start();
  }

  private Request isend(MemorySegment memory, @Nullable Layout layout, long bytes, int target) {
    if (layout != null) {
      return comm.isend(memory, layout, target, wiring.tag());
    }
    DType unit = wiring.type();
    return comm.isend(memory, unit, bytes / unit.size(), target, wiring.tag());
  }

  private Request persistentSend(
      MemorySegment memory, @Nullable Layout layout, long bytes, int target) {
    if (layout != null) {
      return comm.persistentSend(memory, layout, target, wiring.tag());
    }
    DType unit = wiring.type();
    return comm.persistentSend(
        memory, unit, bytes / unit.size(), target, wiring.tag(), SendMode.STANDARD);
  }

  @Override
  public void sent() {
    expectTheRest();
  }

  @Override
  public int next() {
    if (pending.isEmpty()) {
      return -1;
    }
    int at = pending.size() == 1 ? 0 : comm.awaitAny(pending);
    int message = pendingMessages[at];
    Status status = pending.get(at).await();
    lengths[message] = wiring.received(message, status);
    int last = pending.size() - 1;
    pending.set(at, pending.get(last));
    pendingMessages[at] = pendingMessages[last];
    pending.remove(last);
    return message;
  }

  @Override
  public long received(int message) {
    return lengths[message];
  }

  @Override
  public void end() {
    for (Request request : sends.requests) {
      if (request != null) {
        var _ = request.await();
      }
    }
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
    sends.close();
    receives.close();
  }
}
