/**
 * Distributed sparse linear algebra. Start with {@link dev.rialto.sparse.IndexMap}, which says who
 * owns which index; {@link dev.rialto.sparse.SparseMatrix} and {@link
 * dev.rialto.sparse.MultiVector} live on it, and {@link dev.rialto.sparse.LinearOperator} is what
 * the solvers in {@code dev.rialto.sparse.solve} ask of a matrix.
 */
@NullMarked
package dev.rialto.sparse;

import org.jspecify.annotations.NullMarked;
