/**
 * Inner loops of the host, on addresses and elements as bits. Start with {@link
 * dev.rialto.array.loop.Loops}: each function of the user's gets a copy of its own.
 */
@NullMarked
package dev.rialto.array.loop;

import org.jspecify.annotations.NullMarked;
