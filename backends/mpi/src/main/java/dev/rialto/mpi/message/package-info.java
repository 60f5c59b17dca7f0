/**
 * Messages between two ranks, and requests of all operations. Start with {@link
 * dev.rialto.mpi.message.MpiMessages}.
 */
@NullMarked
package dev.rialto.mpi.message;

import org.jspecify.annotations.NullMarked;
