package dev.rialto.sparse.local;

/** The ways to store a matrix; the products of all have the same bits. */
public enum Format {
  /** Row, column and value of each entry: what matrices are assembled from. */
  COO,
  /** Rows one after the other: the format for anything, and the one to start with. */
  CSR,
  /** Columns one after the other: for transposed products. */
  CSC,
  /** Rows padded to one length, stored entry by entry: for rows of nearly one length. */
  ELL,
  /** Rows sorted by length in windows and padded in slices: for rows of any length. */
  SELL,
  /** Diagonals: no indices at all, for matrices of grids. */
  DIA,
  /** ELL for most entries and COO for those of long rows. */
  HYB
}
