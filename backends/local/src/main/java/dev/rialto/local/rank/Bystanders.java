package dev.rialto.local.rank;

import static java.util.stream.Collectors.toSet;

import dev.rialto.system.JoinedThread;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The threads that could bring ranks forward which all wait: those that ranks started, directly or
 * not, and those that have used a communicator of the world.
 *
 * <p>Each thread that is started gets a token that nothing but the thread refers to; it is over
 * when the collector has found the token. A thread that waits in a communication without a time
 * limit, or idles as the worker of a pool, does nothing by itself. It is unknown what any other
 * will do. As a token does not lead to its thread, every platform thread that is younger than the
 * ranks' may be one of those with a token.
 */
public final class Bystanders {
  @SuppressWarnings("ThreadLocalUsage") // each world has its own
  private final InheritableThreadLocal<@Nullable Object> children = new Children();

  private final Set<Child> started = ConcurrentHashMap.newKeySet();
  private final ReferenceQueue<Object> ended = new ReferenceQueue<>();

  /** Threads other than the ranks' own that have used a communicator. */
  private final Set<Thread> users = ConcurrentHashMap.newKeySet();

  /** Those of them that wait in a communication, without a limit. */
  private final Map<Thread, Wait> waiting = new ConcurrentHashMap<>();

  private final Set<Object> waitingTokens = ConcurrentHashMap.newKeySet();
  private volatile int crowded = 64;
  private volatile boolean seen;

  /** Begins to watch for threads that the calling rank thread starts. */
  void watchChildren() {
    children.set(new Object());
  }

  /** Tells that the calling thread, which is not a rank's own, uses the world. */
  void see() {
    seen = true;
    Thread user = Thread.currentThread();
    if (!users.contains(user)) {
      if (users.size() >= crowded) {
        users.removeIf(each -> !each.isAlive());
        crowded = 2 * users.size() + 64;
      }
      users.add(user);
    }
  }

  /** Returns whether there may be threads other than the ranks' own that act for a rank. */
  public boolean seen() {
    return seen;
  }

  /** Tells that the calling thread waits without a limit, until {@link #goesOn}. */
  void waits(Wait wait) {
    waiting.put(Thread.currentThread(), wait);
    Object token = children.get();
    if (token != null) {
      waitingTokens.add(token);
    }
  }

  void goesOn() {
    waiting.remove(Thread.currentThread());
    Object token = children.get();
    if (token != null) {
      waitingTokens.remove(token);
    }
  }

  /** Returns the waits of threads that are not the ranks' own. */
  Map<Thread, Wait> waits() {
    return waiting;
  }

  /** Returns the thread that waits in a communication and whose end another awaits; or null. */
  @Nullable Thread joinedBy(Thread other) {
    return JoinedThread.of(other, waiting.keySet());
  }

  /**
   * Returns whether a thread waits without a limit, maybe for one that waits in a communication.
   */
  boolean isAwaitedBy(Thread other) {
    return !waiting.isEmpty() && other.getState() == Thread.State.WAITING;
  }

  /** Returns the name of a thread that may still bring the ranks forward. */
  Optional<String> active(Rank[] ranks) {
    for (Rank rank : ranks) {
      if (!rank.finished && rank.blocked == null && joinedBy(rank.own().thread) == null) {
        return Optional.of("the thread of " + rank + ", which waits elsewhere,");
      }
    }
    if (!ForkJoinPool.commonPool().isQuiescent()) {
      return Optional.of("a thread of the common pool");
    }
    Optional<Thread> user = users.stream().filter(this::mayAct).findAny();
    return user.map(thread -> "the thread " + thread.getName()).or(() -> activeChild(ranks));
  }

  private Optional<String> activeChild(Rank[] ranks) {
    if (!started.isEmpty()) {
      // All ranks stand still, so a collection costs none of them time.
      System.gc();
      started.removeIf(each -> each.refersTo(null));
    }
    List<Child> left = started.stream().filter(each -> !waits(each)).toList();
    if (left.isEmpty()) {
      return Optional.empty();
    }
    if (left.stream().anyMatch(each -> each.virtual)) {
      return Optional.of("a virtual thread that a rank started");
    }
    return younger(ranks)
        .filter(this::mayAct)
        .map(each -> "the thread " + each.getName())
        .findAny();
  }

  private boolean waits(Child child) {
    Object token = child.get();
    return token == null || waitingTokens.contains(token);
  }

  /** Returns the platform threads that were made after the ranks' own. */
  private static Stream<Thread> younger(Rank[] ranks) {
    ThreadGroup all = Thread.currentThread().getThreadGroup();
    while (all.getParent() != null) {
      all = all.getParent();
    }
    Thread[] threads = new Thread[2 * all.activeCount() + 64];
    int count = all.enumerate(threads);
    Set<Thread> own = Arrays.stream(ranks).map(rank -> rank.own().thread).collect(toSet());
    long oldest = own.stream().mapToLong(Thread::threadId).min().orElse(0);
    return Arrays.stream(threads, 0, count)
        .filter(each -> each.threadId() > oldest && !own.contains(each));
  }

  private boolean mayAct(Thread thread) {
    if (!thread.isAlive() || waiting.containsKey(thread)) {
      return false;
    }
    if (thread instanceof ForkJoinWorkerThread worker) {
      return !worker.getPool().isQuiescent();
    }
    return switch (thread.getState()) {
      case WAITING, BLOCKED -> runsUsersCode(thread);
      case TIMED_WAITING -> !idles(thread);
      default -> true;
    };
  }

  private static boolean runsUsersCode(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (isUsers(frame)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a thread is in code that is neither the JDK's nor Rialto's. */
  static boolean isUsers(StackTraceElement frame) {
    String type = frame.getClassName();
    return !type.startsWith("java.")
        && !type.startsWith("jdk.")
        // The tests of this package are users too.
        && (!type.startsWith("dev.rialto.") || type.contains("Test"));
  }

  /**
   * Workers that wait for work end after a while without; what waits for its time is work. A
   * cleaner, which the JVM gives to the first thread that needs one, waits for the collector.
   */
  private static boolean idles(Thread thread) {
    boolean idle = false;
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().contains("DelayedWorkQueue")) {
        return false;
      }
      idle |=
          frame.getClassName().equals("jdk.internal.ref.CleanerImpl")
              || (frame.getClassName().equals("java.util.concurrent.ThreadPoolExecutor")
                  && frame.getMethodName().equals("getTask"));
    }
    return idle;
  }

  private void forgetEnded() {
    for (Reference<?> each = ended.poll(); each != null; each = ended.poll()) {
      started.remove(each);
    }
  }

  /** A thread that a rank, or a thread it started, has created. */
  private static final class Child extends WeakReference<Object> {
    private static final int DEPTH = 8;

    final boolean virtual = isVirtual();

    Child(Object token, ReferenceQueue<Object> ended) {
      super(token, ended);
    }

    /** Called by the constructor of the new thread, whose class is on the stack. */
    private static boolean isVirtual() {
      return StackWalker.getInstance()
          .walk(
              frames ->
                  frames
                      .limit(DEPTH)
                      .anyMatch(frame -> frame.getClassName().contains("VirtualThread")));
    }
  }

  /** Sees the threads that are created. */
  private final class Children extends InheritableThreadLocal<@Nullable Object> {
    @Override
    protected Object childValue(@Nullable Object ofParent) {
      seen = true;
      forgetEnded();
      Object token = new Object();
      started.add(new Child(token, ended));
      return token;
    }
  }
}
