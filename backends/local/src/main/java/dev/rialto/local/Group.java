package dev.rialto.local;

import java.lang.foreign.Arena;

/**
 * The ranks of one communicator and what they share: made once, held by each member's {@link
 * LocalCommunicator}.
 */
final class Group {
  final LocalWorld world;
  final String name;

  /** Memory that lives as long as anyone can reach this group. */
  final Arena arena = Arena.ofAuto();

  /** The members, in the order of their numbers in this group. */
  private final Rank[] members;

  private final Mailbox[] mailboxes;

  /** Where the members meet for collectives. */
  final CollectiveBoard board;

  Group(LocalWorld world, String name, Rank[] members) {
    this.world = world;
    this.name = name;
    this.members = members;
    this.board = new CollectiveBoard(members.length);
    this.mailboxes = new Mailbox[members.length];
    for (int i = 0; i < members.length; i++) {
      mailboxes[i] = new Mailbox(this, i);
    }
  }

  int size() {
    return members.length;
  }

  /** Returns the rank with number {@code index} in this group. */
  Rank member(int index) {
    return members[index];
  }

  /** Returns where the messages to rank {@code index} of this group arrive. */
  Mailbox mailbox(int index) {
    return mailboxes[index];
  }
}
