/**
 * The job that this process is a rank of, and its communicators. Start with {@link
 * dev.rialto.mpi.world.Job}; {@link dev.rialto.mpi.world.MpiCommunicator} is put together from the
 * operations.
 */
@NullMarked
package dev.rialto.mpi.world;

import org.jspecify.annotations.NullMarked;
