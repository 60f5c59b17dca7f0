package dev.rialto.local.collective;

import dev.rialto.local.memory.ConfinedCopy;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.message.Pending;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A collective that was begun without waiting for it. */
public class CollectiveRequest extends CollectiveOperation implements Request, Pending {
  private boolean over = true;
  private @Nullable RuntimeException thrown;
  private @Nullable ConfinedCopy sent;
  private @Nullable ConfinedCopy received;
  private long receivedBytes;

  CollectiveRequest(CollectiveQueue queue) {
    super(queue);
  }

  @Override
  final CollectiveOperation sending(MemorySegment buffer, long bytes) {
    if (bytes == 0 || !Memory.confined(buffer)) {
      return super.sending(buffer, bytes);
    }
    sent = new ConfinedCopy(buffer, bytes, null);
    return super.sending(sent.copy(), bytes);
  }

  @Override
  final CollectiveOperation receiving(MemorySegment buffer, long bytes) {
    if (bytes == 0 || !Memory.confined(buffer)) {
      return super.receiving(buffer, bytes);
    }
    received = new ConfinedCopy(buffer, bytes, null);
    receivedBytes = bytes;
    return super.receiving(received.copy(), bytes);
  }

  public final void begin() {
    if (sent != null) {
      sent.load();
    }
    thrown = null;
    forgetFailure();
    queue.begin(this);
    over = false;
  }

  @Override
  public final boolean test() {
    if (!over) {
      queue.member.self.progress();
      try {
        if (poll()) {
          end(outcome());
        } else {
          queue.member.self.failIfHopeless(this);
        }
      } catch (PeerFailedException | DeadlockException e) {
        giveUp(e);
      }
    }
    return over;
  }

  @Override
  public final Status await() {
    return await(Long.MAX_VALUE);
  }

  @Override
  public final Status await(Duration limit) {
    boolean endless = limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
    return await(endless ? Long.MAX_VALUE : Math.max(limit.toNanos(), 0));
  }

  private Status await(long nanos) {
    if (!over) {
      try {
        if (!queue.member.self.await(this, nanos)) {
          throw new TimeoutException(
              describe() + " is not complete after " + Duration.ofNanos(nanos),
              queue.toString(),
              "it is still pending: await it again",
              null);
        }
        end(outcome());
      } catch (PeerFailedException | DeadlockException e) {
        giveUp(e);
      }
    }
    if (thrown != null) {
      throw thrown;
    }
    return Status.EMPTY;
  }

  private void giveUp(CommunicationException reason) {
    queue.leave(this);
    end(reason);
  }

  private void end(@Nullable RuntimeException failure) {
    thrown = failure;
    if (failure == null && received != null) {
      try {
        unstage(received, receivedBytes);
      } catch (IllegalStateException e) {
        freed(rank(), e);
        thrown = outcome();
      }
    }
    over = true;
    ended();
  }

  /** Gives up what is not needed once it is over. */
  void ended() {
    forget();
    queue.member.deregister(this);
  }

  @Override
  public boolean isOpen() {
    return !over;
  }

  @Override
  public final void abandon() {
    if (!over) {
      queue.leave(this);
    }
  }

  /** Others may have begun to work on it, so it cannot be taken back. */
  @Override
  public final boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    if (over) {
      return;
    }
    if (queue.member.failed()) {
      queue.leave(this);
      over = true;
      ended();
    } else {
      var _ = await();
    }
  }
}
