/**
 * Inner loops on the Vector API, for modules that do not require it. The module {@code
 * jdk.incubator.vector} may be missing at run time: callers ask {@link
 * dev.rialto.spi.vector.VectorApi} and have plain loops that give the same bits.
 */
@NullMarked
package dev.rialto.spi.vector;

import org.jspecify.annotations.NullMarked;
