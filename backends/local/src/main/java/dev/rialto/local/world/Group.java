package dev.rialto.local.world;

import dev.rialto.local.collective.CollectiveBoard;
import dev.rialto.local.message.Mailbox;
import dev.rialto.local.rank.Rank;
import java.lang.foreign.Arena;

/**
 * The ranks of one communicator and what they share: made once, held by each member's {@link
 * LocalCommunicator}.
 */
public final class Group {
  public final String name;

  /** Memory that lives as long as this group is reachable. */
  public final Arena arena = Arena.ofAuto();

  /** The members, in the order of their numbers in this group. */
  private final Rank[] members;

  private final Mailbox[] mailboxes;

  /** The members' memory for collectives. */
  public final CollectiveBoard board;

  public Group(String name, Rank[] members) {
    this.name = name;
    this.members = members;
    this.board = new CollectiveBoard(members.length);
    this.mailboxes = new Mailbox[members.length];
    for (int i = 0; i < members.length; i++) {
      mailboxes[i] = new Mailbox(this, i);
    }
  }

  public int size() {
    return members.length;
  }

  public Rank member(int index) {
    return members[index];
  }

  /** Returns where the messages to rank {@code index} of this group arrive. */
  public Mailbox mailbox(int index) {
    return mailboxes[index];
  }
}
