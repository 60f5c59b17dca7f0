/**
 * Lines on the terminal: of one process, of several ranks, and folded between words. Start with
 * {@link dev.rialto.cli.output.StandardOutput}. Nothing here knows a command.
 */
@NullMarked
package dev.rialto.cli.output;

import org.jspecify.annotations.NullMarked;
