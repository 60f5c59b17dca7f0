/**
 * Items of a block as loops of a thread, split at barriers, or as the threads of a device's group.
 * Start with {@link dev.rialto.jit.lift.block.BlockLoops}. {@link
 * dev.rialto.jit.lift.block.VariablePlaces} decides where the variables of items live.
 */
@NullMarked
package dev.rialto.jit.lift.block;

import org.jspecify.annotations.NullMarked;
