/**
 * Collectives of all ranks or of neighbours, and the signatures by which ranks notice that they
 * disagree. Start with {@link dev.rialto.mpi.collective.MpiCollectives}.
 */
@NullMarked
package dev.rialto.mpi.collective;

import org.jspecify.annotations.NullMarked;
