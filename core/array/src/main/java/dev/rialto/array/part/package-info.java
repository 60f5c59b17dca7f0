/**
 * A rank's part of an array: which elements it has, where they lie, their memory and their halo.
 * Start with {@link dev.rialto.array.part.Operand}, an array as operations see it; it has a {@link
 * dev.rialto.array.part.RankPart} and shows loops a {@link dev.rialto.array.part.View}.
 */
@NullMarked
package dev.rialto.array.part;

import org.jspecify.annotations.NullMarked;
