/**
 * The parts that backends have in common and need not write again: memory that is counted, copies
 * by layout on the host, what failed on a stream, collectives and windows made of messages. Nothing
 * outside a backend needs it; start with {@link dev.rialto.spi.parts.TrackedSpace} for a device and
 * with {@link dev.rialto.spi.parts.messages.MessageCollectives} for a communicator.
 */
@NullMarked
package dev.rialto.spi.parts;

import org.jspecify.annotations.NullMarked;
