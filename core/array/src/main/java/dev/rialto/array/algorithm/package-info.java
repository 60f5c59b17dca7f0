/**
 * Algorithms on arrays: operations, how they go from rank to rank, and their loops on the host.
 * Their device code is in {@link dev.rialto.array.device}. Start with {@link
 * dev.rialto.array.algorithm.Elementwise} and {@link dev.rialto.array.algorithm.Reduce}.
 */
@NullMarked
package dev.rialto.array.algorithm;

import org.jspecify.annotations.NullMarked;
