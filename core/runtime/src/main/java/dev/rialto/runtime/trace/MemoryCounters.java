package dev.rialto.runtime.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Memory over time, from what devices gave and took, the process's resident size and Java's heap.
 *
 * <p>JFR gives events of several threads in no order, and what a device holds is a sum over those
 * before, so all are kept until the end.
 */
final class MemoryCounters {
  private record Sample(long nanos, String space, long bytes, boolean change) {}

  private final List<Sample> samples = new ArrayList<>();

  void add(RecordedEvent event, long nanos) {
    switch (event.getEventType().getName()) {
      case MemoryEvent.NAME ->
          samples.add(new Sample(nanos, event.getString("space"), event.getLong("size"), true));
      case Trace.RESIDENT ->
          samples.add(new Sample(nanos, "process, resident", event.getLong("size"), false));
      case Trace.HEAP ->
          samples.add(new Sample(nanos, "Java heap, used", event.getLong("heapUsed"), false));
      default -> {}
    }
  }

  /** Hears what memory a space holds from a moment on. */
  interface Listener {
    void holds(long nanos, String space, long bytes);
  }

  /** Tells all of it, in order of time. */
  void forEach(Listener listener) {
    samples.sort(Comparator.comparingLong(Sample::nanos));
    Map<String, Long> held = new HashMap<>();
    for (Sample each : samples) {
      long before = each.change ? held.getOrDefault(each.space, 0L) : 0;
      held.put(each.space, before + each.bytes);
      listener.holds(each.nanos, each.space, before + each.bytes);
    }
  }
}
