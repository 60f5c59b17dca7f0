/**
 * The meaning of operations, written out plainly and sharing nothing with a backend: patterns of
 * bytes, operators one element at a time, layouts one element after the other.
 */
@NullMarked
package dev.rialto.tck.reference;

import org.jspecify.annotations.NullMarked;
