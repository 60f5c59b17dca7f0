/**
 * The ranks of a world as threads: how they wait and wake one another, what has failed, and whether
 * all of them wait. Start with {@link dev.rialto.local.rank.Rank}.
 */
@NullMarked
package dev.rialto.local.rank;

import org.jspecify.annotations.NullMarked;
