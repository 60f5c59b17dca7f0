package dev.rialto.array;

import dev.rialto.array.run.TeamRuntime;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that share arrays, and what runs algorithms on them.
 *
 * {@snippet :
 * try (Team team = Team.on(comm);
 *     F64Array a = team.f64(1_000_000)) {
 *   a.set(i -> 1.0 / (i + 1));
 *   double sum = a.sum();
 * }
 * }
 *
 * <p>What a rank does with arrays is done in the order in which it was begun, so that ranks meet.
 * Work that is {@linkplain #start started} runs on a thread of the team's own. Memory that
 * algorithms need is kept for the next one. One thread of a rank works with a team and its arrays
 * at a time; another is refused meanwhile. Closing is collective and closes the arrays that are
 * left.
 */
public final class Team implements AutoCloseable {
  /** The client of arrays whose space names no other. */
  private final ComputeClient client;

  private final TeamRuntime runtime;
  private final Map<Object, AutoCloseable> kept = new LinkedHashMap<>();

  private Team(Communicator comm, ComputeClient client, @Nullable Executor executor) {
    this.client = client;
    this.runtime =
        new TeamRuntime(
            comm,
            client,
            executor,
            (space, type) -> space.describe(type).operand,
            object -> object instanceof Array array ? array.operand : null);
  }

  /** Makes a team whose loops run on one thread per rank. Collective. */
  public static Team on(Communicator comm) {
    return new Team(comm, Devices.host(), null);
  }

  /** Makes a team whose loops use an executor's threads; it stays the caller's. Collective. */
  public static Team on(Communicator comm, Executor executor) {
    return new Team(comm, Devices.host(), executor);
  }

  /**
   * Makes a team whose arrays are on a device, unless their space says otherwise: a client of
   * {@link Devices#open}, which may limit their memory. Ranks may use devices of their own.
   * Collective.
   */
  public static Team on(Communicator comm, ComputeClient client) {
    return new Team(comm, client, null);
  }

  /** Returns the indices of arrays to be made: of some extents, divided along the first axis. */
  public IndexSpace space(long... extents) {
    return IndexSpace.of(this, Shape.of(extents), client);
  }

  /** Makes an array of doubles, all zero, divided along the first axis. Collective. */
  public F64Array f64(long... extents) {
    return space(extents).f64();
  }

  /** Makes an array of floats, all zero, divided along the first axis. Collective. */
  public F32Array f32(long... extents) {
    return space(extents).f32();
  }

  /** Makes an array of longs, all zero, divided along the first axis. Collective. */
  public I64Array i64(long... extents) {
    return space(extents).i64();
  }

  /** Makes an array of ints, all zero, divided along the first axis. Collective. */
  public I32Array i32(long... extents) {
    return space(extents).i32();
  }

  /** Makes an array of complex numbers of two doubles, divided along the first axis. Collective. */
  public ComplexArray c128(long... extents) {
    return space(extents).c128();
  }

  /** Returns this rank's number, from 0. */
  public int rank() {
    return communicator().rank();
  }

  /** Returns the number of ranks. */
  public int size() {
    return communicator().size();
  }

  /** Returns the client of the device that arrays are on, unless their space says otherwise. */
  public ComputeClient client() {
    return client;
  }

  /**
   * Returns what makes kernels of Java methods for that device. They are launched with arrays of
   * this team, and each rank launches its own over what it owns of them.
   */
  public JavaKernels kernels() {
    return JavaKernels.on(client);
  }

  /** Returns the communicator of this team: the one given, duplicated where that can be. */
  public Communicator communicator() {
    return runtime.communicator();
  }

  /**
   * Returns what moves data of the host among the ranks: for halos and algorithms of arrays,
   * matrices, and exchanges of one's own. That of data elsewhere is made {@linkplain Exchanger#with
   * with} the kernels of its memory. It is closed with the team. Collective the first time.
   */
  public Exchanger exchanger() {
    return runtime.exchanger(runtime.host());
  }

  /**
   * Returns what finds the fastest schemes of {@link #exchanger}'s exchanges: of {@link
   * Array#tuneHalo} and of plans of one's own. Its settings, and where it remembers answers, are
   * the caller's to choose. Collective the first time.
   */
  public Tuner tuner() {
    return runtime.tuner(runtime.host());
  }

  /** Returns what runs this team's operations. */
  TeamRuntime runtime() {
    return runtime;
  }

  /** Prints a line, once for all ranks. */
  public void print(String line) {
    if (communicator().rank() == 0) {
      System.out.println(line);
    }
  }

  /**
   * Does something with arrays until it is done or cancelled. A cancellation by one rank stops all
   * of them.
   *
   * @throws java.util.concurrent.CancellationException if it was cancelled, on all ranks
   */
  public <R> R run(Cancellation until, Supplier<R> work) {
    return runtime.run(until, work);
  }

  /**
   * Does something with the memory of this team's arrays as one step: other threads that use them
   * meanwhile, or close them, are refused. All methods of arrays and teams are such steps.
   *
   * @param what it is, in words of {@code toString}
   * @throws IllegalStateException if another thread works with this team
   */
  public <R> R exclusively(Object what, Supplier<R> work) {
    try (Step _ = step(what)) {
      return work.get();
    }
  }

  /** A step with the memory of this team's arrays; closing ends it. */
  public interface Step extends AutoCloseable {
    @Override
    void close();
  }

  /** Begins a step as {@link #exclusively} does; the same thread closes it, once. */
  public Step step(Object what) {
    runtime.enter(what);
    return runtime::exit;
  }

  /**
   * Begins to do something with arrays and returns at once. It runs on a thread of the team, after
   * what was started before. Until {@link StartedWork#await} the arrays must be left alone; other
   * arrays can be worked with, which waits for what was started.
   *
   * <p>Work that fails and is not awaited is not lost: who uses or closes its arrays next, or
   * closes the team, gets its exception as a cause.
   *
   * <p>On a communicator that allows one thread per rank, its loops run meanwhile, and it
   * communicates inside {@link StartedWork#await}.
   *
   * @param work algorithms; they may read and change the arrays that are given, and no others.
   *     Arrays are made, closed and their halos updated outside, and so is what makes arrays for
   *     itself: {@code partition}, {@code sortBy}, {@code gather} and {@code print}
   */
  public <R> StartedWork<R> start(Supplier<R> work, Array... uses) {
    return runtime.start(work, Stream.of(uses).map(array -> array.operand).toList());
  }

  /**
   * Returns what a library keeps for this team, such as the streams of a device, made when it is
   * first asked for. It is closed with the team, what was made last first, before the arrays.
   *
   * @param key tells it from others of its kind, with {@code equals}
   */
  public <T extends AutoCloseable> T kept(Class<T> kind, Object key, Supplier<T> maker) {
    List<Object> name = List.of(kind, key);
    AutoCloseable known = kept.get(name);
    if (known == null) {
      known = maker.get();
      kept.put(name, known);
    }
    return kind.cast(known);
  }

  /**
   * Waits for operations that were started, closes what is kept and the arrays that are open. All
   * ranks do it, and none waits for the others: memory that these may read, and the communicator,
   * are given back when all have closed the team and make another, or return from their bodies.
   *
   * @throws IllegalStateException if an array cannot be closed, such as one whose halo is under
   *     way, or work failed that was not awaited
   */
  @Override
  public void close() {
    List<AutoCloseable> last = List.copyOf(kept.values()).reversed();
    kept.clear();
    @Nullable RuntimeException failure = null;
    for (AutoCloseable each : last) {
      try {
        each.close();
      } catch (Exception e) {
        failure = later(failure, new IllegalStateException(each + " did not close", e));
      }
    }
    try {
      runtime.close();
    } catch (RuntimeException e) {
      failure = later(failure, e);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException later(@Nullable RuntimeException first, RuntimeException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }
}
