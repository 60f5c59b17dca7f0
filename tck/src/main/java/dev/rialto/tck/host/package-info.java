/**
 * The requirements on what one rank uses: the provider, memory, transfers, executors, streams,
 * kernels, devices and transforms. Each class is about one of them.
 */
@NullMarked
package dev.rialto.tck.host;

import org.jspecify.annotations.NullMarked;
