package dev.rialto.exchange;

import dev.rialto.exchange.plan.ExchangePlan;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One run of an exchange, from start to the end of await. */
@Name("dev.rialto.Exchange")
@Label("Exchange")
@Category("Rialto")
@Description("One run of an exchange on one rank")
@StackTrace(false)
final class RunEvent extends Event {
  private static final EventType TYPE = EventType.getEventType(RunEvent.class);

  @Label("Plan")
  String plan = "";

  @Label("Scheme")
  String scheme = "";

  @Label("Rank")
  int rank;

  @Label("Bytes Sent")
  @DataAmount
  long bytes;

  @Label("Time Waited For Messages")
  @Timespan
  long waited;

  /** Returns whether these are recorded; asking allocates nothing. */
  static boolean recorded() {
    return TYPE.isEnabled();
  }

  static RunEvent begun(ExchangePlan plan, Scheme scheme) {
    RunEvent run = new RunEvent();
    run.begin();
    run.plan = plan.name();
    run.scheme = scheme.toString();
    run.rank = plan.rank();
    return run;
  }
}
