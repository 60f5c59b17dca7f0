/**
 * Devices, streams and buffers behind one compute client. Start with {@link
 * dev.rialto.runtime.Devices#open} and {@link dev.rialto.runtime.ComputeClient}.
 */
@NullMarked
package dev.rialto.runtime;

import org.jspecify.annotations.NullMarked;
