package dev.rialto.spi.code;

import java.util.List;

/** A step of a procedure. */
public sealed interface Stmt {
  /** No step. */
  Stmt NOTHING = new Block(List.of());

  /** The items of a subgroup, unless its block ends in it. */
  int SUBGROUP = 32;

  /**
   * Steps in order.
   *
   * @param steps the steps
   */
  record Block(List<Stmt> steps) implements Stmt {
    /** Copies the list. */
    public Block {
      steps = List.copyOf(steps);
    }
  }

  /**
   * Makes a variable, seen by the rest of the block.
   *
   * @param variable which
   * @param value its first value
   */
  record Let(Expr.Var variable, Expr value) implements Stmt {}

  /**
   * Changes a variable.
   *
   * @param variable one made by {@link Let}
   * @param value its new value
   */
  record Assign(Expr.Var variable, Expr value) implements Stmt {}

  /**
   * Writes elements side by side.
   *
   * @param buffer where
   * @param offset the first element's index, an I64
   * @param value as many lanes as elements
   */
  record Store(Buffer buffer, Expr offset, Expr value) implements Stmt {}

  /**
   * A loop. Its bounds are evaluated once.
   *
   * @param index an I64
   * @param from its first value
   * @param to its values stay below
   * @param step what is added, from 1
   * @param body what is repeated
   */
  record For(Expr.Var index, Expr from, Expr to, long step, Stmt body) implements Stmt {}

  /**
   * One of two steps.
   *
   * @param condition a scalar condition
   * @param body the step if it holds
   * @param otherwise the step if it does not
   */
  record If(Expr condition, Stmt body, Stmt otherwise) implements Stmt {
    /** A step done only if a condition holds. */
    public If(Expr condition, Stmt body) {
      this(condition, body, NOTHING);
    }
  }

  /**
   * A step that a {@link Leave} in it may end early.
   *
   * @param label unique in the procedure; letters, digits and underscores
   * @param body the step
   */
  record Labeled(String label, Stmt body) implements Stmt {}

  /**
   * A step repeated until a {@link Leave} or an outer {@link Repeat} ends it.
   *
   * @param label unique in the procedure; letters, digits and underscores
   * @param body what is repeated
   */
  record Loop(String label, Stmt body) implements Stmt {}

  /**
   * Goes on behind a {@link Labeled} step or a {@link Loop}.
   *
   * @param label of one that this is in
   */
  record Leave(String label) implements Stmt {}

  /**
   * Begins the next turn of a {@link Loop}.
   *
   * @param label of one that this is in
   */
  record Repeat(String label) implements Stmt {}

  /**
   * Changes an element so that nothing else changes it meanwhile. Elements that are changed so at
   * the same time are changed one after the other, in any order. Elements of 8 and 16 bits have
   * {@link AtomicOp#COMPARE_AND_SET} alone.
   *
   * @param old gets the element's value from before, as one made by {@link Let}
   * @param op what it becomes
   * @param buffer where
   * @param offset its index, an I64
   * @param value the operand
   * @param expected the value that {@link AtomicOp#COMPARE_AND_SET} replaces; else as {@code value}
   */
  record Atomic(Expr.Var old, AtomicOp op, Buffer buffer, Expr offset, Expr value, Expr expected)
      implements Stmt {}

  /** The operation of an atomic step on an element and its operand. */
  enum AtomicOp {
    /** Their sum. */
    ADD,
    /** The smaller; of floating-point numbers as {@link Math#min(double, double)} does. */
    MIN,
    /** The greater; of floating-point numbers as {@link Math#max(double, double)} does. */
    MAX,
    /** The bits that both have; of integers. */
    AND,
    /** The bits that either has; of integers. */
    OR,
    /** The bits that one of the two has; of integers. */
    XOR,
    /** The operand. */
    EXCHANGE,
    /** The operand if the element has the expected bits; else the element. */
    COMPARE_AND_SET,
    /** The element stays as it is: a read. */
    GET
  }

  /**
   * The items of a block, which run at the same time and wait for one another at each {@link
   * Barrier}. A block is a turn of the loop over the procedure's index space; what that loop makes
   * outside of this step is shared by all items. Read by targets that are devices; for the host's
   * threads loops take its place.
   *
   * @param local the item's number in the block, an I64 from 0
   * @param count how many items there are, an I64
   * @param most a bound of {@code count}
   * @param body what each item does
   */
  record Items(Expr.Var local, Expr count, int most, Stmt body) implements Stmt {}

  /**
   * Waits for all items of the block that have not ended, and makes what they wrote before visible
   * to all.
   */
  record Barrier() implements Stmt {}

  /**
   * Has the items of a subgroup that have not ended exchange values; all of them do so together.
   * Items of a block whose numbers are the same when divided by {@link #SUBGROUP} are a subgroup.
   * Read by targets that are devices; for the host's threads loops take its place.
   *
   * @param result gets what the item is given, as one made by {@link Let}
   * @param op what that is
   * @param value what the item gives
   * @param lane a place in the subgroup, an I32
   */
  record Exchange(Expr.Var result, ExchangeOp op, Expr value, Expr lane) implements Stmt {}

  /** The value that an item is given in exchange. */
  enum ExchangeOp {
    /** The value of the item at the lane, which has not ended; undefined if it has. */
    SHUFFLE,
    /** An I32 whose bits are the values by lane, each an I32 of 0 or 1; 0 of those that ended. */
    BALLOT
  }

  /**
   * A step of matrix tiles that the items of a subgroup do together, for {@link TileOp#COPY} those
   * of a block. Read by targets that {@linkplain CodeTarget#multipliesTiles multiply tiles}.
   *
   * @param op what is done
   * @param rows of the result
   * @param columns of the result
   * @param depth what a product sums over; else 0
   * @param sums the array of the item's own share of the sums; for a copy where it goes
   * @param tiles where the tiles lie: the factors of a product, what is loaded or stored, where a
   *     copy goes and what is copied
   */
  record TileStep(TileOp op, int rows, int columns, int depth, Buffer sums, List<TilePlace> tiles)
      implements Stmt {
    /** Copies the list. */
    public TileStep {
      tiles = List.copyOf(tiles);
    }
  }

  /**
   * The place of a tile, row by row.
   *
   * @param buffer an array of the launch or of the block
   * @param offset its first element, an I64
   * @param stride from row to row, an I64
   */
  record TilePlace(Buffer buffer, Expr offset, Expr stride) {}

  /**
   * The operations on tiles. Sums of single precision lie in an item's array by blocks of 16 rows
   * and 8 columns, four each: lane l has rows l / 4 and 8 more, and columns l % 4 * 2 and 1 more of
   * each; those of double precision by blocks of 8 rows, two each.
   */
  enum TileOp {
    /** Adds the product of tiles of binary16 to sums of binary32. */
    MULTIPLY_F16,
    /** Adds the product of tiles of upper halves of binary32 to sums of binary32. */
    MULTIPLY_BF16,
    /** Adds the product of tiles of binary32, rounded to 11 significant bits, to sums of it. */
    MULTIPLY_TF32,
    /** Adds the product of tiles of binary64 to sums of it. */
    MULTIPLY_F64,
    /** Loads sums. */
    LOAD,
    /** Stores sums of the type that the array has. */
    STORE,
    /** Stores sums as binary16. */
    STORE_F16,
    /** Stores sums as upper halves of binary32. */
    STORE_BF16,
    /** Copies to an array of the block; done when the items have met at the next barrier. */
    COPY
  }

  /**
   * Makes a local array, seen by the rest of the block.
   *
   * @param buffer a local one
   */
  record Array(Buffer buffer) implements Stmt {}

  /**
   * A remark for readers of the code.
   *
   * @param text one line
   */
  record Comment(String text) implements Stmt {}
}
