/**
 * Preconditioners. Start with {@link dev.rialto.sparse.precond.Preconditioner}, which is also what
 * to implement for one of your own.
 */
@NullMarked
package dev.rialto.sparse.precond;

import org.jspecify.annotations.NullMarked;
