/**
 * Kernels that many programs need, written in Java once for all devices. Start with {@link
 * dev.rialto.jit.library.KernelLibrary}.
 */
@NullMarked
package dev.rialto.jit.library;

import org.jspecify.annotations.NullMarked;
