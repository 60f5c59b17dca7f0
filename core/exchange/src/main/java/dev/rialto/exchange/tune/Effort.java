package dev.rialto.exchange.tune;

/** The time that may go into finding a good scheme. */
public enum Effort {
  /** A model of what moves; nothing is timed. */
  ESTIMATE,
  /**
   * Every process grid and order of axes with the likeliest scheme, then every transport on the
   * best, then every size of tiles.
   */
  MEASURE,
  /** Every grid with every transport and staging, then every order of axes, then tiles. */
  PATIENT,
  /**
   * Every grid, order of axes and order of messages with every transport and staging, then tiles,
   * then the best scheme for each step on its own.
   */
  EXHAUSTIVE
}
