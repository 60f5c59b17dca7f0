/**
 * The times of operations, for tools: JFR events and trace files. Start with {@link
 * dev.rialto.runtime.trace.Trace}.
 */
@NullMarked
package dev.rialto.runtime.trace;

import org.jspecify.annotations.NullMarked;
