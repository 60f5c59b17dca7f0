package dev.rialto.local.message;

import dev.rialto.local.rank.Wait;
import org.jspecify.annotations.Nullable;

/** The wait of a probe for a message. */
final class Search implements Wait {
  private final LocalPointToPoint comm;
  private final int source;
  private final int tag;
  private final boolean take;
  private Mailbox.@Nullable Found found;

  Search(LocalPointToPoint comm, int source, int tag, boolean take) {
    this.comm = comm;
    this.source = source;
    this.tag = tag;
    this.take = take;
  }

  @Override
  public boolean poll() {
    found = comm.mailbox.find(source, tag, take);
    return found != null;
  }

  /** Returns what was found once the wait is over. */
  Mailbox.Found found() {
    if (found == null) {
      throw new AssertionError(describe() + " found nothing");
    }
    return found;
  }

  @Override
  public int needs() {
    return comm.mailbox.onlySender(source);
  }

  @Override
  public String describe() {
    return "probe for a message " + Receive.describe(source, tag, comm.name());
  }
}
