package dev.rialto.exchange.plan;

import dev.rialto.exchange.plan.Redistribute.MessageOrder;

/** Collects a distributed array on one rank, in row-major order. */
public final class Gather {
  private Gather() {}

  /** Plans for one rank; only {@code root} receives. */
  public static ExchangePlan plan(Distribution from, int root, int rank) {
    return Redistribute.plan(
        "gather " + from.shape() + " on rank " + root,
        from,
        Distribution.onOne(from.shape(), from.ranks(), root),
        rank,
        MessageOrder.SENDER);
  }
}
