package dev.rialto.spi;

import java.util.Optional;

/** The part of a program's arguments that {@link World#open} understands. */
record WorldArguments(Optional<String> backend, int ranks) {
  static WorldArguments parse(String... args) {
    Optional<String> backend = Optional.empty();
    int ranks = 0;
    for (int i = 0; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      String option = equals < 0 ? args[i] : args[i].substring(0, equals);
      if (option.equals("--comm") || option.equals("--ranks")) {
        if (equals < 0 && i + 1 == args.length) {
          throw new IllegalArgumentException(option + " needs a value");
        }
        String value = equals < 0 ? args[++i] : args[i].substring(equals + 1);
        if (option.equals("--comm")) {
          backend = Optional.of(value);
        } else {
          ranks = ranks(value);
        }
      }
    }
    return new WorldArguments(backend, ranks);
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
