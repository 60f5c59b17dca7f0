/** GPUs against their vendors' libraries. Start with {@link dev.rialto.bench.gpu.CudaSuite}. */
@NullMarked
package dev.rialto.bench.gpu;

import org.jspecify.annotations.NullMarked;
