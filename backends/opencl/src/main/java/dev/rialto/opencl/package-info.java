/**
 * OpenCL devices as a backend. Start with {@link dev.rialto.opencl.OpenClBackend}; {@link
 * dev.rialto.opencl.OpenCl} has the library's functions, {@link dev.rialto.opencl.OpenClContext}
 * what a device's parts share.
 */
@NullMarked
package dev.rialto.opencl;

import org.jspecify.annotations.NullMarked;
