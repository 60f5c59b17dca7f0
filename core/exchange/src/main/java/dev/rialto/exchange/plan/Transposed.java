package dev.rialto.exchange.plan;

/** The reverse of a plan: what was received is sent back to where it came from. */
public final class Transposed {
  private Transposed() {}

  /**
   * Reverses a plan so that what comes back is added to what is there: the transpose of the plan as
   * a matrix, which turns a halo update into the sum of contributions to shared elements.
   */
  public static ExchangePlan adding(ExchangePlan plan) {
    return reversed(plan, Combine.ADD);
  }

  /**
   * Reverses a plan that sends no element twice, such as a transpose of an array: running both is
   * the identity.
   *
   * @throws IllegalArgumentException if the plan sends an element to more than one place
   */
  public static ExchangePlan replacing(ExchangePlan plan) {
    return reversed(plan, Combine.REPLACE);
  }

  private static ExchangePlan reversed(ExchangePlan plan, Combine combine) {
    return ExchangePlan.of(
        "transposed " + plan.name(),
        plan.rank(),
        plan.ranks(),
        plan.outputCount(),
        plan.inputCount(),
        plan.receives(),
        plan.sends(),
        combine);
  }
}
