/**
 * Memory of one device, cut into blocks that are used again in stream order. Start with {@link
 * dev.rialto.runtime.memory.MemoryPools}; a {@link dev.rialto.runtime.memory.Block} knows who uses
 * it.
 */
@NullMarked
package dev.rialto.runtime.memory;

import org.jspecify.annotations.NullMarked;
