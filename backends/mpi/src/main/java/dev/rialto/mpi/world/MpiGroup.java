package dev.rialto.mpi.world;

import dev.rialto.mpi.collective.Agreement;
import dev.rialto.mpi.collective.CombiningThreads;
import dev.rialto.mpi.collective.Signature;
import dev.rialto.mpi.collective.SignatureExchange;
import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.watch.Patience;
import dev.rialto.mpi.watch.Wait;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.RialtoException;
import dev.rialto.spi.parts.messages.CompletedRequest;
import dev.rialto.spi.parts.messages.RepeatedRequest;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A communicator's identity and state: who is in it, and what is still open. */
public final class MpiGroup {
  private final Job job;
  private final String name;
  private final long handle;
  private final int rank;
  private final int size;
  private final AtomicInteger windows = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();
  private final @Nullable Agreement agreement;
  private final AtomicBoolean worldClosed;
  private volatile boolean closed;

  /** The ranks' numbers in the job, once they were asked for. */
  private volatile int @Nullable [] jobRanks;

  /** The interrupt that ended a call half-way. */
  private volatile @Nullable CommunicationException interrupted;

  @SuppressWarnings("this-escape") // What is made here only keeps it.
  MpiGroup(Job job, String name, long handle, AtomicBoolean worldClosed) {
    this.job = job;
    this.worldClosed = worldClosed;
    this.name = name;
    this.handle = handle;
    this.rank = Job.rank(handle);
    this.size = Job.size(handle);
    this.agreement = Job.CHECKED && size > 1 ? new Agreement(this, handle) : null;
  }

  /** Returns the communicator's name. */
  public String name() {
    return name;
  }

  /** Returns this rank's number. */
  public int rank() {
    return rank;
  }

  public int size() {
    return size;
  }

  public Job job() {
    return job;
  }

  /** Returns the library's handle, if this communicator is open. */
  public long handle() {
    long open = handleInCall();
    job.checkThread();
    CombiningThreads.refuse(name);
    if (Job.CHECKED) {
      job.watch().step(name);
    }
    return open;
  }

  /** Returns it for looking again while a call waits, which brings the rank no step forward. */
  public long handleInCall() {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    if (interrupted != null) {
      throw new IllegalStateException(
          "a call on " + name + " was interrupted, which other ranks wait for; make another",
          interrupted);
    }
    requireOpenWorld();
    return handle;
  }

  /** Refuses what is used after its world was closed; other ranks no longer take part. */
  public void requireOpenWorld() {
    if (worldClosed.get()) {
      throw closedWorld();
    }
  }

  private IllegalStateException closedWorld() {
    return new IllegalStateException(
        "the world of " + name + " is closed; use it before that, or open another");
  }

  /** Returns what ends a wait whose thread is interrupted. */
  public CommunicationException interrupted(MpiCall operation) {
    return new CommunicationException(
        "interrupted while waiting for " + operation,
        where(),
        "a call that blocks has ended, a request can be awaited again",
        new InterruptedException());
  }

  /** Notes that a call ended half-way: other ranks wait for what it has not done. */
  public void interrupt(CommunicationException by) {
    if (interrupted == null) {
      interrupted = by;
    }
  }

  /** Returns why an operation that is not complete will not be; null if it may. */
  public @Nullable RuntimeException ended(boolean closing) {
    return worldClosed.get() ? closedWorld() : job.watch().failure(closing, where());
  }

  /** Returns what tells communicators made from this one that the world was closed. */
  AtomicBoolean worldClosed() {
    return worldClosed;
  }

  /** Returns whether calls wait by looking again and again, not inside of the library. */
  public boolean polls() {
    return Job.CHECKED || job.crowded();
  }

  /** Begins a wait that looks again and again. */
  public Patience patience(MpiCall operation, boolean closing) {
    return new Patience(job.watch(), crowded(), operation, name, this::jobRank, closing);
  }

  /**
   * Begins to make sure that all ranks call the same collective; for one that waits, does so.
   *
   * @return what completes with the collective, if anything
   */
  public @Nullable SignatureExchange agree(boolean wait, Signature mine, long bytes) {
    if (agreement == null) {
      return null;
    }
    if (!mine.collective().closes()) {
      handle(); // A window may be closed after its communicator.
    }
    SignatureExchange exchange =
        agreement.begin(mine, new MpiCall(mine.collective().toString(), mine.root(), -1, bytes));
    if (wait) {
      try {
        exchange.await();
      } catch (CommunicationException e) {
        if (e.getCause() instanceof InterruptedException) {
          exchange.giveUp(e);
          interrupt(e);
        }
        throw e;
      }
      return null;
    }
    return exchange;
  }

  /** Returns a rank's number in the job. */
  private int jobRank(int of) {
    int[] known = jobRanks;
    if (known == null) {
      known = JobRanks.of(handle, size);
      jobRanks = known;
    }
    return known[of];
  }

  /** Returns whether ranks make sure that they call the same. */
  public boolean agrees() {
    return agreement != null;
  }

  /** Runs a blocking call; its memory cannot be freed meanwhile. */
  public static void holding(MemorySegment first, MemorySegment second, Runnable call) {
    if (Job.CHECKED) {
      HostMemory.holding(first, second, call);
    } else {
      call.run();
    }
  }

  /** Calls a function of the library that may wait for other ranks. */
  public void inLibrary(String operation, int peer, Runnable call) {
    if (!Job.CHECKED) {
      call.run();
      return;
    }
    Wait wait = job.watch().enter(new MpiCall(operation, peer, -1, 0), name, -1, false, true);
    try {
      call.run();
    } finally {
      job.watch().leave(wait);
    }
    job.watch().checkNow(name);
  }

  private boolean crowded() {
    return job.crowded();
  }

  public String where() {
    return "rank " + rank + " of " + size + " in " + name;
  }

  /** Counts something that must end before this communicator is closed. */
  public void began() {
    pending.incrementAndGet();
  }

  /** Returns the number of a window that all ranks make now. */
  public int nextWindow() {
    return windows.incrementAndGet();
  }

  public void ended() {
    if (pending.decrementAndGet() == 0 && closed) {
      free();
    }
  }

  /** Gives the handle back, unless a call or the job has failed: then the library is left alone. */
  private void free() {
    if (!job.watch().failed() && interrupted == null) {
      Job.free(handle);
    }
  }

  public void check(int code, MpiCall operation) {
    if (code != 0) {
      throw failure(code, operation);
    }
  }

  public RialtoException failure(int code, MpiCall operation) {
    return Errors.of(code, operation.toString(), where());
  }

  /**
   * Returns where the library is to leave a request; 0 to wait inside of the library, which is done
   * where a processor can be kept busy by that.
   */
  public long request(boolean wait) {
    return wait && !crowded() ? 0 : Scratch.get().request();
  }

  /**
   * Ends a call of a collective function.
   *
   * @param exchange what is still to complete of the ranks' agreement on it
   * @param code what the function returned
   * @param request as from {@link #request}
   * @param a what the library may still use, as are {@code b} and {@code c}
   * @return the request; a complete one if the library has waited
   */
  public Request finish(
      @Nullable SignatureExchange exchange,
      int code,
      long request,
      String name,
      int root,
      long bytes,
      Object a,
      Object b,
      Object c) {
    check(exchange, code, name, root, bytes);
    if (request == 0) {
      BufferChecks.used(a);
      BufferChecks.used(b);
      BufferChecks.used(c);
      return CompletedRequest.REQUEST;
    }
    MpiCall operation = new MpiCall(name, root, -1, bytes);
    return SignatureExchange.join(exchange, new MpiRequest(this, operation, false, a, b, c));
  }

  /** Throws if the library refused a collective; if ranks disagree on it, that is the reason. */
  public void check(
      @Nullable SignatureExchange exchange, int code, String name, int root, long bytes) {
    if (code != 0) {
      if (exchange != null) {
        exchange.await();
      }
      throw failure(code, new MpiCall(name, root, -1, bytes));
    }
  }

  /**
   * Ends a call that describes a persistent operation.
   *
   * @param code what the library's function returned; empty if the library has none, then each
   *     start begins a new operation
   */
  public PersistentRequest persistent(
      Optional<Integer> code, Supplier<Request> begin, MpiCall operation, Object... kept) {
    if (code.isEmpty()) {
      return repeated(operation, begin);
    }
    check(code.get(), operation);
    return new MpiRequest(this, operation, true, kept);
  }

  /** Returns a persistent request for what the library can only begin. */
  public PersistentRequest repeated(MpiCall operation, Supplier<Request> begin) {
    began();
    return new RepeatedRequest(operation.toString(), begin, this::ended);
  }

  /** Closes a communicator that is not the world's. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    int open = pending.get();
    if (open == 0) {
      free();
    } else {
      throw new IllegalStateException(
          ("%s is closed while %s requests, windows or topologies made from it are open; "
                  + "close those first")
              .formatted(name, open));
    }
  }
}
