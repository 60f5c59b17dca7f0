/**
 * Kernels called on the host, as Java or as checked loops. Start with {@link
 * dev.rialto.jit.kernel.host.PlainItem}, an item of a block that is not compiled. {@link
 * dev.rialto.jit.kernel.host.CheckedRun} finds accesses of items that race.
 */
@NullMarked
package dev.rialto.jit.kernel.host;

import org.jspecify.annotations.NullMarked;
