/**
 * Matrices of one rank: the formats, their products and triangular solves. Start with {@link
 * dev.rialto.sparse.local.Csr}, from which every other {@linkplain dev.rialto.sparse.local.Format
 * format} is made. Loops are written once and specialized per element type when first used.
 */
@NullMarked
package dev.rialto.sparse.local;

import org.jspecify.annotations.NullMarked;
