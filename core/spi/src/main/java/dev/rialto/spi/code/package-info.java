/**
 * Loop nests, and what turns them into code for the host's cores. Start with {@link
 * dev.rialto.spi.code.CodeTarget}; {@link dev.rialto.spi.code.Expr} and {@link
 * dev.rialto.spi.code.Stmt} are the whole language.
 */
@NullMarked
package dev.rialto.spi.code;

import org.jspecify.annotations.NullMarked;
