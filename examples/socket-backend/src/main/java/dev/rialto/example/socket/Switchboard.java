package dev.rialto.example.socket;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The links to all other ranks, with a thread each that puts what comes into the mailbox.
 *
 * <p>The threads always read, whether or not a message is waited for. So a send never waits for a
 * receive, at the price of memory for what is not received yet, and the end of a peer is noticed at
 * once. A link that ends without a last word means that the peer has died.
 */
final class Switchboard {
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);
  private static final Duration FOREVER = Duration.ofDays(365);

  private final int rank;
  private final Map<Integer, Link> links;
  private final Mailbox mailbox = new Mailbox();
  private final List<Thread> listeners = new ArrayList<>();
  private final AtomicInteger contexts = new AtomicInteger();
  private final AtomicBoolean lastWordSaid = new AtomicBoolean();

  Switchboard(int rank, Map<Integer, Link> links) {
    this.rank = rank;
    this.links = links;
    links.forEach(
        (peer, link) -> listeners.add(Thread.startVirtualThread(() -> listen(peer, link))));
  }

  Mailbox mailbox() {
    return mailbox;
  }

  /** Makes a number for a new communicator, one that no process has used or will use. */
  long newContext() {
    return (rank + 1L) << 32 | contexts.getAndIncrement();
  }

  /**
   * Sends a frame to a rank of the world; returns when its payload may be overwritten.
   *
   * @return whether it could be sent; if not, the world has failed
   */
  boolean send(int target, Frame frame) {
    Link link = links.get(target);
    if (link == null) {
      mailbox.deliver(frame.copy());
      return true;
    }
    try {
      link.write(frame);
      return true;
    } catch (IOException e) {
      lose(target, e);
      return false;
    }
  }

  private void lose(int peer, IOException e) {
    mailbox.fail("rank " + peer + " cannot be reached: " + e.getMessage());
  }

  private void listen(int peer, Link link) {
    try {
      while (true) {
        Frame frame = link.read();
        switch (frame.tag()) {
          case Frame.GOODBYE -> mailbox.leave(peer);
          case Frame.FAILED ->
              mailbox.fail(new String(frame.payload().toArray(ValueLayout.JAVA_BYTE), UTF_8));
          default -> mailbox.deliver(frame);
        }
      }
    } catch (IOException e) {
      if (!mailbox.hasLeft(peer)) {
        mailbox.fail("rank " + peer + " has ended without a word: " + e);
      }
    } catch (RuntimeException | Error e) {
      mailbox.fail("rank " + rank + " could not take a message of rank " + peer + ": " + e);
    }
  }

  /** Fails the world on all ranks. */
  void abort(String reason) {
    mailbox.fail(reason);
    sayLastWord();
  }

  private void sayLastWord() {
    if (lastWordSaid.getAndSet(true)) {
      return;
    }
    String failure = mailbox.failure();
    Frame word =
        failure == null
            ? new Frame(Group.WORLD, rank, Frame.GOODBYE, MemorySegment.NULL)
            : new Frame(
                Group.WORLD, rank, Frame.FAILED, MemorySegment.ofArray(failure.getBytes(UTF_8)));
    links.forEach(
        (peer, link) -> {
          try {
            link.write(word);
            link.endOutput();
          } catch (IOException e) {
            lose(peer, e);
          }
        });
  }

  /**
   * Says the last word, waits until all others have, and hangs up. In a failed world they get only
   * a moment, and that because hanging up on a peer that still sends could lose our word.
   */
  void close() {
    sayLastWord();
    Duration patience = mailbox.failure() == null ? FOREVER : LAST_WORDS;
    try {
      for (Thread listener : listeners) {
        if (!listener.join(patience)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    links.values().forEach(Link::close);
  }
}
