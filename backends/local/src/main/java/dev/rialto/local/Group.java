package dev.rialto.local;

/**
 * The ranks of one communicator and what they share: made once, held by each member's {@link
 * LocalCommunicator}.
 */
final class Group {
  final LocalWorld world;
  final String name;

  /** The members, in the order of their numbers in this group. */
  private final Rank[] members;

  /** Where the members meet for collectives. */
  final CollectiveBoard board;

  Group(LocalWorld world, String name, Rank[] members) {
    this.world = world;
    this.name = name;
    this.members = members;
    this.board = new CollectiveBoard(members.length);
  }

  int size() {
    return members.length;
  }

  /** Returns the rank with number {@code index} in this group. */
  Rank member(int index) {
    return members[index];
  }
}
