/**
 * Algorithms on arrays in the memory of devices, in kernels that are written once for all of them.
 * Start with {@link dev.rialto.array.device.DeviceElementwise}, {@link
 * dev.rialto.array.device.DeviceValues} and {@link dev.rialto.array.device.DeviceKernels}.
 */
@NullMarked
package dev.rialto.array.device;

import org.jspecify.annotations.NullMarked;
