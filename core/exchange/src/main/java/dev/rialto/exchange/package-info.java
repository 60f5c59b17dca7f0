/**
 * Moves distributed data between ranks. Start with {@link dev.rialto.exchange.Exchanger}: it binds
 * {@linkplain dev.rialto.exchange.plan.ExchangePlan plans} to a communicator and gives {@link
 * dev.rialto.exchange.Exchange} handles that run them.
 */
@NullMarked
package dev.rialto.exchange;

import org.jspecify.annotations.NullMarked;
