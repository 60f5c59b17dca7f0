/**
 * Making messages shorter. Start with {@link dev.rialto.exchange.codec.Codec}; {@link
 * dev.rialto.exchange.codec.Codecs} knows those there are.
 */
@NullMarked
package dev.rialto.exchange.codec;

import org.jspecify.annotations.NullMarked;
