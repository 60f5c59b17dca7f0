/**
 * The {@code rialto} command: one class for each subcommand, started from {@code Main}. A command
 * parses its options, calls the library and prints; it computes nothing itself. Every failure
 * leaves through one place that turns it into a sentence and an exit code.
 */
@NullMarked
package dev.rialto.cli;

import org.jspecify.annotations.NullMarked;
