/**
 * Methods lifted from their class files into loops. Start with {@link dev.rialto.jit.lift.Lifter}:
 * it finds a lambda's method, {@link dev.rialto.jit.lift.MethodLifter} walks its instructions, and
 * {@link dev.rialto.jit.lift.block.BlockLoops} makes loops for the host's threads of what items of
 * a block do.
 */
@NullMarked
package dev.rialto.jit.lift;

import org.jspecify.annotations.NullMarked;
