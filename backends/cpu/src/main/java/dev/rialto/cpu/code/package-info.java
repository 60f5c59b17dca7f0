/** Loop nests as class files. Start with {@link dev.rialto.cpu.code.JvmTarget}. */
@NullMarked
package dev.rialto.cpu.code;

import org.jspecify.annotations.NullMarked;
