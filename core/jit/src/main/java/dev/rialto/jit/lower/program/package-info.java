/**
 * Passes over the assignments of a program, before there are loops. Start with {@link
 * dev.rialto.jit.lower.program.Inline}, which computes nodes where they are used. Each pass is a
 * class with one rule set.
 */
@NullMarked
package dev.rialto.jit.lower.program;

import org.jspecify.annotations.NullMarked;
