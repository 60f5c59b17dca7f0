/**
 * The forms of data: element types, shapes, layouts in memory, and operators that combine elements.
 * All are immutable values. Start with {@link dev.rialto.spi.data.DType} and {@link
 * dev.rialto.spi.data.Layout}.
 */
@NullMarked
package dev.rialto.spi.data;

import org.jspecify.annotations.NullMarked;
