package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Messages that one collective operation moves.
 *
 * <p>Where lengths vary, the ranks tell one another in a collective of its own before; that one is
 * waited for when the run begins.
 */
abstract class CollectiveChannel implements Channel {
  final ChannelSpec wiring;
  private final MemorySegment sendBuffer;
  private final MemorySegment receiveBuffer;

  /** Counts and displacements in elements, by party of the collective. */
  private final long[] sendCounts;

  private final long[] sendPlaces;
  private final long[] receiveCounts;
  private final long[] receivePlaces;

  /** The lengths of this run's messages in bytes, by party. */
  private final MemorySegment sendLengths;

  private final MemorySegment receiveLengths;

  private final MemorySegment[] outgoing;
  private final MemorySegment[] incoming;
  private final int[] order;
  private Collective.@Nullable AllToAllV operation;
  private @Nullable Request request;
  private int returned;

  /**
   * Makes the buffers.
   *
   * @param out how many parties are sent to
   * @param in how many parties are received from
   */
  CollectiveChannel(ChannelSpec wiring, int out, int in) {
    this.wiring = wiring;
    this.order = wiring.rotated();
    int targets = wiring.targets().length;
    int sources = wiring.sources().length;
    long[] outPlaces = ChannelSpec.places(wiring.sendBytes());
    long[] inPlaces = ChannelSpec.places(wiring.receiveBytes());
    sendBuffer = wiring.allocator().apply(Math.max(outPlaces[targets], 64));
    receiveBuffer = wiring.allocator().apply(Math.max(inPlaces[sources], 64));
    sendLengths = wiring.allocator().apply(8L * Math.max(out, 1));
    receiveLengths = wiring.allocator().apply(8L * Math.max(in, 1));
    sendCounts = new long[out];
    sendPlaces = new long[out];
    receiveCounts = new long[in];
    receivePlaces = new long[in];
    outgoing = new MemorySegment[targets];
    incoming = new MemorySegment[sources];
    int unit = wiring.type().size();
    for (int i = 0; i < targets; i++) {
      outgoing[i] = sendBuffer.asSlice(outPlaces[i], wiring.sendBytes()[i]);
      sendCounts[target(i)] = wiring.sendBytes()[i] / unit;
      sendPlaces[target(i)] = outPlaces[i] / unit;
    }
    for (int i = 0; i < sources; i++) {
      incoming[i] = receiveBuffer.asSlice(inPlaces[i], wiring.receiveBytes()[i]);
      receiveCounts[source(i)] = wiring.receiveBytes()[i] / unit;
      receivePlaces[source(i)] = inPlaces[i] / unit;
    }
  }

  /** Returns the party that an outgoing message goes to. */
  abstract int target(int message);

  /** Returns the party that an incoming message comes from. */
  abstract int source(int message);

  /** Begins the operation; returns null if it is complete already. */
  abstract @Nullable Request begin(@Nullable Request previous);

  /** Tells all parties the lengths of the messages to them, and waits for theirs. */
  abstract void exchangeLengths(MemorySegment mine, MemorySegment theirs);

  @Override
  public final int[] order() {
    return order;
  }

  @Override
  public final MemorySegment outgoing(int message) {
    return outgoing[message];
  }

  @Override
  public final MemorySegment incoming(int message) {
    return incoming[message];
  }

  @Override
  public final void begin() {
    returned = 0;
  }

  @Override
  public final void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    if (wiring.variable()) {
      sendLengths.setAtIndex(JAVA_LONG, target(message), bytes);
      sendCounts[target(message)] = bytes / wiring.type().size();
    }
  }

  @Override
  public final void sent() {
    if (wiring.variable()) {
      exchangeLengths(sendLengths, receiveLengths);
      for (int party = 0; party < receiveCounts.length; party++) {
        receiveCounts[party] = receiveLengths.getAtIndex(JAVA_LONG, party) / wiring.type().size();
      }
    }
    request = begin(request);
  }

  /** Returns the operation as a value; where lengths vary, each run has another. */
  final Collective.AllToAllV operation() {
    Collective.AllToAllV made = operation;
    if (made == null || wiring.variable()) {
      made =
          new Collective.AllToAllV(
              sendBuffer,
              sendCounts,
              sendPlaces,
              receiveBuffer,
              receiveCounts,
              receivePlaces,
              wiring.type());
      operation = made;
    }
    return made;
  }

  static Request started(PersistentRequest persistent) {
    persistent.start();
    return persistent;
  }

  @Override
  public final int next() {
    if (returned == incoming.length) {
      return -1;
    }
    if (returned == 0) {
      awaitRequest();
    }
    return returned++;
  }

  private void awaitRequest() {
    if (request != null) {
      var _ = request.await();
    }
  }

  @Override
  public final long received(int message) {
    return receiveCounts[source(message)] * wiring.type().size();
  }

  @Override
  public final void end() {
    awaitRequest();
    if (request != null && !(request instanceof PersistentRequest)) {
      request.close();
      request = null;
    }
  }

  @Override
  public final long bufferBytes() {
    return sendBuffer.byteSize() + receiveBuffer.byteSize();
  }

  @Override
  public void close() {
    if (request != null) {
      request.close();
      request = null;
    }
  }
}
