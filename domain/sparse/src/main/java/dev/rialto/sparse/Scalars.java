package dev.rialto.sparse;

import dev.rialto.sparse.local.Scalar;

/**
 * The numbers of a method, where its vectors are; made by {@link Vectors#scalars}.
 *
 * <p>On the host they are doubles, and a decision is taken when it is asked for. On a device they
 * stay there, and so do decisions: the host adds work without waiting and looks at the residuals of
 * some iterations ago. When a condition ends the method there, no variable changes any more, nor a
 * vector that is updated with one. The method goes on, to no effect, until the host has seen that
 * and the method comes to the same condition again: that is then true, and what follows works on
 * what there was when it first was. So a method is one loop for both, if it changes its solution by
 * variables only.
 *
 * <p>Used by one thread; owned by the caller. All ranks call the same methods in the same order.
 */
public interface Scalars extends AutoCloseable {
  /** A property of a number that ends a method. */
  enum Condition {
    /** The number is 0. */
    ZERO,
    /** The number is 0 or not finite. */
    UNUSABLE,
    /** The real part is less than 0. */
    NEGATIVE,
    /** The real part is at most 0. */
    NOT_POSITIVE
  }

  /** Decides by residuals when a method stops. */
  interface Judge {
    /** Returns what the norm of a residual is divided by. */
    double scale();

    /** Returns at which quotient to stop. */
    double tolerance();

    /** Returns how many iterations there may be until it says stop. */
    int left();

    /** Returns whether more than the norm of the residual is judged, when an iteration ends. */
    boolean judgesSolution();

    /** Ends an iteration with the norm of its residual; returns whether to stop. */
    boolean stop(double norm);

    /** Hears of ranks that want to stop. Collective. */
    void hear();
  }

  /** Forgets all variables and products, for a method that begins. */
  void restart();

  /** Makes a variable, which is 0. */
  Variable variable();

  /** Makes some products. */
  Products products(int count);

  /**
   * Adds the parts of the first products over all ranks. Collective.
   *
   * @param wish whether this rank wants to stop
   * @return whether a rank does, as far as that is heard along with the parts
   */
  boolean sum(Products products, int count, boolean wish);

  /** Returns the first products, for which a device is waited for; hears of wishes to stop. */
  Scalar[] values(Products products, int count, Judge judge);

  /** Ends the method if a condition holds; returns whether to leave it here. */
  boolean ends(Condition condition, Variable variable);

  /**
   * Ends an iteration; returns whether to leave the method here.
   *
   * @param square the square of the residual's norm
   */
  boolean endIteration(Variable square, Judge judge);

  @Override
  void close();
}
