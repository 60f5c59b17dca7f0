/**
 * Arrays divided among ranks, and algorithms on them. Start with {@link dev.rialto.array.Team},
 * which makes a {@link dev.rialto.array.Array} of the indices of an {@link
 * dev.rialto.array.IndexSpace}; algorithms are methods of the array. The packages below this one
 * are no part of the interface.
 */
@NullMarked
package dev.rialto.array;

import org.jspecify.annotations.NullMarked;
