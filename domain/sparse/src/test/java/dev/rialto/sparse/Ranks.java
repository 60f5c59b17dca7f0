package dev.rialto.sparse;

import dev.rialto.array.Team;
import dev.rialto.spi.World;
import java.util.List;

/** Runs a test body on ranks that are threads. */
public final class Ranks {
  private Ranks() {}

  /** The body of a rank. */
  public interface Body {
    /** Runs on one rank. */
    void run(Team team) throws Exception;
  }

  /** The body of a rank, with a result. */
  public interface Function<T> {
    /** Runs on one rank. */
    T run(Team team) throws Exception;
  }

  /** Runs on so many ranks. */
  public static void run(int ranks, Body body) {
    call(
        ranks,
        team -> {
          body.run(team);
          return 0;
        });
  }

  /** Runs on so many ranks and returns what they computed. */
  public static <T> List<T> call(int ranks, Function<T> body) {
    try (World world = World.local(ranks)) {
      return world.call(
          comm -> {
            try (Team team = Team.on(comm)) {
              return body.run(team);
            }
          });
    }
  }
}
