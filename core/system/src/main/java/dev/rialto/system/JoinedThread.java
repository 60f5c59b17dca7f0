package dev.rialto.system;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The thread that another waits for, found from outside: the one whose end it awaits by {@link
 * Thread#join()}, or the one that it has {@linkplain #await told}.
 */
public final class JoinedThread {
  /** A wait for a thread; closing ends it. */
  public interface Told extends AutoCloseable {
    @Override
    void close();
  }

  /** The threads that are waited for, by those that have told so. */
  private static final Map<Thread, Thread> TOLD = new ConcurrentHashMap<>();

  /** The frames of a thread above {@link Thread#join()}, and that one. */
  private static final int DEPTH = 4;

  private JoinedThread() {}

  /** Tells that the calling thread waits, without a limit, for nothing but what another does. */
  public static Told await(Thread other) {
    Thread me = Thread.currentThread();
    TOLD.put(me, other);
    return () -> TOLD.remove(me);
  }

  /**
   * Returns the one of some platform threads that a thread waits for without a limit; null if it
   * does something else.
   */
  public static @Nullable Thread of(Thread joining, Collection<Thread> among) {
    if (among.isEmpty() || joining.getState() != Thread.State.WAITING) {
      return null;
    }
    Thread told = TOLD.get(joining);
    if (told != null) {
      return among.contains(told) ? told : null;
    }
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(joining.threadId(), DEPTH);
    // A thread that joins another waits for it as an object.
    LockInfo awaited = info == null ? null : info.getLockInfo();
    if (awaited == null || Arrays.stream(info.getStackTrace()).noneMatch(JoinedThread::joins)) {
      return null;
    }
    return among.stream()
        .filter(each -> System.identityHashCode(each) == awaited.getIdentityHashCode())
        .findAny()
        .orElse(null);
  }

  private static boolean joins(StackTraceElement frame) {
    return frame.getClassName().equals("java.lang.Thread") && frame.getMethodName().equals("join");
  }
}
