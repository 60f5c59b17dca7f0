/**
 * The parts of a plan: {@link dev.rialto.fft.stage.Itinerary} finds the steps from one grid to the
 * next, {@link dev.rialto.fft.stage.Stages} makes each a {@link dev.rialto.fft.stage.Stage} that
 * transforms, moves or does both, and {@link dev.rialto.fft.stage.Route} runs them in order.
 */
@NullMarked
package dev.rialto.fft.stage;

import org.jspecify.annotations.NullMarked;
