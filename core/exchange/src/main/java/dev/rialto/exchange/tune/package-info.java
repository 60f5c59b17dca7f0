/**
 * Choosing schemes and process grids by measuring them. Start with {@link
 * dev.rialto.exchange.tune.Tuner}.
 */
@NullMarked
package dev.rialto.exchange.tune;

import org.jspecify.annotations.NullMarked;
