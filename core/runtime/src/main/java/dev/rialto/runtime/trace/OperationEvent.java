package dev.rialto.runtime.trace;

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

  @Label("Kind")
  @Description("LAUNCH, TRANSFER, FILL, COLLECTIVE or HOST")
  String kind = "";

  @Label("Operation")
  String operation = "";

  @Label("Size")
  @DataAmount
  long size;

  @Label("Queue Wait")
  @Timespan
  long queueWait;

  @Label("Device Time")
  @Timespan
  long deviceTime;

  /** Returns whether somebody records these. */
  public static boolean isOn() {
    return PROBE.isEnabled();
  }

  /** Records one if somebody does; times are nanoseconds. */
  public static void commit(
      String stream, String kind, String operation, long size, long queueWait, long deviceTime) {
    if (isOn()) {
      OperationEvent event = new OperationEvent();
      event.stream = stream;
      event.kind = kind;
      event.operation = operation;
      event.size = size;
      event.queueWait = queueWait;
      event.deviceTime = deviceTime;
      event.commit();
    }
  }
}
