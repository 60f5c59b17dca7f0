package dev.rialto.spi;

import dev.rialto.system.Arguments;
import java.util.Optional;

/** The part of a program's arguments that {@link World#open} understands. */
record WorldArguments(Optional<String> backend, int ranks) {
  static WorldArguments parse(String... args) {
    Arguments given = Arguments.of(args);
    String backend = given.option("--comm", "");
    String ranks = given.option("--ranks", "");
    return new WorldArguments(
        backend.isEmpty() ? Optional.empty() : Optional.of(backend),
        ranks.isEmpty() ? 0 : ranks(ranks));
  }

  World open() {
    BackendProvider provider =
        backend
            .map(Backends::get)
            .or(WorldArguments::launchedBy)
            .orElseGet(() -> Backends.get("local"));
    return provider.openWorld(ranks);
  }

  private static Optional<BackendProvider> launchedBy() {
    return Backends.all().stream()
        .filter(p -> p.launcher().map(RankLauncher::launched).orElse(false))
        .findFirst();
  }

  private static int ranks(String value) {
    try {
      int ranks = Integer.parseInt(value);
      if (ranks >= 1) {
        return ranks;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--ranks " + value + " is not a number from 1 up", e);
    }
    throw new IllegalArgumentException("--ranks " + value + " is not a number from 1 up");
  }
}
