/**
 * Random programs against a plain sequential model: every rank makes the same {@link
 * dev.rialto.tck.generated.Script} from the same seed, does its part of each step and compares what
 * it got with what the model says.
 */
@NullMarked
package dev.rialto.tck.generated;

import org.jspecify.annotations.NullMarked;
