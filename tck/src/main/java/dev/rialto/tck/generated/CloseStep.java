package dev.rialto.tck.generated;

import dev.rialto.tck.Coverage;
import org.jspecify.annotations.Nullable;

/** Giving a communicator back. */
record CloseStep(Group group) implements Step {
  @Override
  public String describe() {
    return "close";
  }

  @Override
  public void cover(Coverage coverage) {}

  @Override
  public @Nullable Completion begin(RankRun run) {
    run.remove(group).close();
    return null;
  }
}
