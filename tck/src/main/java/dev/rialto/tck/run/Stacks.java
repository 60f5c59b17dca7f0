package dev.rialto.tck.run;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** The stacks of the threads of this process, for the report of one that hangs. */
final class Stacks {
  private static final int FRAMES = 30;

  private Stacks() {}

  /** Returns the stacks of all threads but the caller's and the virtual machine's own. */
  static String dump() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> !entry.getKey().equals(Thread.currentThread()))
        .filter(entry -> entry.getValue().length > 0 && !isSystem(entry.getKey()))
        .sorted(Map.Entry.comparingByKey((a, b) -> Long.compare(a.threadId(), b.threadId())))
        .map(entry -> stack(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining("\n"));
  }

  private static boolean isSystem(Thread thread) {
    return thread.getThreadGroup() == null || thread.getThreadGroup().getName().equals("system");
  }

  private static String stack(Thread thread, StackTraceElement[] frames) {
    return Arrays.stream(frames)
        .limit(FRAMES)
        .map(frame -> "    at " + frame + "\n")
        .collect(
            Collectors.joining("", "\"" + thread.getName() + "\" " + thread.getState() + "\n", ""));
  }
}
