/**
 * From programs to loops: each pass is a class with one rule set. Start with {@link
 * dev.rialto.jit.lower.Pipeline}, which runs them in order.
 */
@NullMarked
package dev.rialto.jit.lower;

import org.jspecify.annotations.NullMarked;
