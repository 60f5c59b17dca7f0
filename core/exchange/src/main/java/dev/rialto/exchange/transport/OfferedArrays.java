package dev.rialto.exchange.transport;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The arrays that ranks of one process offer one another: the segments themselves, not their
 * addresses, so that a reader can keep the sender's memory alive while it reads.
 *
 * <p>There is one offer for each message, which its sender makes and its receiver finds once, by a
 * number. What a sender puts there is published by the signal that follows.
 */
final class OfferedArrays implements AutoCloseable {
  private static final AtomicLong NEXT = new AtomicLong();

  /** Weak, so that what a failure left behind keeps no memory of the caller's alive. */
  private static final Map<Long, WeakReference<Offer>> ALL = new ConcurrentHashMap<>();

  /** The arrays of a message, and whether its receiver reads them and must not be left. */
  private static final class Offer {
    final MemorySegment[] arrays;
    volatile boolean read;

    Offer(int vectors) {
      arrays = new MemorySegment[vectors];
    }
  }

  private final long[] numbers;
  private final Offer[] outgoing;
  private final Offer[] incoming;

  /** Whether this rank has ever marked itself as a reader. */
  private boolean marked;

  /** Makes the offers of the outgoing messages and finds those of the incoming. Collective. */
  OfferedArrays(ChannelSpec wiring) {
    this.numbers = new long[wiring.targets().length];
    this.outgoing = new Offer[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      outgoing[i] = new Offer(wiring.vectors());
      numbers[i] = NEXT.incrementAndGet();
      ALL.put(numbers[i], new WeakReference<>(outgoing[i]));
    }
    long[] theirs = wiring.tellTargets(numbers);
    this.incoming = new Offer[theirs.length];
    for (int i = 0; i < theirs.length; i++) {
      WeakReference<Offer> known = ALL.get(theirs[i]);
      Offer offer = known == null ? null : known.get();
      if (offer == null) {
        throw Departed.peer(wiring.comm(), wiring.sources()[i]);
      }
      incoming[i] = offer;
    }
  }

  void offer(int message, MemorySegment[] arrays) {
    System.arraycopy(arrays, 0, outgoing[message].arrays, 0, arrays.length);
  }

  MemorySegment get(int message, int vector) {
    return incoming[message].arrays[vector];
  }

  /** Marks this rank as one that reads what it is offered. */
  void read() {
    marked = true;
    for (Offer each : incoming) {
      each.read = true;
    }
    VarHandle.fullFence();
  }

  void release(int message) {
    // What others must see at once takes its time, and only runs that read everything mark it.
    if (marked) {
      incoming[message].read = false;
    }
  }

  /** Reads no more, and waits while a rank reads what this one has offered. */
  void fail() {
    for (Offer each : incoming) {
      each.read = false;
    }
    VarHandle.fullFence();
    for (Offer each : outgoing) {
      while (each.read) {
        LockSupport.parkNanos(this, 50_000);
      }
    }
  }

  @Override
  public void close() {
    for (long number : numbers) {
      ALL.remove(number);
    }
  }
}
