package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Making communicators from another.
 *
 * @param how in which way
 * @param colors what each rank gives as its color; for a subgroup 0 for those in it
 * @param keys what each rank gives as its key; for a subgroup its place
 * @param made the communicators that come of it
 */
record DivideStep(Group group, How how, List<Integer> colors, List<Integer> keys, List<Group> made)
    implements Step {
  /** The ways to make communicators. */
  enum How {
    DUP,
    SPLIT,
    SUBGROUP
  }

  static DivideStep draw(Draw draw, Group group, How how) {
    int n = group.size();
    List<Integer> order = draw.order(n);
    int members = 1 + draw.below(n);
    int parts = 1 + draw.below(Math.min(n, 3));
    boolean equalKeys = draw.once(2);
    List<Integer> colors = new ArrayList<>();
    List<Integer> keys = new ArrayList<>();
    for (int rank = 0; rank < n; rank++) {
      switch (how) {
        case DUP -> {
          colors.add(0);
          keys.add(0);
        }
        case SUBGROUP -> {
          int place = order.indexOf(rank);
          colors.add(place < members ? 0 : Communicator.NO_COLOR);
          keys.add(place);
        }
        case SPLIT -> {
          colors.add(draw.once(8) ? Communicator.NO_COLOR : draw.below(parts) * 1_000_003);
          keys.add(equalKeys ? draw.below(2) : draw.below(2_000_001) - 1_000_000);
        }
      }
    }
    List<Group> made = new ArrayList<>();
    for (int color : colors.stream().distinct().filter(c -> c >= 0).toList()) {
      List<Integer> ranks =
          IntStream.range(0, n)
              .boxed()
              .filter(rank -> colors.get(rank) == color)
              .sorted(Comparator.<Integer>comparingInt(keys::get).thenComparing(rank -> rank))
              .map(group.members()::get)
              .toList();
      made.add(group.child(Words.camel(how.name()), ranks));
    }
    return new DivideStep(group, how, colors, keys, made);
  }

  @Override
  public String describe() {
    return Words.camel(how.name()) + " with colors " + colors + " and keys " + keys;
  }

  @Override
  public void cover(Coverage coverage) {
    String name = Words.camel(how.name());
    coverage
        .add(name, Dimension.RANKS, group.size())
        .add(name, Dimension.FORM, "level " + (group.depth() + 1));
  }

  @Override
  public @Nullable Completion begin(RankRun run) {
    Communicator comm = run.in(group);
    int me = comm.rank();
    Optional<Communicator> got =
        switch (how) {
          case DUP -> Optional.of(comm.dup());
          case SPLIT -> comm.split(colors.get(me), keys.get(me));
          case SUBGROUP ->
              comm.subgroup(
                  IntStream.range(0, group.size())
                      .filter(rank -> colors.get(rank) == 0)
                      .boxed()
                      .sorted(Comparator.comparingInt(keys::get))
                      .mapToInt(Integer::intValue)
                      .toArray());
        };
    List<Group> mine = made.stream().filter(run::isIn).toList();
    if (got.isPresent() == mine.isEmpty()) {
      throw new AssertionError(describe() + " gave " + got + " to rank " + me);
    }
    if (got.isPresent()) {
      Group group = mine.getFirst();
      int rank = group.members().indexOf(run.worldRank());
      if (got.get().size() != group.size() || got.get().rank() != rank) {
        throw new AssertionError(
            "rank %s of %s, wanted %s of %s"
                .formatted(got.get().rank(), got.get().size(), rank, group.size()));
      }
      run.add(group, got.get());
    }
    return null;
  }
}
