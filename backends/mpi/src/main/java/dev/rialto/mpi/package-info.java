/**
 * The backend {@code mpi}: Open MPI, MPICH or any library of the standard ABI, bound at run time.
 * Start with {@link dev.rialto.mpi.MpiBackend}. What differs between libraries is in {@code
 * library}, this process's part in the parallel job and its communicators are in {@code world}, and
 * how ranks are started in {@code launch}.
 */
@NullMarked
package dev.rialto.mpi;

import org.jspecify.annotations.NullMarked;
