/**
 * Matrices, vectors and numbers of solvers in the memory of a device, by kernels in Java that are
 * the same for every kind of device. Start with {@link dev.rialto.sparse.device.SparseKernels},
 * which launches them; the kernels themselves are in {@link dev.rialto.sparse.device.RowBodies} and
 * {@link dev.rialto.sparse.device.VectorBodies}.
 */
@NullMarked
package dev.rialto.sparse.device;

import org.jspecify.annotations.NullMarked;
