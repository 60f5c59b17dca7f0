/**
 * Copies between two places of the host's memory, whatever the layouts: rows, transposes, lists.
 * Start with {@link dev.rialto.spi.copy.StridedCopy}; backends describe boxes to devices with
 * {@link dev.rialto.spi.copy.BoxPair}.
 */
@NullMarked
package dev.rialto.spi.copy;

import org.jspecify.annotations.NullMarked;
