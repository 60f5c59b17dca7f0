/**
 * Windows of the library, and what it does not do itself. Start with {@link
 * dev.rialto.mpi.window.CheckedWindow}.
 */
@NullMarked
package dev.rialto.mpi.window;

import org.jspecify.annotations.NullMarked;
