package dev.rialto.local.message;

import dev.rialto.local.rank.Wait;
import org.jspecify.annotations.Nullable;

/** The wait of a probe for a message. */
final class Search implements Wait {
  private final LocalMessages messages;
  private final int source;
  private final int tag;
  private final boolean take;
  private Mailbox.@Nullable Found found;

  Search(LocalMessages messages, int source, int tag, boolean take) {
    this.messages = messages;
    this.source = source;
    this.tag = tag;
    this.take = take;
  }

  @Override
  public boolean poll() {
    found = messages.mailbox.find(source, tag, take);
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
    return messages.mailbox.onlySender(source);
  }

  @Override
  public String describe() {
    return "probe for a message " + Receive.describe(source, tag, messages.member.name());
  }
}
