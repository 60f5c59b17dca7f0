/**
 * Measurements of Rialto against its peers, interleaved in one run and reported as ratios. Start
 * with {@link dev.rialto.bench.Suite}; {@link dev.rialto.bench.comm.CommSuite} shows what one looks
 * like, {@link dev.rialto.bench.Peer} how a C program takes part.
 */
@NullMarked
package dev.rialto.bench;

import org.jspecify.annotations.NullMarked;
