/**
 * The texts that Rialto programs print and read back: JSON documents, aligned tables, progress
 * lines and the description of the machine. It depends on nothing but the JDK, so that the command
 * line, the benchmarks and the conformance kit share one way of doing each. Start reading at {@link
 * dev.rialto.text.Json}.
 */
@NullMarked
package dev.rialto.text;

import org.jspecify.annotations.NullMarked;
