package dev.rialto.spi.code;

import dev.rialto.spi.code.Stmt.ExchangeOp;
import java.util.Optional;

/**
 * A kind of C whose procedures are kernels: each is launched on a device, and its threads divide
 * the indices among them, a thread per index or, where the procedure has {@link Stmt.Items}, a
 * block of threads per index. Parameters are a pointer for each buffer, {@code begin}, {@code end}
 * and the elements of buffers that are passed by value. Signed integers need not wrap around.
 */
public interface KernelDialect extends Dialect {
  /** A number that a thread knows. */
  enum Place {
    /** Of the thread in the launch. */
    THREAD,
    /** Of the threads of the launch. */
    THREADS,
    /** Of the thread in its block. */
    LOCAL,
    /** Of the block in the launch. */
    BLOCK
  }

  /** Returns a number that a thread knows. */
  String place(Place place);

  /**
   * Returns the head of a kernel.
   *
   * @param parameters in parentheses
   * @param items the threads of a block; 0 if it does not matter
   */
  String head(String name, String parameters, int items);

  /** Returns what stands before an array that a block shares; it begins at a multiple of 16. */
  String shared();

  /**
   * Returns the step that all threads of a block wait at.
   *
   * @param copies whether the kernel copies tiles, which must have arrived
   */
  String barrier(boolean copies);

  /**
   * Returns whether a thread does indices that are neighbours, so that a launch takes as many
   * threads as it likes. Otherwise those of a thread are as far apart as there are threads.
   */
  default boolean givesNeighbours() {
    return false;
  }

  /** Returns whether threads that have ended are waited for at a barrier. */
  default boolean awaitsEnded() {
    return true;
  }

  /** Returns what a thread is given in exchange; empty if threads exchange nothing. */
  default Optional<String> exchange(ExchangeOp op, String value, String lane) {
    return Optional.empty();
  }

  /** Returns the type of 16 bytes of neighbours, which has {@code []}; empty if there is none. */
  default Optional<String> pack(String type, long count) {
    return Optional.empty();
  }

  /** Returns what stands before a loop that is to be unrolled; may be empty. */
  default String unroll() {
    return "";
  }

  /** Returns the spelling of steps that move elements side by side. */
  Moves moves();

  /**
   * The spelling of steps that move 2, 4, 8 or 16 elements side by side between an array of the
   * launch, at any place, and one that the kernel has made.
   */
  interface Moves {
    /** Returns the functions that calls need; may be empty. */
    String functions();

    /**
     * Returns the call of a step.
     *
     * @param type of the elements in memory
     * @param loads whether it is to the kernel's array
     * @param to a pointer
     * @param from a pointer
     */
    String call(String type, int lanes, boolean loads, String to, String from);
  }

  /** Returns the spelling of tiles; empty if the dialect has none. */
  default Optional<Tiles> tiles() {
    return Optional.empty();
  }

  /** The spelling of steps of tiles. */
  interface Tiles {
    /** Returns the functions that calls need. */
    String functions();

    /**
     * Returns the call of a step.
     *
     * @param shared whether its first tile lies in an array that the block shares
     * @param items the threads of a block
     * @param text prints expressions
     */
    String call(Stmt.TileStep step, boolean shared, int items, Dialect.Text text);
  }
}
