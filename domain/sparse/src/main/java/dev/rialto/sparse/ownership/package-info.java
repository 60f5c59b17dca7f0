/**
 * Owners of indices: finding them, agreeing on them, numbering the indices that a rank has, and
 * what owners exchange and add up. Start with {@link dev.rialto.sparse.ownership.OwnerSearch}.
 */
@NullMarked
package dev.rialto.sparse.ownership;

import org.jspecify.annotations.NullMarked;
