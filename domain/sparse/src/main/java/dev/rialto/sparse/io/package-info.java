/** Matrices and vectors in files. Start with {@link dev.rialto.sparse.io.MatrixMarket}. */
@NullMarked
package dev.rialto.sparse.io;

import org.jspecify.annotations.NullMarked;
