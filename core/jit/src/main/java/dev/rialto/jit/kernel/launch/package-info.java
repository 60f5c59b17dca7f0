/**
 * A launch of a kernel: its form for a device, its blocks and its arguments. Start with {@link
 * dev.rialto.jit.kernel.launch.KernelForms}, which compiles a body for a client. {@link
 * dev.rialto.jit.kernel.launch.KernelArguments} binds what a launch passes.
 */
@NullMarked
package dev.rialto.jit.kernel.launch;

import org.jspecify.annotations.NullMarked;
