/**
 * Sparse matrices distributed over ranks, and the arithmetic of the arrays that are their vectors.
 * Start with {@link dev.rialto.sparse.SparseMatrix}, which is made on the space of arrays or on an
 * {@link dev.rialto.sparse.IndexMap}; {@link dev.rialto.sparse.LinearOperator} is the interface of
 * matrices of one's own, {@link dev.rialto.sparse.Vectors} the arithmetic of solvers.
 */
@NullMarked
package dev.rialto.sparse;

import org.jspecify.annotations.NullMarked;
