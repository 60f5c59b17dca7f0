package dev.rialto.spi;

import java.util.OptionalInt;

/**
 * The rank that a thread works for, where several ranks share a process.
 *
 * <p>A world whose ranks are threads runs their bodies in such a scope, so that what is recorded of
 * one can be told from what is recorded of another.
 */
public final class RankScope {
  private static final ScopedValue<Integer> RANK = ScopedValue.newInstance();

  private RankScope() {}

  /** Returns the rank; empty outside a scope, where a process has one rank or none. */
  public static OptionalInt current() {
    return RANK.isBound() ? OptionalInt.of(RANK.get()) : OptionalInt.empty();
  }

  /**
   * Runs code in the scope of a rank.
   *
   * @param <T> what the code returns
   * @param <X> what it throws
   */
  public static <T, X extends Throwable> T call(
      int rank, ScopedValue.CallableOp<? extends T, X> body) throws X {
    return ScopedValue.where(RANK, rank).call(body);
  }
}
