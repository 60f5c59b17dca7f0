package dev.rialto.sparse.local;

/** Which form of a matrix is applied. */
public enum Op {
  /** The matrix as it is. */
  NONE,
  /** Its transpose. */
  TRANSPOSE,
  /** Its conjugate transpose; for real types the transpose. */
  ADJOINT
}
