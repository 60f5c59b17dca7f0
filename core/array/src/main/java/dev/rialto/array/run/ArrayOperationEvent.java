package dev.rialto.array.run;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One operation on arrays, from its begin to its end. */
@Name("dev.rialto.ArrayOperation")
@Label("Operand Operation")
@Category("Rialto")
@Description("One operation on distributed arrays on one rank")
@StackTrace(false)
public final class ArrayOperationEvent extends Event {
  @Label("Operation")
  String operation = "";

  @Label("Rank")
  int rank;

  @Label("Time With Other Ranks")
  @Timespan
  long communicated;

  @Label("Completed")
  boolean completed;
}
