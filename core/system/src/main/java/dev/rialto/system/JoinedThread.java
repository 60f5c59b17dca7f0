package dev.rialto.system;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The thread whose end another awaits, found from outside. */
public final class JoinedThread {
  /** The frames of a thread above {@link Thread#join()}, and that one. */
  private static final int DEPTH = 4;

  private JoinedThread() {}

  /**
   * Returns the one of some platform threads whose end a thread awaits without a limit; null if it
   * does something else.
   */
  public static @Nullable Thread of(Thread joining, Collection<Thread> among) {
    if (among.isEmpty() || joining.getState() != Thread.State.WAITING) {
      return null;
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
