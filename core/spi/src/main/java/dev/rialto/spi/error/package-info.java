/**
 * The one small family of exceptions for what goes wrong at run time. Misuse by the caller is an
 * {@link IllegalArgumentException} or {@link IllegalStateException} instead, and what a backend
 * cannot do an {@link UnsupportedOperationException}. Start with {@link
 * dev.rialto.spi.error.RialtoException}.
 */
@NullMarked
package dev.rialto.spi.error;

import org.jspecify.annotations.NullMarked;
