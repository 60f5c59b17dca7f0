package dev.rialto.mpi.collective;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The threads that are in an operator of a user's, within a call of the library. */
public final class CombiningThreads {
  private static final Set<Thread> THREADS = ConcurrentHashMap.newKeySet();

  /** Whether there ever was one: most programs have none, and ask at each call. */
  private static volatile boolean any;

  private CombiningThreads() {}

  static void enter() {
    THREADS.add(Thread.currentThread());
    any = true;
  }

  static void leave() {
    THREADS.remove(Thread.currentThread());
  }

  /** Refuses another call of the library on such a thread. */
  public static void refuse(String communicator) {
    if (any && THREADS.contains(Thread.currentThread())) {
      throw new IllegalStateException(
          communicator
              + " is called by the operator of a reduction, which has to end first; combine the"
              + " elements only");
    }
  }
}
