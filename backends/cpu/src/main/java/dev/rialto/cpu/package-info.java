/**
 * The backend that every machine has: host memory, a pool of threads and SIMD kernels. The
 * incubating Vector API is used where its module is present and replaced by plain loops where it is
 * not, so that nothing above this package needs to know which of the two runs.
 */
@NullMarked
package dev.rialto.cpu;

import org.jspecify.annotations.NullMarked;
