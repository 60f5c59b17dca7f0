package dev.rialto.cli.option;

import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.tune.Effort;
import picocli.CommandLine.Option;

/** The options that say how data travels between ranks, or how much finding that out may take. */
public final class SchemeOptions {
  private static final String TUNED = "tuned";

  @Option(
      names = "--scheme",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "How data travels, as transport/staging/codec, such as shared or rma-pull/pipelined;"
              + " 'tuned' to find out (default: what usually is fast).")
  private String scheme;

  @Option(
      names = "--effort",
      paramLabel = "NAME",
      defaultValue = "measure",
      description = "What tuning may take: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Effort effort;

  /** Refuses a scheme that does not exist. */
  public void check() {
    if (!isDefault() && !isTuned()) {
      try {
        var _ = Scheme.parse(scheme);
      } catch (IllegalArgumentException | UnsupportedOperationException e) {
        throw CommandFailure.usage(
            "--scheme " + scheme + ": " + e.getMessage() + ".",
            "docs/exchange-schemes.md lists those there are.");
      }
    }
  }

  public boolean isDefault() {
    return scheme.isEmpty();
  }

  public boolean isTuned() {
    return scheme.equals(TUNED);
  }

  /** Returns the scheme as it was written; empty for the default. */
  public String scheme() {
    return scheme;
  }

  public Effort effort() {
    return effort;
  }
}
