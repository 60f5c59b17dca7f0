/**
 * Runs operations on arrays, so that all ranks of a team begin and stop together. Start with {@link
 * dev.rialto.array.run.TeamRuntime}, which a team is made of, and {@link
 * dev.rialto.array.run.OperationRunner}, which the body of an {@link
 * dev.rialto.array.run.ArrayOperation} is given.
 */
@NullMarked
package dev.rialto.array.run;

import org.jspecify.annotations.NullMarked;
