/**
 * Memory a backend hands out, and copies within and between such memories. Start with {@link
 * dev.rialto.spi.memory.MemorySpace}; {@link dev.rialto.spi.memory.MemoryTransfer} moves bytes.
 */
@NullMarked
package dev.rialto.spi.memory;

import org.jspecify.annotations.NullMarked;
