/**
 * Moving elements within one memory: packing, unpacking, transposing, adding. Start with {@link
 * dev.rialto.exchange.kernel.ExchangeKernels}, which a device implements for its own memory; {@link
 * dev.rialto.exchange.kernel.HostKernels} is the host's.
 */
@NullMarked
package dev.rialto.exchange.kernel;

import org.jspecify.annotations.NullMarked;
