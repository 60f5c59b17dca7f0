/**
 * The parts that a communicator need not write if it can send and receive: collectives, topologies,
 * windows and layouts made of messages, and requests that begin an operation anew. Start with
 * {@link dev.rialto.spi.parts.messages.MessageCollectives} and {@link
 * dev.rialto.spi.parts.messages.MessageWindows}.
 */
@NullMarked
package dev.rialto.spi.parts.messages;

import org.jspecify.annotations.NullMarked;
