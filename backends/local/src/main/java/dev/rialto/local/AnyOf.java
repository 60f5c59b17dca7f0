package dev.rialto.local;

import dev.rialto.spi.comm.Request;
import java.util.List;

/** The wait for one of several requests. */
final class AnyOf implements Wait {
  private final String where;
  private final List<? extends Request> requests;
  private int index = -1;

  AnyOf(String where, List<? extends Request> requests) {
    this.where = where;
    this.requests = requests;
  }

  @Override
  public boolean poll() {
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).test()) {
        index = i;
        return true;
      }
    }
    return false;
  }

  /** Returns the index of a request that is complete once the wait is over. */
  int index() {
    return index;
  }

  @Override
  public String describe() {
    StringBuilder text = new StringBuilder("any of " + requests.size() + " requests on " + where);
    String separator = ": ";
    for (Request each : requests) {
      if (each instanceof Wait wait) {
        text.append(separator).append(wait.describe());
        separator = "; ";
      }
    }
    return text.toString();
  }
}
