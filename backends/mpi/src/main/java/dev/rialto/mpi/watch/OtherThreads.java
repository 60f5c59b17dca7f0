package dev.rialto.mpi.watch;

import dev.rialto.system.JoinedThread;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The threads of a rank that do not wait: whether one of them may yet bring the rank forward.
 *
 * <p>That is so of a thread that has communicated before and lives, unless it awaits the end of one
 * that waits; of one that computes and of one that sleeps. Idle threads of pools do none of this.
 */
final class OtherThreads {
  /** The part of the time between two looks that a thread computes which is not idle. */
  private static final double BUSY = 0.05;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Set<Thread> communicating =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private long computed = -1;
  private long looked;

  /** Notes that a thread communicates. */
  void add(Thread thread) {
    communicating.add(thread);
  }

  /** Returns whether any may act, given those that wait. */
  boolean mayAct(Set<Thread> waiting, Thread watch) {
    for (Thread thread : communicating.toArray(Thread[]::new)) {
      if (thread.isAlive()
          && !waiting.contains(thread)
          && JoinedThread.of(thread, waiting) == null) {
        return true;
      }
    }
    long now = System.nanoTime();
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      if (id != watch.threadId() && waiting.stream().noneMatch(each -> each.threadId() == id)) {
        sum += Math.max(0, threads.getThreadCpuTime(id));
      }
    }
    boolean computes = computed < 0 || sum - computed > BUSY * (now - looked);
    computed = sum;
    looked = now;
    return computes || anySleeps(waiting);
  }

  private static boolean anySleeps(Set<Thread> waiting) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> !each.getKey().isDaemon() && !waiting.contains(each.getKey()))
        .map(each -> each.getValue())
        .anyMatch(
            frames ->
                java.util.Arrays.stream(frames)
                    .limit(3)
                    .anyMatch(
                        frame ->
                            frame.getClassName().equals("java.lang.Thread")
                                && frame.getMethodName().startsWith("sleep")));
  }

  /** Begins anew: nothing waits. */
  void reset() {
    computed = -1;
  }
}
