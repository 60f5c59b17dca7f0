/**
 * The calls of this rank that wait, and whether they can end: a rank that has failed or ranks that
 * all wait for one another are noticed here. Start with {@link dev.rialto.mpi.watch.Watch}.
 */
@NullMarked
package dev.rialto.mpi.watch;

import org.jspecify.annotations.NullMarked;
