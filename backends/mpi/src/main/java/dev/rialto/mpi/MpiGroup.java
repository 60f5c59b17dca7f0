package dev.rialto.mpi;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.error.RialtoException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A communicator's identity and state: who is in it, and what is still open. */
abstract class MpiGroup implements Communicator {
  private final Job job;
  private final String name;
  private final long handle;
  private final int rank;
  private final int size;
  private final AtomicInteger pending = new AtomicInteger();
  private volatile boolean closed;

  MpiGroup(Job job, String name, long handle) {
    this.job = job;
    this.name = name;
    this.handle = handle;
    this.rank = Job.rank(handle);
    this.size = Job.size(handle);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final int rank() {
    return rank;
  }

  @Override
  public final int size() {
    return size;
  }

  @Override
  public final Set<Capability> capabilities() {
    return MpiBackend.ofCommunicators();
  }

  @Override
  public final int maxTag() {
    return job.maxTag();
  }

  final Job job() {
    return job;
  }

  /** Returns the library's handle, if this communicator is open. */
  final long handle() {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    job.checkThread();
    return handle;
  }

  final boolean crowded() {
    return job.crowded();
  }

  final String where() {
    return "rank " + rank + " of " + size + " in " + name;
  }

  /** Counts something that must end before this communicator is closed. */
  final void began() {
    pending.incrementAndGet();
  }

  final void ended() {
    pending.decrementAndGet();
  }

  final void check(int code, Operation operation) {
    if (code != 0) {
      throw failure(code, operation);
    }
  }

  final RialtoException failure(int code, Operation operation) {
    return Errors.of(code, operation.toString(), where());
  }

  /**
   * Returns where the library is to leave a request; 0 to wait inside of the library, which is done
   * where a processor can be kept busy by that.
   */
  final long request(boolean wait) {
    return wait && !crowded() ? 0 : Scratch.get().request();
  }

  /**
   * Ends a call of a collective function.
   *
   * @param code what the function returned
   * @param request as from {@link #request}
   * @param a what the library may still use, as are {@code b} and {@code c}
   * @return the request; a complete one if the library has waited
   */
  final Request finish(
      int code, long request, String name, int root, long bytes, Object a, Object b, Object c) {
    if (code != 0) {
      throw failure(code, new Operation(name, root, -1, bytes));
    }
    if (request == 0) {
      Buffers.used(a);
      Buffers.used(b);
      Buffers.used(c);
      return Done.REQUEST;
    }
    Operation operation = new Operation(name, root, -1, bytes);
    return new MpiRequest(this, operation, MpiRequest.Kind.COLLECTIVE, false, a, b, c);
  }

  /**
   * Ends a call that describes a persistent operation.
   *
   * @param code what the library's function returned; empty if the library has none, then each
   *     start begins a new operation
   */
  final PersistentRequest persistent(
      Optional<Integer> code, Supplier<Request> begin, Operation operation, Object... kept) {
    if (code.isEmpty()) {
      return new Restarted(this, begin, operation);
    }
    check(code.get(), operation);
    return new MpiRequest(this, operation, MpiRequest.Kind.COLLECTIVE, true, kept);
  }

  /** Closes a communicator that is not the world's. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Job.free(handle);
    int open = pending.get();
    if (open > 0) {
      throw new IllegalStateException(
          name
              + " is closed while "
              + open
              + " requests, windows or topologies made from it are open; close those first");
    }
  }
}
