package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The same message, but for its content, on many communicators at once, received in another order
 * than it was sent in.
 */
record CrossTalkStep(List<Group> groups, long seed) implements Step {
  private static final int BYTES = 40;
  private static final int TAG = 7;

  /** In so many orders that two communicators are in each order at least once. */
  private static final int ROUNDS = 8;

  @Override
  public Group group() {
    return groups.getFirst();
  }

  @Override
  public String describe() {
    return "a message with tag 7 on each of " + groups.stream().map(Group::path).toList();
  }

  @Override
  public void cover(Coverage coverage) {
    int deepest = groups.stream().mapToInt(Group::depth).max().orElse(0);
    coverage.add("messages", Dimension.FORM, "nesting " + deepest);
  }

  private long key(int round, int group, int from) {
    return RankMemory.key(seed, round, group, from);
  }

  @Override
  public @Nullable Completion begin(RankRun run) {
    Draw draw = new Draw(seed);
    for (int round = 0; round < ROUNDS; round++) {
      talk(run, round, draw.order(groups.size()), draw.order(groups.size()));
    }
    return null;
  }

  private void talk(RankRun run, int round, List<Integer> sending, List<Integer> receiving) {
    Placement plain = new Placement(Placement.Kind.CONFINED, 0, false);
    try (GuardedBuffers buffers = new GuardedBuffers()) {
      List<Request> requests = new ArrayList<>();
      for (int i : sending) {
        if (run.isIn(groups.get(i))) {
          Communicator comm = run.in(groups.get(i));
          int me = comm.rank();
          MemorySegment source =
              buffers.source(plain, BYTES, to -> RankMemory.write(key(round, i, me), to));
          requests.add(comm.isend(source, DType.I8, BYTES, (me + 1) % comm.size(), TAG));
        }
      }
      for (int i : receiving) {
        if (run.isIn(groups.get(i))) {
          Communicator comm = run.in(groups.get(i));
          int from = (comm.rank() + comm.size() - 1) % comm.size();
          MemorySegment target = buffers.target(plain, BYTES);
          comm.receive(target, DType.I8, BYTES, from, TAG);
          MemorySegment expected = buffers.expected(BYTES);
          RankMemory.write(key(round, i, from), expected);
          RankMemory.check(expected, target, "received on " + groups.get(i).path());
        }
      }
      requests.forEach(request -> Requests.complete(request, run.own));
    }
  }
}
