/**
 * Targets that make machine code with a compiler that is installed. Start with {@link
 * dev.rialto.natives.CcTarget}.
 */
@NullMarked
package dev.rialto.natives;

import org.jspecify.annotations.NullMarked;
