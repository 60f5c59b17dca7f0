/**
 * Devices: memory, kernels and streams that belong together. Start with {@link
 * dev.rialto.spi.device.Device}.
 */
@NullMarked
package dev.rialto.spi.device;

import org.jspecify.annotations.NullMarked;
