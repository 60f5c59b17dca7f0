/**
 * An assignment and its schedule as a nest of loops. Start with {@link
 * dev.rialto.jit.lower.nest.Lowering}. {@link dev.rialto.jit.lower.nest.AutoSchedule} chooses the
 * schedule where a program gives none, {@link dev.rialto.jit.lower.nest.LoopOrder} checks one.
 */
@NullMarked
package dev.rialto.jit.lower.nest;

import org.jspecify.annotations.NullMarked;
