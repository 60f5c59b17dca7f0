package dev.rialto.runtime;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of a device that threads use by default, one for each thread.
 *
 * <p>So a failure skips operations of the thread that asked for them, and of no other. A stream is
 * opened when a thread first needs one and passes to another thread once its own has ended and
 * everything on it has, with nothing left to raise. A stream without work has no thread, and takes
 * some 30 KB on the host. Virtual threads, of which there may be a million, get streams of their
 * own up to {@value #MOST_OF_VIRTUAL_THREADS}; those beyond share them.
 */
final class ThreadStreams {
  private static final int MOST_OF_VIRTUAL_THREADS = 1_024;

  /** A stream and the thread that uses it. */
  private static final class Lease {
    final ComputeStream stream;
    Thread thread;

    Lease(ComputeStream stream, Thread thread) {
      this.stream = stream;
      this.thread = thread;
    }
  }

  private final ComputeDevice device;

  /** Weak, so that a thread that lives on does not keep a device that is no longer used. */
  @SuppressWarnings("ThreadLocalUsage") // one for each device, of which there are few
  private final ThreadLocal<@Nullable WeakReference<ComputeStream>> mine = new ThreadLocal<>();

  private final List<Lease> leases = new ArrayList<>();
  private int nextShared;

  ThreadStreams(ComputeDevice device) {
    this.device = device;
  }

  /** Returns the calling thread's stream. */
  ComputeStream get() {
    WeakReference<ComputeStream> known = mine.get();
    ComputeStream stream = known == null ? null : known.get();
    if (stream == null) {
      stream = take(Thread.currentThread());
      mine.set(new WeakReference<>(stream));
    }
    return stream;
  }

  private synchronized ComputeStream take(Thread thread) {
    for (Lease lease : leases) {
      if (!lease.thread.isAlive() && lease.stream.isIdle() && !lease.stream.hasFailed()) {
        lease.thread = thread;
        return lease.stream;
      }
    }
    if (thread.isVirtual() && leases.size() >= MOST_OF_VIRTUAL_THREADS) {
      return leases.get(nextShared++ % MOST_OF_VIRTUAL_THREADS).stream;
    }
    ComputeStream opened = device.openStream(0, ComputeStream.Owner.THREAD);
    leases.add(new Lease(opened, thread));
    return opened;
  }
}
