/**
 * Bounds of integers, and the passes that use them to compute offsets without wrapping. Start with
 * {@link dev.rialto.jit.lift.range.RangePass}, which goes through the steps of a kernel. {@link
 * dev.rialto.jit.lift.range.KnownValues} holds the bounds at a step.
 */
@NullMarked
package dev.rialto.jit.lift.range;

import org.jspecify.annotations.NullMarked;
