/**
 * Loops over elements at the machine's vector width. {@link dev.rialto.cpu.simd.Simd} is the door:
 * it uses the incubating Vector API where its module is present and plain loops where it is not,
 * and its callers see no difference but speed.
 */
@NullMarked
package dev.rialto.cpu.simd;

import org.jspecify.annotations.NullMarked;
