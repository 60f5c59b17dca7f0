package dev.rialto.exchange.tune;

import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.data.DType;

/**
 * A guess at how long an exchange takes: passes over memory at its speed, and a price per message.
 * Good enough to order process grids; what it does not know is why there is a tuner.
 */
final class Model {
  private static final double BYTES_PER_SECOND = 5e9;
  private static final double SECONDS_PER_MESSAGE = 1e-6;

  private Model() {}

  static double seconds(ExchangePlan plan, Scheme scheme, DType type) {
    long own = plan.selfSend().map(block -> block.count()).orElse(0L);
    int passes = scheme.transport().equals("shared") ? 1 : 3;
    return (type.bytes(own) + passes * (double) type.bytes(plan.sentCount())) / BYTES_PER_SECOND
        + plan.sends().size() * SECONDS_PER_MESSAGE;
  }
}
