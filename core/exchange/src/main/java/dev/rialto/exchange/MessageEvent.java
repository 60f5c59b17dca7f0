package dev.rialto.exchange;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The wait for one message of an exchange. */
@Name("dev.rialto.ExchangeMessage")
@Label("Exchange Message")
@Category("Rialto")
@Description("The wait for one message of an exchange")
@StackTrace(false)
final class MessageEvent extends Event {
  @Label("Peer")
  int peer;

  @Label("Rank")
  int rank;

  @Label("Bytes Received")
  @DataAmount
  long bytes;
}
