/**
 * The MPI library of this process: which one, what it calls things, and its functions by name. What
 * differs between libraries is in the classes that implement {@link
 * dev.rialto.mpi.library.MpiLibrary}; {@link dev.rialto.mpi.library.Native} makes the calls.
 */
@NullMarked
package dev.rialto.mpi.library;

import org.jspecify.annotations.NullMarked;
