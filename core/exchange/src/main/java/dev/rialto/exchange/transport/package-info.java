/**
 * The movement of the bytes of an exchange. Start with {@link
 * dev.rialto.exchange.transport.Transport}; a new way to move bytes implements it and {@link
 * dev.rialto.exchange.transport.Channel}.
 */
@NullMarked
package dev.rialto.exchange.transport;

import org.jspecify.annotations.NullMarked;
