/**
 * The limits of a machine, measured: what its memory moves and its cores compute at best. Start
 * with {@link dev.rialto.runtime.limits.MachineLimits}.
 */
@NullMarked
package dev.rialto.runtime.limits;

import org.jspecify.annotations.NullMarked;
