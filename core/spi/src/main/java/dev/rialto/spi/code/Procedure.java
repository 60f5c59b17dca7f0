package dev.rialto.spi.code;

import java.util.List;

/**
 * Code over a part of an index space. Parts may run in any order and at the same time.
 *
 * @param name unique in the unit; letters, digits and underscores
 * @param parameters the buffers it is given, none of them local; two may not overlap
 * @param items the size of the index space, from 0
 * @param grain the multiple that the size of a part should be, and the fewest worth a thread's
 *     while
 * @param begin the part's first index, an I64
 * @param end one past the part's last index, an I64
 * @param body the code
 */
public record Procedure(
    String name,
    List<Buffer> parameters,
    long items,
    Grain grain,
    Expr.Var begin,
    Expr.Var end,
    Stmt body) {
  /** Copies the parameters. */
  public Procedure {
    parameters = List.copyOf(parameters);
  }

  /** Returns this with another body. */
  public Procedure withBody(Stmt other) {
    return new Procedure(name, parameters, items, grain, begin, end, other);
  }

  /**
   * How the index space is best divided.
   *
   * @param multiple what the size of a part should be a multiple of
   * @param atLeast the fewest indices of a part that are worth another thread
   */
  public record Grain(long multiple, long atLeast) {}
}
