/**
 * A device's transforms made of kernels in Java, where its backend has none: start with {@link
 * dev.rialto.fft.engine.KernelEngine}. Tables are computed on the host, exact to the last bit of
 * {@link dev.rialto.fft.engine.RootsOfUnity}.
 */
@NullMarked
package dev.rialto.fft.engine;

import org.jspecify.annotations.NullMarked;
