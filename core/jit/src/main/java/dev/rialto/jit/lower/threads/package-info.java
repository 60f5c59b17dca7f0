/**
 * Assignments divided among the threads of a GPU. Start with {@link
 * dev.rialto.jit.lower.threads.Threads}, which gives each element a thread. Sums, products of
 * matrices and packs of neighbouring elements have forms of their own.
 */
@NullMarked
package dev.rialto.jit.lower.threads;

import org.jspecify.annotations.NullMarked;
