/**
 * Owners of indices: finding them, agreeing on them, and numbering the indices that a rank has.
 * Start with {@link dev.rialto.sparse.ownership.OwnerSearch}.
 */
@NullMarked
package dev.rialto.sparse.ownership;

import org.jspecify.annotations.NullMarked;
