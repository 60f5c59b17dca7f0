package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.Layout;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Messages in memory that sender and receiver share.
 *
 * <p>A short message is packed into one of two slots, used in turn, and its receiver unpacks it
 * from there: no rank waits for another, since the slot of the run before last has long been read.
 * For a long one the sender offers its array, if the receiver can address it, and ends its run when
 * the receiver has read it.
 *
 * <p>In the window of each rank are the lines of the {@link Signals}, a note per outgoing message
 * and slot that says how long it is and where offered arrays are, and the slots. Where all ranks
 * are in one process, those of long messages are allocated only if they are ever used.
 */
final class SharedChannel implements DirectChannel {
  /** Up to here packing was measured to be faster than waiting for the receiver. */
  private static final long SHORT = 16 << 10;

  /** A note's numbers: the length, and for each array a window and a place. */
  private static final int NOTE_LENGTH = 0;

  private static final int NOTE_ARRAYS = 16;

  private final Communicator comm;
  private final ChannelSpec wiring;
  private final Window window;
  private final Signals ready;
  private final Signals done;
  private final int[] order;
  private final long noteBytes;

  /** Whether each slot is allocated when it is used. */
  private final boolean[] isLate;

  /** The places of the notes of incoming messages at their senders. */
  private final long[] remoteNotes;

  private final MemorySegment[] peers;
  private final long notes;
  private final MessageBuffers[] late;
  private final MemorySegment[][] slots;
  private final MemorySegment[][] peerSlots;
  private final MemorySegment[][] arrays;
  private final long[] arrayKeys;

  /** The arrays offered to ranks of this process; see {@link OfferedArrays}. */
  private final @Nullable OfferedArrays inProcess;

  private final MemorySegment[] arrived;
  private final boolean[] offers;
  private final boolean[] offered;
  private final boolean[] returned;
  private int left;
  private long run;

  SharedChannel(ChannelSpec wiring) {
    this.comm = wiring.comm();
    this.wiring = wiring;
    int ranks = comm.size();
    int targets = wiring.targets().length;
    int sources = wiring.sources().length;
    long[] slotBytes = wiring.sendBytes().clone();
    this.isLate = new boolean[targets];
    for (int i = 0; i < targets; i++) {
      isLate[i] = wiring.shared().oneProcess() && slotBytes[i] > SHORT;
      slotBytes[i] = isLate[i] ? 0 : slotBytes[i];
    }
    long[] places = ChannelSpec.places(slotBytes);
    this.noteBytes = NOTE_ARRAYS + 16L * wiring.vectors() + 63 & -64;
    this.notes = 2 * Signals.bytes(ranks);
    long slotsAt = notes + 2 * noteBytes * targets;
    this.window = comm.sharedWindow(slotsAt + 2 * places[targets] + 64);
    this.peers = new MemorySegment[ranks];
    Arrays.setAll(peers, window::segmentOf);
    this.ready = signals(wiring.tag() + 1, 0);
    this.done = signals(wiring.tag() + 2, Signals.bytes(ranks));
    this.order = wiring.rotated();
    this.late =
        new MessageBuffers[] {
          new MessageBuffers(wiring, wiring.sendBytes()),
          new MessageBuffers(wiring, wiring.sendBytes())
        };
    this.slots = new MemorySegment[2][targets];
    long[] myNotes = new long[targets];
    long[] mySlots = new long[targets];
    long[] strides = new long[targets];
    for (int i = 0; i < targets; i++) {
      myNotes[i] = notes + 2 * noteBytes * i;
      mySlots[i] = slotsAt + places[i];
      strides[i] = isLate[i] ? -1 : places[targets];
      for (int slot = 0; slot < 2 && !isLate[i]; slot++) {
        slots[slot][i] =
            window.memory().asSlice(mySlots[i] + slot * places[targets], wiring.sendBytes()[i]);
      }
    }
    this.remoteNotes = wiring.tellTargets(myNotes);
    this.inProcess = wiring.shared().oneProcess() ? new OfferedArrays(wiring) : null;
    long[] first = wiring.tellTargets(mySlots);
    long[] stride = wiring.tellTargets(strides);
    this.peerSlots = new MemorySegment[2][sources];
    for (int i = 0; i < sources; i++) {
      for (int slot = 0; slot < 2 && stride[i] >= 0; slot++) {
        peerSlots[slot][i] =
            peers[wiring.sources()[i]].asSlice(
                first[i] + slot * stride[i], wiring.receiveBytes()[i]);
      }
    }
    this.arrays = new MemorySegment[sources][wiring.vectors()];
    this.arrayKeys = new long[2 * sources * wiring.vectors()];
    this.arrived = new MemorySegment[sources];
    this.offers = new boolean[targets];
    this.offered = new boolean[sources];
    this.returned = new boolean[sources];
  }

  private Signals signals(int tag, long offset) {
    MemorySegment[] lines = new MemorySegment[peers.length];
    Arrays.setAll(lines, i -> peers[i].asSlice(offset, Signals.bytes(peers.length)));
    return new Signals(comm, tag, lines, wiring.shared().oneProcess());
  }

  private int slot() {
    return (int) (run & 1);
  }

  @Override
  public int[] order() {
    return order;
  }

  @Override
  public MemorySegment outgoing(int message) {
    done.await(wiring.targets()[message], run - 2);
    return isLate[message] ? late[slot()].get(message) : slots[slot()][message];
  }

  @Override
  public MemorySegment incoming(int message) {
    return arrived[message];
  }

  @Override
  public void begin() {
    run++;
    left = returned.length;
    Arrays.fill(returned, false);
    Arrays.fill(offers, false);
  }

  @Override
  public void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes) {
    if (wiring.variable() || isLate[message]) {
      long note = note(message);
      window.memory().set(JAVA_LONG, note + NOTE_LENGTH, bytes);
      describe(note, 0, SharedMemory.BY_ADDRESS, memory.address());
    }
    ready.set(wiring.targets()[message], 2 * run);
  }

  private long note(int message) {
    return notes + (2L * message + slot()) * noteBytes;
  }

  private void describe(long note, int vector, long where, long place) {
    long at = note + NOTE_ARRAYS + 16L * vector;
    window.memory().set(JAVA_LONG, at, where);
    window.memory().set(JAVA_LONG, at + 8, place);
  }

  @Override
  public boolean worthOffering(int message, MemorySegment input) {
    return wiring.sendBytes()[message] > SHORT && canOffer(message, input);
  }

  /** Memory that is confined to this thread cannot be kept alive by the thread that reads it. */
  @Override
  public boolean canOffer(int message, MemorySegment input) {
    return wiring.shared().window(input) != SharedMemory.UNREACHABLE
        && (inProcess == null || !HostMemory.confined(input));
  }

  @Override
  public void offer(int message, MemorySegment[] inputs) {
    int target = wiring.targets()[message];
    done.await(target, run - 2);
    if (inProcess != null) {
      inProcess.offer(message, inputs);
    } else {
      long note = note(message);
      for (int vector = 0; vector < inputs.length; vector++) {
        long where = wiring.shared().window(inputs[vector]);
        describe(note, vector, where, wiring.shared().place(inputs[vector], where));
      }
    }
    offers[message] = true;
    ready.set(target, 2 * run + 1);
  }

  @Override
  public void sent() {}

  @Override
  public int next() {
    if (left == 0) {
      return -1;
    }
    for (int i = 0; true; i++) {
      int first = -1;
      for (int message = 0; message < returned.length; message++) {
        if (returned[message]) {
          continue;
        }
        long number = ready.get(wiring.sources()[message], 2 * run);
        if (number >= 2 * run) {
          // A sender that is ahead cannot have made an offer: it would wait for this rank.
          arrive(message, number == 2 * run + 1);
          return message;
        }
        first = first < 0 ? message : first;
      }
      if (ready.patient(i)) {
        ready.pause(i);
      } else {
        ready.sleep(wiring.sources()[first], 2 * run);
      }
    }
  }

  private void arrive(int message, boolean offer) {
    returned[message] = true;
    left--;
    offered[message] = offer;
    if (offer) {
      for (int vector = 0; vector < wiring.vectors() && inProcess == null; vector++) {
        arrays[message][vector] = resolve(message, vector);
      }
    } else {
      MemorySegment[] known = peerSlots[slot()];
      if (known[message] == null) {
        known[message] = resolve(message, 0);
      }
      arrived[message] = known[message];
    }
  }

  /** Finds an array that a note describes; the same one as before is not made anew. */
  private MemorySegment resolve(int message, int vector) {
    MemorySegment peer = peers[wiring.sources()[message]];
    long at = remoteNotes[message] + slot() * noteBytes + NOTE_ARRAYS + 16L * vector;
    long where = peer.get(JAVA_LONG, at);
    long place = peer.get(JAVA_LONG, at + 8);
    int key = 2 * (message * wiring.vectors() + vector);
    MemorySegment known = arrays[message][vector];
    if (known != null && arrayKeys[key] == where && arrayKeys[key + 1] == place) {
      return known;
    }
    arrayKeys[key] = where;
    arrayKeys[key + 1] = place;
    MemorySegment found = wiring.shared().resolve(wiring.sources()[message], where, place);
    arrays[message][vector] = found;
    return found;
  }

  @Override
  public boolean isOffer(int message) {
    return offered[message];
  }

  @Override
  public MemorySegment offered(int message, int vector) {
    return inProcess != null ? inProcess.get(message, vector) : arrays[message][vector];
  }

  @Override
  public long received(int message) {
    return wiring.variable()
        ? peers[wiring.sources()[message]].get(
            JAVA_LONG, remoteNotes[message] + slot() * noteBytes + NOTE_LENGTH)
        : wiring.receiveBytes()[message];
  }

  /** First marks this rank as a reader, then looks whether a sender has failed. */
  @Override
  public void read() {
    if (inProcess != null) {
      inProcess.read();
      for (int source : wiring.sources()) {
        ready.requireThere(source);
      }
    }
  }

  @Override
  public void release(int message) {
    if (inProcess != null) {
      inProcess.release(message);
    }
    done.set(wiring.sources()[message], run);
  }

  @Override
  public void end() {
    for (int message = 0; message < offers.length; message++) {
      if (offers[message]) {
        done.await(wiring.targets()[message], run);
      }
    }
  }

  /** First says that it has failed, then looks for readers. */
  @Override
  public void fail() {
    ready.fail();
    done.fail();
    if (inProcess != null) {
      inProcess.fail();
    }
  }

  @Override
  public long bufferBytes() {
    return window.memory().byteSize() + late[0].allocated() + late[1].allocated();
  }

  @Override
  public void close() {
    // Peers may still read the slots of the last run.
    for (int target : wiring.targets()) {
      done.await(target, run);
    }
    // A peer that runs once more, while this rank closes, is told, and so is this rank.
    ready.part();
    window.close();
    if (inProcess != null) {
      inProcess.close();
    }
  }
}
