package dev.rialto.tck.run;

import dev.rialto.spi.RankLauncher;
import java.time.Duration;

/** A program to launch as ranks, whose exit code tells how it was launched. */
public final class LaunchedProbe {
  public static final String EXIT = "exit";
  public static final String ENVIRONMENT = "environment";
  public static final String FIRST_FAILS = "first-fails";
  public static final String VARIABLE = "RIALTO_TCK_PROBE";

  /** The longest time of a launch; a rank that waits to be ended waits for longer. */
  public static final Duration PATIENCE = Duration.ofSeconds(20);

  private LaunchedProbe() {}

  /**
   * Ends in one of the ways.
   *
   * @param args which way, and its argument
   */
  public static void main(String[] args) throws Exception {
    System.exit(
        switch (args[0]) {
          case EXIT -> Integer.parseInt(args[1]);
          case ENVIRONMENT -> args[1].equals(System.getenv(VARIABLE)) ? 0 : 1;
          case FIRST_FAILS -> {
            RankLauncher launcher = GroupTask.backend(args[1]).launcher().orElseThrow();
            if (!launcher.launched()) {
              yield 6;
            }
            if (launcher.rank() > 0) {
              Thread.sleep(PATIENCE.multipliedBy(3));
            }
            yield 5;
          }
          default -> throw new IllegalArgumentException(args[0]);
        });
  }
}
