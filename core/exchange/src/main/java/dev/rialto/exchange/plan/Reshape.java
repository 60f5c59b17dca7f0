package dev.rialto.exchange.plan;

import dev.rialto.exchange.plan.Redistribute.MessageOrder;

/** Moves an array between bricks, pencils and slabs: any grid to any grid, each in its order. */
public final class Reshape {
  private Reshape() {}

  /**
   * Plans for one rank.
   *
   * @throws IllegalArgumentException if the grids are of different shapes or numbers of ranks
   */
  public static ExchangePlan plan(Grid from, Grid to, int rank) {
    return Redistribute.plan("reshape " + from + " to " + to, from, to, rank, MessageOrder.SENDER);
  }
}
