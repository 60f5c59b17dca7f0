package dev.rialto.local.window;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A lock that many share or one has, granted in the order in which it was asked for.
 *
 * <p>Each request draws a ticket. Two counters call tickets: a reader goes in when its ticket is
 * called for reading and calls the next one at once, so readers that follow one another are in
 * together; a writer waits for its ticket to be called for writing, which happens when all before
 * it have left. Waiting is the caller's affair; a caller that gives up says so, and its ticket is
 * passed over when it is called.
 */
final class FairLock {
  private final AtomicLong tickets = new AtomicLong();
  private final AtomicLong reading = new AtomicLong();
  private final AtomicLong writing = new AtomicLong();
  private final Set<Long> givenUpShared = ConcurrentHashMap.newKeySet();
  private final Set<Long> givenUpExclusive = ConcurrentHashMap.newKeySet();
  private volatile boolean givenUp;

  /** Asks for the lock; the ticket says when it is granted. */
  long ask() {
    return tickets.getAndIncrement();
  }

  /** Tries to go in with a ticket that was drawn for reading. */
  boolean enterShared(long ticket) {
    passOver();
    return reading.get() == ticket && reading.incrementAndGet() > ticket;
  }

  /** Tries to go in with a ticket that was drawn for writing. */
  boolean enterExclusive(long ticket) {
    passOver();
    return writing.get() == ticket;
  }

  void giveUpShared(long ticket) {
    givenUpShared.add(ticket);
    givenUp = true;
  }

  void giveUpExclusive(long ticket) {
    givenUpExclusive.add(ticket);
    givenUp = true;
  }

  private void passOver() {
    while (givenUp) {
      if (givenUpShared.remove(reading.get())) {
        reading.incrementAndGet();
        leaveShared();
      } else if (givenUpExclusive.remove(writing.get())) {
        leaveExclusive();
      } else {
        return;
      }
    }
  }

  void leaveShared() {
    writing.incrementAndGet();
  }

  void leaveExclusive() {
    reading.incrementAndGet();
    writing.incrementAndGet();
  }
}
