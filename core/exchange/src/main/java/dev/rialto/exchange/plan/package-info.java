/**
 * The pattern of an exchange: the elements that each rank sends to each. Start with {@link
 * dev.rialto.exchange.plan.ExchangePlan}; the other public classes make plans from what a user
 * knows: how an array is {@linkplain dev.rialto.exchange.plan.Distribution distributed} before and
 * after.
 */
@NullMarked
package dev.rialto.exchange.plan;

import org.jspecify.annotations.NullMarked;
