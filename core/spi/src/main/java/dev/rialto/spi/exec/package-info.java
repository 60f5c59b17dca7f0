/**
 * Running code: loops and tasks on cores, and in-order streams of operations. Start with {@link
 * dev.rialto.spi.exec.Executor}.
 */
@NullMarked
package dev.rialto.spi.exec;

import org.jspecify.annotations.NullMarked;
