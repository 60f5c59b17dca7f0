/**
 * Backends, how they are found and what they declare, and worlds of ranks. Start with {@link
 * dev.rialto.spi.BackendProvider} to write a backend and with {@link dev.rialto.spi.World} to use
 * one.
 */
@NullMarked
package dev.rialto.spi;

import org.jspecify.annotations.NullMarked;
