/**
 * What Rialto programs print and read back: JSON documents, aligned tables and progress lines. It
 * depends on nothing, so that the command line, the benchmarks and the conformance kit can share
 * one way of doing each. Start reading at {@link dev.rialto.text.Json}.
 */
@NullMarked
package dev.rialto.text;

import org.jspecify.annotations.NullMarked;
