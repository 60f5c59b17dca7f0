package dev.rialto.exchange.tune;

/** How much time may go into finding a good scheme. */
public enum Effort {
  /** A model of what moves; nothing is timed. */
  ESTIMATE,
  /** Every process grid with the likeliest scheme, then every transport on the best grid. */
  MEASURE,
  /** Every grid with every transport and staging. */
  PATIENT,
  /** That, with messages in either order, and the best scheme for each step on its own. */
  EXHAUSTIVE
}
