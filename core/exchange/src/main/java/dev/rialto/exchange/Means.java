package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.DirectChannel;
import org.jspecify.annotations.Nullable;

/**
 * What the messages of a binding travel by.
 *
 * @param direct the channel, if receivers may read arrays through it
 * @param encoder what makes messages shorter, if anything does
 * @param linked whether messages go from device to device, in order with kernels
 */
record Means(
    ExchangeKernels kernels,
    Channel channel,
    @Nullable DirectChannel direct,
    @Nullable Encoder encoder,
    Staged staging,
    boolean linked) {
  /** Waits for the kernels before somebody else uses what they wrote, unless that is in order. */
  void finish() {
    if (!linked) {
      kernels.finish();
    }
  }
}
