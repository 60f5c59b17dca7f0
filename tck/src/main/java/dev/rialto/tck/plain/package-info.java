/**
 * A device for tests where there is none: memory of the host that only its own plain loops look
 * into. Start with {@link dev.rialto.tck.plain.PlainDevice}.
 */
@NullMarked
package dev.rialto.tck.plain;

import org.jspecify.annotations.NullMarked;
