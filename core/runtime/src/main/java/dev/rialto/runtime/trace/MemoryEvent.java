package dev.rialto.runtime.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The JFR event of memory that a pool took from a device or gave back. */
@Name(MemoryEvent.NAME)
@Label("Device Memory")
@Category("Rialto")
@Description("Memory that a pool took from a device, or gave back")
public final class MemoryEvent extends Event {
  static final String NAME = "dev.rialto.Memory";

  @Label("Memory Space")
  String space = "";

  @Label("Pool")
  String pool = "";

  @Label("Size")
  @Description("Bytes taken; negative if given back")
  @DataAmount
  long size;

  private MemoryEvent() {}

  /** Starts the clock of one. */
  public static MemoryEvent start() {
    MemoryEvent event = new MemoryEvent();
    event.begin();
    return event;
  }

  /** Records it, if these are recorded. */
  public void commit(String memorySpace, String memoryPool, long bytes) {
    if (shouldCommit()) {
      space = memorySpace;
      pool = memoryPool;
      size = bytes;
      commit();
    }
  }
}
