package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.DirectChannel;
import dev.rialto.exchange.transport.Transport;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The messages that a rank sends in each run: as they lie in the array, offered, or packed. */
final class Outbox {
  private final Messages messages;
  private final ExchangeKernels kernels;
  private final Channel channel;
  private final @Nullable DirectChannel direct;
  private final @Nullable Encoder encoder;
  private final Staged staging;
  private final MessageKernels[] packs;
  private final InPlace[] places;
  private final boolean[] inPlace;

  /** The memory handed to the channel; null for a message that its receiver reads itself. */
  private final @Nullable MemorySegment[] memory;

  private final long[] lengths;
  private long wireBytes;

  /**
   * Makes the outbox.
   *
   * @param direct the channel, if receivers may read arrays through it
   * @param encoder what makes messages shorter, if anything does
   */
  Outbox(
      Messages messages,
      ExchangeKernels kernels,
      Channel channel,
      @Nullable DirectChannel direct,
      @Nullable Encoder encoder,
      Staged staging,
      Transport.Reach reach) {
    int count = messages.count();
    this.messages = messages;
    this.kernels = kernels;
    this.channel = channel;
    this.direct = direct;
    this.encoder = encoder;
    this.staging = staging;
    this.packs = new MessageKernels[count];
    Arrays.setAll(packs, i -> messages.pack(kernels, i));
    this.places = messages.places(reach, kernels);
    this.inPlace = new boolean[count];
    this.memory = new MemorySegment[count];
    this.lengths = new long[count];
  }

  /** Returns whether it uses arrays by their addresses, or the communicator does. */
  boolean byAddress() {
    return Arrays.stream(packs).anyMatch(MessageKernels::byAddress)
        || Arrays.stream(places).anyMatch(InPlace::usable);
  }

  /**
   * Sends all messages.
   *
   * @param overwrites whether what is received overwrites what is sent, so that all of that must be
   *     packed before
   * @param fused whether each is sent before the next one is packed
   */
  void send(MemorySegment[] inputs, boolean overwrites, boolean fused) {
    wireBytes = 0;
    int[] order = channel.order();
    for (int message : order) {
      prepare(message, inputs, overwrites);
      if (fused && memory[message] != null) {
        staging.finish();
        send(message);
      }
    }
    staging.finish();
    if (!fused) {
      for (int message : order) {
        if (memory[message] != null) {
          send(message);
        }
      }
    }
    channel.sent();
  }

  private void prepare(int message, MemorySegment[] inputs, boolean overwrites) {
    long raw = messages.bytes(message);
    lengths[message] = raw;
    DirectChannel offers = direct;
    if (offers != null && !overwrites && worthOffering(offers, message, inputs)) {
      memory[message] = null;
      wireBytes += raw;
      offers.offer(message, inputs);
      return;
    }
    inPlace[message] = places[message].usable() && !overwrites;
    if (inPlace[message]) {
      memory[message] = places[message].in(inputs[0]);
      return;
    }
    MemorySegment buffer = channel.outgoing(message);
    memory[message] = buffer;
    Encoder shorter = encoder;
    if (shorter == null) {
      staging.pack(packs[message], inputs, buffer, raw);
      return;
    }
    packs[message].pack(inputs, shorter.scratch());
    if (shorter.onHost()) {
      kernels.finish();
    }
    lengths[message] = shorter.encode(messages.elements(message), buffer, staging);
  }

  private boolean worthOffering(DirectChannel offers, int message, MemorySegment[] inputs) {
    for (MemorySegment input : inputs) {
      if (!(kernels.onHost()
          ? offers.worthOffering(message, input)
          : offers.canOffer(message, input))) {
        return false;
      }
    }
    return true;
  }

  private void send(int message) {
    wireBytes += lengths[message];
    channel.send(
        message,
        memory[message],
        inPlace[message] ? places[message].layout() : null,
        lengths[message]);
  }

  /** Returns the bytes of the last run's messages, as they were sent. */
  long wireBytes() {
    return wireBytes;
  }
}
