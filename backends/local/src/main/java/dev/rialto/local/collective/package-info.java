/**
 * Collectives of all ranks or of neighbours: boards where ranks meet, and the share that each does
 * on the memory of all. Start with {@link dev.rialto.local.collective.CollectiveQueue}.
 */
@NullMarked
package dev.rialto.local.collective;

import org.jspecify.annotations.NullMarked;
