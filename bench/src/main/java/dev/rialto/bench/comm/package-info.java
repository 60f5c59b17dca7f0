/**
 * Measurements of messages, collectives and exchanges against their floors and peers. Start with
 * {@link dev.rialto.bench.comm.CommSuite}, whose ranks are threads; {@link
 * dev.rialto.bench.comm.ProcessCommSuite} has processes. Both time the same {@link
 * dev.rialto.bench.comm.CommCase}.
 */
@NullMarked
package dev.rialto.bench.comm;

import org.jspecify.annotations.NullMarked;
