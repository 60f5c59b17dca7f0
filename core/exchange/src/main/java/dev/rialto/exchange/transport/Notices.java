package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Short messages, each a number, that say how far a one-sided run is. The last of a party says that
 * none will follow, because it closes or has failed; who waits for another one is told.
 */
final class Notices implements AutoCloseable {
  private static final long LAST = -1;
  private static final long FAILED = -2;

  private final Communicator comm;
  private final int tag;
  private final int[] to;
  private final int[] from;
  private final boolean persistent;
  private final MemorySegment sent;
  private final MemorySegment received;
  private final @Nullable Request[] sends;
  private final @Nullable Request[] receives;
  private final boolean[] expected;

  /** The requests that {@link #any} looks through. */
  private final List<Request> candidates = new ArrayList<>();

  private final int[] candidateNumbers;

  Notices(ChannelSpec wiring, int tag, int[] to, int[] from) {
    this.comm = wiring.comm();
    this.tag = tag;
    this.to = to;
    this.from = from;
    this.persistent = comm.capabilities().contains(Capability.PERSISTENT);
    this.sent = wiring.allocator().apply(64L * Math.max(to.length, 1));
    this.received = wiring.allocator().apply(64L * Math.max(from.length, 1));
    this.sends = new Request[to.length];
    this.receives = new Request[from.length];
    this.expected = new boolean[from.length];
    this.candidateNumbers = new int[from.length];
  }

  void send(int party, long number) {
    Request before = sends[party];
    if (before != null) {
      var _ = before.await();
    }
    sent.set(JAVA_LONG, 64L * party, number);
    if (!persistent) {
      close(before);
      sends[party] = comm.isend(sent.asSlice(64L * party, 8), DType.I64, 1, to[party], tag);
      return;
    }
    if (before == null) {
      sends[party] =
          comm.persistentSend(
              sent.asSlice(64L * party, 8), DType.I64, 1, to[party], tag, SendMode.STANDARD);
    }
    start(sends[party]);
  }

  /** Gets ready for a party's next number. */
  void expect(int party) {
    expected[party] = true;
    Request before = receives[party];
    if (!persistent) {
      close(before);
      receives[party] =
          comm.ireceive(received.asSlice(64L * party, 8), DType.I64, 1, from[party], tag);
      return;
    }
    if (before == null) {
      receives[party] =
          comm.persistentReceive(received.asSlice(64L * party, 8), DType.I64, 1, from[party], tag);
    }
    start(receives[party]);
  }

  private static void start(@Nullable Request request) {
    if (request instanceof PersistentRequest made) {
      made.start();
    }
  }

  private static void close(@Nullable Request request) {
    if (request != null) {
      request.close();
    }
  }

  /** Waits for a party's number if one is expected. */
  void await(int party) {
    if (take(party) && number(party) < 0) {
      throw Departed.peer(comm, from[party]);
    }
  }

  private boolean take(int party) {
    Request request = receives[party];
    if (!expected[party] || request == null) {
      return false;
    }
    var _ = request.await();
    expected[party] = false;
    return true;
  }

  /** Says that no number will follow, and waits until all parties have said so. */
  void part() {
    for (int party = 0; party < to.length; party++) {
      send(party, LAST);
    }
    for (int party = 0; party < from.length; party++) {
      if (!expected[party]) {
        expect(party);
      }
      if (take(party) && number(party) == FAILED) {
        throw Departed.peer(comm, from[party]);
      }
      if (number(party) != LAST) {
        throw new IllegalStateException(
            "rank %d runs an exchange that rank %d closes; close it on all ranks"
                .formatted(from[party], comm.rank()));
      }
    }
  }

  /** Says that this rank has failed, to those parties that can be told at once. */
  void fail() {
    for (int party = 0; party < to.length; party++) {
      Request before = sends[party];
      if (before == null || before.test()) {
        send(party, FAILED);
      }
    }
  }

  /** Looks whether the number of a party that is expected has come, and then takes it. */
  boolean test(int party) {
    Request request = receives[party];
    if (expected[party] && request != null && request.test()) {
      await(party);
      return true;
    }
    return false;
  }

  /** Waits for the number of whichever party is first; -1 if none is expected. */
  int any() {
    candidates.clear();
    for (int party = 0; party < expected.length; party++) {
      Request request = receives[party];
      if (expected[party] && request != null) {
        candidateNumbers[candidates.size()] = party;
        candidates.add(request);
      }
    }
    if (candidates.isEmpty()) {
      return -1;
    }
    int party = candidateNumbers[candidates.size() == 1 ? 0 : comm.awaitAny(candidates)];
    await(party);
    return party;
  }

  long number(int party) {
    return received.get(JAVA_LONG, 64L * party);
  }

  @Override
  public void close() {
    for (Request request : sends) {
      close(request);
    }
    for (Request request : receives) {
      close(request);
    }
  }
}
