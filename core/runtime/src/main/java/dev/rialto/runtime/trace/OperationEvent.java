package dev.rialto.runtime.trace;

import java.util.Optional;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The JFR event of an operation that a stream has ended. */
@Name("dev.rialto.Operation")
@Label("Operation")
@Category("Rialto")
@Description("An operation that a stream has ended, with its time in the queue and on the device")
@StackTrace(false)
public final class OperationEvent extends Event {
  private static final OperationEvent PROBE = new OperationEvent();

  @Label("Stream")
  String stream = "";

  @Label("Rank")
  @Description("The rank that asked for it, or -1 if ranks do not share the process")
  int rank;

  @Label("Kind")
  @Description("LAUNCH, TRANSFER, FILL, COLLECTIVE or HOST")
  String kind = "";

  @Label("Operation")
  String operation = "";

  @Label("Site")
  @Description("The line that asked for it")
  String site = "";

  @Label("Size")
  @DataAmount
  long size;

  @Label("Queue Wait")
  @Timespan
  long queueWait;

  @Label("Device Time")
  @Timespan
  long deviceTime;

  @Label("Begun Before")
  @Description("How long before this event the operation began")
  @Timespan
  long begunBefore;

  /** Returns whether these are recorded. */
  public static boolean isOn() {
    return PROBE.isEnabled();
  }

  /** Records one if they are; times are of {@link System#nanoTime}. */
  public static void commit(
      String stream,
      int rank,
      String kind,
      String operation,
      Optional<StackTraceElement> site,
      long size,
      long added,
      long began,
      long ended) {
    if (isOn()) {
      OperationEvent event = new OperationEvent();
      event.stream = stream;
      event.rank = rank;
      event.kind = kind;
      event.operation = operation;
      event.site = site.map(StackTraceElement::toString).orElse("");
      event.size = size;
      // An operation added before recording began has no such time.
      event.queueWait = added == 0 ? 0 : began - added;
      event.deviceTime = ended - began;
      event.begunBefore = System.nanoTime() - began;
      event.commit();
    }
  }
}
