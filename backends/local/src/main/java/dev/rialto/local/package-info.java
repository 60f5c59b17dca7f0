/**
 * Ranks as threads of one JVM: the communicator for a laptop, a unit test or one big node. All
 * ranks share an address space, so a message is one copy from the sender's memory to the
 * receiver's. A rank that fails or a set of ranks that wait for one another ends the world with an
 * exception instead of a hang.
 *
 * <p>Start with {@code world.LocalWorld}, which runs the ranks, and {@code rank.Rank}, which says
 * how they wait and wake one another. Messages, collectives and windows have packages of their own.
 */
@NullMarked
package dev.rialto.local;

import org.jspecify.annotations.NullMarked;
