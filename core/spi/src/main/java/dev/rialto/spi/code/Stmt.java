package dev.rialto.spi.code;

import java.util.List;

/** A step of a procedure. */
public sealed interface Stmt {
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
   * A step done only if a condition holds.
   *
   * @param condition a scalar condition
   * @param body the step
   */
  record If(Expr condition, Stmt body) implements Stmt {}

  /**
   * Makes a local array, seen by the rest of the block.
   *
   * @param buffer a local one
   */
  record Array(Buffer buffer) implements Stmt {}

  /**
   * A remark for whoever reads the code.
   *
   * @param text one line
   */
  record Comment(String text) implements Stmt {}
}
