/**
 * Jobs and their processes: how ranks are started, how the rank that failed is told, and that none
 * outlives its job. Start with {@link dev.rialto.mpi.launch.MpiLauncher}.
 */
@NullMarked
package dev.rialto.mpi.launch;

import org.jspecify.annotations.NullMarked;
