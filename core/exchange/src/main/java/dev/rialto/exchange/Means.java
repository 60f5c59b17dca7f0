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
 * @param relay how arrays are handed over in the order of streams, if they are
 */
record Means(
    ExchangeKernels kernels,
    Channel channel,
    @Nullable DirectChannel direct,
    @Nullable Encoder encoder,
    Staged staging,
    boolean linked,
    @Nullable Relay relay) {
  /** Returns whether what comes after on the kernels' stream is in order by itself. */
  boolean inStream() {
    return linked || relay != null;
  }

  /** Waits for the kernels before somebody else uses what they wrote, unless that is in order. */
  void finish() {
    if (!linked) {
      kernels.finish();
    }
  }
}
