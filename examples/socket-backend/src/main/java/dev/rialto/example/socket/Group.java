package dev.rialto.example.socket;

import java.util.List;

/**
 * The ranks of one communicator.
 *
 * @param context a number that no other communicator of any of these ranks has
 * @param name for messages
 * @param rank this process's rank in it
 * @param members the ranks that its ranks have in the world, in order
 */
record Group(long context, String name, int rank, List<Integer> members) {
  /** The context of the communicator of all ranks. */
  static final long WORLD = 0;

  /** Returns the same ranks with a context for the messages that collectives are made of. */
  Group ofCollectives() {
    return new Group(~context, name, rank, members);
  }

  /** Returns the same ranks with a context for the messages that windows are made of. */
  Group ofWindows() {
    return new Group(context ^ Long.MIN_VALUE, name, rank, members);
  }

  int size() {
    return members.size();
  }

  /** Returns whose errors these are. */
  String where() {
    return "rank " + rank + " of " + size() + " of " + name;
  }
}
