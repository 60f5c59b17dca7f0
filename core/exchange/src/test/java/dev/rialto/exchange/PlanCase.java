package dev.rialto.exchange;

import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.comm.Communicator;

/**
 * A plan and, from plain loops, what it must do.
 *
 * <p>Elements are labels. Where a case only moves them, an element of the input has the bits of its
 * label; where it adds, the label is its value.
 *
 * @param family what kind of plan it is, for the table in the documentation
 * @param name the case
 * @param adds whether labels are values that may be added
 * @param inPlace whether input and output are one array
 * @param maker makes the plan of the calling rank
 * @param input the labels of a rank's input
 * @param expected the labels that a rank's output must have; {@link #UNTOUCHED} where nothing is
 *     received
 */
record PlanCase(
    String family,
    String name,
    boolean adds,
    boolean inPlace,
    Maker maker,
    Labels input,
    Labels expected) {
  static final double UNTOUCHED = Double.NEGATIVE_INFINITY;

  interface Maker {
    ExchangePlan plan(Communicator comm);
  }

  interface Labels {
    double[] of(int rank);
  }

  static PlanCase moving(String family, String name, Maker maker, Labels input, Labels expected) {
    return new PlanCase(family, name, false, false, maker, input, expected);
  }

  @Override
  public String toString() {
    return family + ": " + name;
  }
}
