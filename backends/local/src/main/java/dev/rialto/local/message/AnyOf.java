package dev.rialto.local.message;

import dev.rialto.local.rank.Wait;
import dev.rialto.spi.comm.Request;
import java.util.List;

/** The wait for one of several requests. */
final class AnyOf implements Wait {
  private final LocalMessages messages;
  private final List<? extends Request> requests;
  private int index = -1;

  AnyOf(LocalMessages messages, List<? extends Request> requests) {
    this.messages = messages;
    this.requests = requests;
  }

  @Override
  public boolean poll() {
    // A request whose peer has finished fails on testing, but one that is served goes first.
    boolean someFinished = messages.member.self.world.someFinished();
    return find(false) || (someFinished && find(true));
  }

  private boolean find(boolean alsoFailing) {
    for (int i = 0; i < requests.size(); i++) {
      Request request = requests.get(i);
      boolean pending = !alsoFailing && request instanceof LocalRequest ours && !ours.isServed();
      if (!pending && request.test()) {
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
    StringBuilder text =
        new StringBuilder("any of " + requests.size() + " requests on " + messages.member.name());
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
