/**
 * The backend {@code mpi}: Open MPI, MPICH or any library of the standard ABI, bound at run time.
 * Start with {@link dev.rialto.mpi.MpiBackend}. What differs between libraries is in the classes
 * that implement {@code MpiLibrary}; {@code Native} makes the calls, {@code Job} is this process's
 * part in the parallel job, and {@code MpiCommunicator} and what it extends are the operations.
 */
@NullMarked
package dev.rialto.mpi;

import org.jspecify.annotations.NullMarked;
