package dev.rialto.exchange.transport;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The arrays that ranks of one process offer one another: the segments themselves, not their
 * addresses, so that a reader can keep the sender's memory alive while it reads.
 *
 * <p>There is one list of segments for each message, which its sender makes and its receiver finds
 * once, by a number. What a sender puts there is published by the signal that follows.
 */
final class OfferedArrays implements AutoCloseable {
  private static final AtomicLong NEXT = new AtomicLong();

  /** Weak, so that what a failure left behind keeps no memory of the caller's alive. */
  private static final Map<Long, WeakReference<MemorySegment[]>> ALL = new ConcurrentHashMap<>();

  private final long[] numbers;
  private final MemorySegment[][] outgoing;
  private final MemorySegment[][] incoming;

  /** Makes the lists of the outgoing messages and finds those of the incoming. Collective. */
  OfferedArrays(Wiring wiring) {
    this.numbers = new long[wiring.targets().length];
    this.outgoing = new MemorySegment[numbers.length][wiring.vectors()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = NEXT.incrementAndGet();
      ALL.put(numbers[i], new WeakReference<>(outgoing[i]));
    }
    long[] theirs = wiring.tellTargets(numbers);
    this.incoming = new MemorySegment[theirs.length][];
    for (int i = 0; i < theirs.length; i++) {
      WeakReference<MemorySegment[]> list = ALL.get(theirs[i]);
      MemorySegment[] segments = list == null ? null : list.get();
      if (segments == null) {
        throw Departed.peer(wiring.comm(), wiring.sources()[i]);
      }
      incoming[i] = segments;
    }
  }

  void offer(int message, MemorySegment[] arrays) {
    System.arraycopy(arrays, 0, outgoing[message], 0, arrays.length);
  }

  MemorySegment get(int message, int vector) {
    return incoming[message][vector];
  }

  @Override
  public void close() {
    for (long number : numbers) {
      ALL.remove(number);
    }
  }
}
