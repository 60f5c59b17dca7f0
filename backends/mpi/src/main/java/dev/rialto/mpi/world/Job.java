package dev.rialto.mpi.world;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.mpi.MpiBackend;
import dev.rialto.mpi.collective.Agreement;
import dev.rialto.mpi.launch.Launched;
import dev.rialto.mpi.launch.LaunchedJob;
import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.mpi.library.LoadedLibrary;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.Messages;
import dev.rialto.mpi.message.TypedTags;
import dev.rialto.mpi.message.UnderWay;
import dev.rialto.mpi.watch.RankBoard;
import dev.rialto.mpi.watch.Watch;
import dev.rialto.mpi.window.CheckedWindow;
import dev.rialto.spi.Capability;
import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.parts.LeftClosings;
import dev.rialto.system.OperatingSystem;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * This process's part in the parallel job.
 *
 * <p>MPI can be initialised once in the life of a process, so it stays initialised from the first
 * world to the end of the JVM; worlds come and go in between. A process that ends while its rank is
 * running ends the job: its peers would wait for it forever.
 */
public final class Job {
  private static final MethodHandle INIT_THREAD = Mpi.function("MPI_Init_thread", "ppip");
  private static final MethodHandle FINALIZE = Mpi.function("MPI_Finalize", "");
  private static final MethodHandle ABORT = Mpi.function("MPI_Abort", "hi");
  private static final MethodHandle COMM_RANK = Mpi.function("MPI_Comm_rank", "hp");
  private static final MethodHandle COMM_SIZE = Mpi.function("MPI_Comm_size", "hp");
  private static final MethodHandle GET_ATTRIBUTE = Mpi.function("MPI_Comm_get_attr", "hipp");
  private static final MethodHandle SPLIT_TYPE = Mpi.function("MPI_Comm_split_type", "hiihp");
  private static final MethodHandle COMM_FREE = Mpi.function("MPI_Comm_free", "p");
  private static final MethodHandle SET_ERRORS = Mpi.function("MPI_Comm_set_errhandler", "hh");

  /** The system's number for "processors that are online", of sysconf. */
  private static final int NPROCESSORS_ONLN =
      OperatingSystem.current() == OperatingSystem.MACOS ? 58 : 84;

  /** The level of thread support to ask for, if not the highest. */
  private static final String THREADS = "rialto.mpi.threads";

  /** The time that the library gets to wind up; all that matters is done by then. */
  private static final Duration FINALIZE_LIMIT = Duration.ofSeconds(20);

  /** The time that aborting gets in the library, which other threads may be stuck in. */
  private static final Duration ABORT_LIMIT = Duration.ofSeconds(2);

  /** The time that other ranks get for their last words, once one has failed. */
  private static final Duration LAST_WORDS_LIMIT = Duration.ofSeconds(2);

  /** The time that a program gets to print what it was told. */
  private static final Duration PRINT_LIMIT = Duration.ofMillis(300);

  /**
   * Whether ranks agree on each collective and watch each other; the same on all ranks. See {@link
   * Agreement} and {@link Watch}.
   */
  public static final boolean CHECKED =
      Boolean.parseBoolean(System.getProperty("rialto.mpi.checks", "true"));

  private static @Nullable Job joined;

  private final int rank;
  private final int size;
  private final boolean crowded;
  private final boolean oneNode;
  private final boolean severalThreads;
  private final @Nullable Thread onlyThread;
  private final Watch watch;
  private final Set<Capability> capabilities;

  /** Windows that are open: what this rank has locked in them is let go if it fails. */
  private final Set<CheckedWindow> windows = ConcurrentHashMap.newKeySet();

  /** Memory of operations that were given up, which the library may still use. */
  private final List<Object> abandoned = Collections.synchronizedList(new ArrayList<>());

  private final UnderWay underWay = new UnderWay();
  private final LeftClosings left = new LeftClosings();
  private volatile boolean busy;
  private volatile @Nullable Throwable failure;

  private Job() {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(INIT_THREAD, 0, 0, threads(), scratch.out()), "MPI_Init_thread");
    int provided = Native.getInt(scratch.out());
    severalThreads = provided >= Mpi.CONSTANTS.threadMultiple();
    onlyThread = provided >= Mpi.CONSTANTS.threadSerialized() ? null : Thread.currentThread();
    returnErrors(Mpi.COMM_WORLD);
    rank = rank(Mpi.COMM_WORLD);
    size = size(Mpi.COMM_WORLD);
    int onNode = ranksOnNode();
    crowded = onNode > processors();
    oneNode = onNode == size;
    // Those of other machines cannot be watched.
    watch = new Watch(this, CHECKED && oneNode ? RankBoard.share(rank, size) : Optional.empty());
    capabilities = MpiBackend.ofCommunicators(severalThreads, CHECKED, TypedTags.ON, watch.sees());
    Runtime.getRuntime().addShutdownHook(new Thread(this::leave, "mpi finalize"));
  }

  /** Joins the job that this process belongs to, if it has not done so yet. */
  public static synchronized Job join() {
    Job job = joined;
    if (job == null) {
      job = new Job();
      joined = job;
      job.checkLauncher(Launched.from(System.getenv()));
    }
    return job;
  }

  /** Returns what communicators can do, as far as is known before the job is joined. */
  public static synchronized Set<Capability> known() {
    return joined == null
        ? MpiBackend.ofCommunicators(
            threads() == Mpi.CONSTANTS.threadMultiple(), CHECKED, CHECKED, CHECKED)
        : joined.capabilities;
  }

  public Set<Capability> capabilities() {
    return capabilities;
  }

  /** Returns the level of thread support to ask for. */
  private static int threads() {
    String asked = System.getProperty(THREADS, "multiple");
    return switch (asked) {
      case "multiple" -> Mpi.CONSTANTS.threadMultiple();
      case "serialized" -> Mpi.CONSTANTS.threadSerialized();
      case "funneled" -> Mpi.CONSTANTS.threadFunneled();
      default ->
          throw new IllegalArgumentException(
              THREADS + " is '" + asked + "'; give multiple, serialized or funneled");
    };
  }

  /** Refuses calls from threads that the library does not allow to make them. */
  void checkThread() {
    if (onlyThread != null && !onlyThread.equals(Thread.currentThread())) {
      throw new IllegalStateException(
          ("this MPI library allows only %s to call it, not %s; communicate on that thread, "
                  + "or use a library built with MPI_THREAD_MULTIPLE")
              .formatted(onlyThread, Thread.currentThread()));
    }
  }

  public int rank() {
    return rank;
  }

  public int size() {
    return size;
  }

  /** Returns whether all ranks of the job are on one machine. */
  public boolean oneNode() {
    return oneNode;
  }

  /** Returns whether ranks outnumber processors, so that one that waits must give way. */
  boolean crowded() {
    return crowded;
  }

  public String where() {
    return "rank " + rank + " of " + size;
  }

  /** Says whether peers may be waiting for this process: its rank is running, or has failed. */
  void busy(boolean isBusy) {
    busy = isBusy;
  }

  /** Returns what is to be closed when the body has returned; if it fails, the process ends. */
  LeftClosings left() {
    return left;
  }

  /** Returns who watches over this rank's calls. */
  public Watch watch() {
    return watch;
  }

  /** Returns the requests that the library works on. */
  public UnderWay underWay() {
    return underWay;
  }

  /** Keeps what the library may still use of an operation that was given up. */
  public void abandon(Object used) {
    abandoned.add(used);
  }

  /**
   * Notes that this rank has failed.
   *
   * @return the reason for all ranks: if it failed because another had, that one's failure
   */
  Throwable fail(Throwable thrown) {
    Throwable reason = watch.fail(thrown);
    failure = reason;
    if (severalThreads && !windows.isEmpty()) {
      // Ranks that wait for a lock in the library can be told only when they get it.
      Thread.ofPlatform().daemon().name("mpi unlock").start(this::unlockWindows);
    }
    return reason;
  }

  /** Lets others have what this rank has locked, and serves those that lock its memory. */
  private void unlockWindows() {
    windows.forEach(CheckedWindow::unlockHeld);
    Scratch scratch = Scratch.get();
    int any = Mpi.CONSTANTS.anySource();
    try {
      while (!watch.allOver()) {
        Native.call(
            Messages.IPROBE,
            any,
            TypedTags.LARGEST,
            Mpi.COMM_WORLD,
            scratch.flag(),
            scratch.status());
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void opened(CheckedWindow window) {
    windows.add(window);
  }

  public void closed(CheckedWindow window) {
    windows.remove(window);
  }

  /** Closes the windows of a world that were left open, on all ranks in the same order. */
  void closeWindows(MpiGroup world) {
    windows.stream()
        .filter(each -> each.group().worldClosed().equals(world.worldClosed()))
        .sorted(Comparator.comparing(CheckedWindow::toString))
        .forEach(CheckedWindow::close);
  }

  /** Ends the processes of all ranks, after saying why. */
  public void abort(String reason) {
    LaunchedJob.lastWords(rank, where() + ": " + reason);
    end();
  }

  /** Ends a job of which this process goes; says so, unless the job ends for another reason. */
  private void abortUnfinished() {
    if (!LaunchedJob.isEnding()) {
      LaunchedJob.lastWords(
          rank, where() + ": the process ends before its rank has, so the job ends");
    }
    end();
  }

  /** Ends the processes of all ranks of a failed job once they have had time to say why. */
  void abortFailed(String words) {
    long end = System.nanoTime() + LAST_WORDS_LIMIT.toNanos();
    try {
      while (!watch.allOver() && System.nanoTime() < end) {
        Thread.sleep(20);
      }
      Thread.sleep(PRINT_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Throwable reason = failure;
    if (reason != null && watch.speaks(reason)) {
      LaunchedJob.lastWords(rank, where() + ": " + words);
    } else {
      LaunchedJob.awaitLastWords(LAST_WORDS_LIMIT);
    }
    end();
  }

  private static void end() {
    Thread abort = Thread.ofPlatform().daemon().start(() -> Native.call(ABORT, Mpi.COMM_WORLD, 1));
    try {
      boolean _ = abort.join(ABORT_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
  }

  public static int rank(long comm) {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(COMM_RANK, comm, scratch.out()), "asking for the rank");
    return Native.getInt(scratch.out());
  }

  public static int size(long comm) {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(COMM_SIZE, comm, scratch.out()), "asking for the number of ranks");
    return Native.getInt(scratch.out());
  }

  /** Makes errors of a communicator return instead of ending the process. */
  public static void returnErrors(long comm) {
    Errors.check(Native.call(SET_ERRORS, comm, Mpi.ERRORS_RETURN), "setting the error handler");
  }

  /** Makes the communicator of the ranks of {@code comm} that share this one's node. */
  static long splitByNode(long comm) {
    long out = Scratch.get().out();
    int shared = Mpi.CONSTANTS.typeShared();
    Errors.check(
        Native.call(SPLIT_TYPE, comm, shared, rank(comm), Mpi.INFO_NULL, out), "splitting by node");
    long node = Mpi.getHandle(out);
    returnErrors(node);
    return node;
  }

  public static void free(long comm) {
    long out = Scratch.get().out();
    Mpi.putHandle(out, comm);
    Errors.check(Native.call(COMM_FREE, out), "freeing a communicator");
  }

  /** Returns the largest tag that the library takes. */
  public static int largestTag() {
    Scratch scratch = Scratch.get();
    int key = Mpi.CONSTANTS.tagUpperBound();
    Errors.check(
        Native.call(GET_ATTRIBUTE, Mpi.COMM_WORLD, key, scratch.out(), scratch.flag()),
        "asking for the largest tag");
    return Native.getInt(scratch.flag()) == 0
        ? 32767
        : Native.getInt(Native.getLong(scratch.out()));
  }

  private static int ranksOnNode() {
    long node = splitByNode(Mpi.COMM_WORLD);
    int ranks = size(node);
    free(node);
    return ranks;
  }

  /** Counts the machine's, not those this process is bound to: each rank is bound to others. */
  private static int processors() {
    Linker linker = Linker.nativeLinker();
    MethodHandle sysconf =
        Native.bind(Native.symbol(linker.defaultLookup(), "sysconf"), "i", JAVA_LONG);
    return Math.max(
        Runtime.getRuntime().availableProcessors(), Native.call(sysconf, NPROCESSORS_ONLN));
  }

  private void checkLauncher(Optional<Launched> launched) {
    int started = launched.map(Launched::size).orElse(0);
    if (started > 1 && size == 1) {
      LoadedLibrary library = LibraryChoice.made().library().orElseThrow();
      throw new BackendException(
          ("the launcher started %s ranks, but %s (%s) sees 1: they are of different MPI "
                  + "families")
              .formatted(started, library.version(), library.path()),
          "",
          "start with the mpirun of that library, or choose the launcher's with "
              + LibraryChoice.VARIABLE,
          null);
    }
  }

  private void leave() {
    if (watch.failed()) {
      abortFailed("the rank failed: " + failure);
    } else if (busy) {
      abortUnfinished();
    }
    watch.end();
    Thread last =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  Datatypes.freeAll();
                  Native.call(FINALIZE);
                });
    try {
      if (!last.join(FINALIZE_LIMIT)) {
        System.err.println(where() + ": MPI_Finalize does not return; the process ends without it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
