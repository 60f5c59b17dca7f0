package dev.rialto.exchange.plan;

import dev.rialto.exchange.plan.Redistribute.MessageOrder;

/** Distributes an array that one rank has, in row-major order, among all. */
public final class Scatter {
  private Scatter() {}

  /** Plans for one rank; only {@code root} sends. */
  public static ExchangePlan plan(Distribution to, int root, int rank) {
    return Redistribute.plan(
        "scatter " + to.shape() + " from rank " + root,
        Distribution.onOne(to.shape(), to.ranks(), root),
        to,
        rank,
        MessageOrder.RECEIVER);
  }
}
