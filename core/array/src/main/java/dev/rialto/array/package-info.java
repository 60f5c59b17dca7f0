/**
 * Arrays divided among ranks, and algorithms on them. Start with {@link dev.rialto.array.Team},
 * which makes a {@link dev.rialto.array.Array}; the algorithms are the static methods of classes
 * such as {@link dev.rialto.array.Reduce} and {@link dev.rialto.array.Sort}, and return an {@link
 * dev.rialto.array.ArrayOperation} to run or to start.
 */
@NullMarked
package dev.rialto.array;

import org.jspecify.annotations.NullMarked;
