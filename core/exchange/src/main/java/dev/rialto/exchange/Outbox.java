package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.transport.DirectChannel;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The messages that a rank sends in each run: as they lie in the array, offered, or packed. */
final class Outbox {
  private final Messages messages;
  private final Means means;
  private final MessageKernels[] packs;
  private final InPlace[] places;
  private final boolean[] inPlace;

  /** What is handed to the channel; null for a message that its receiver reads itself. */
  private final @Nullable MemorySegment[] memory;

  private final long[] lengths;
  private long wireBytes;

  Outbox(Messages messages, Means means, DType type, int vectors, Transport.Reach reach) {
    int count = messages.count();
    ExchangeKernels kernels = means.kernels();
    this.messages = messages;
    this.means = means;
    this.packs = new MessageKernels[count];
    Arrays.setAll(packs, i -> MessageKernels.pack(kernels, type, messages.block(i), vectors));
    this.places = messages.places(reach, kernels);
    this.inPlace = new boolean[count];
    this.memory = new MemorySegment[count];
    this.lengths = new long[count];
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
    int[] order = means.channel().order();
    for (int message : order) {
      prepare(message, inputs, overwrites);
      if (fused && memory[message] != null) {
        means.finish();
        send(message);
      }
    }
    means.finish();
    if (!fused) {
      for (int message : order) {
        if (memory[message] != null) {
          send(message);
        }
      }
    }
    means.channel().sent();
  }

  private void prepare(int message, MemorySegment[] inputs, boolean overwrites) {
    long raw = messages.bytes(message);
    lengths[message] = raw;
    DirectChannel direct = means.direct();
    if (direct != null && !overwrites && worthOffering(direct, message, inputs)) {
      memory[message] = null;
      wireBytes += raw;
      direct.offer(message, inputs);
      return;
    }
    inPlace[message] = places[message].usable() && !overwrites;
    if (inPlace[message]) {
      memory[message] = places[message].in(inputs[0]);
      return;
    }
    MemorySegment buffer = means.channel().outgoing(message);
    memory[message] = buffer;
    Encoder encoder = means.encoder();
    if (encoder == null) {
      means.staging().pack(packs[message], inputs, buffer, raw);
      return;
    }
    packs[message].pack(inputs, encoder.scratch());
    if (encoder.onHost()) {
      means.kernels().finish();
    }
    lengths[message] = encoder.encode(messages.elements(message), buffer, means.staging());
  }

  private boolean worthOffering(DirectChannel direct, int message, MemorySegment[] inputs) {
    for (MemorySegment input : inputs) {
      if (!(means.kernels().onHost()
          ? direct.worthOffering(message, input)
          : direct.canOffer(message, input))) {
        return false;
      }
    }
    return true;
  }

  private void send(int message) {
    wireBytes += lengths[message];
    means
        .channel()
        .send(
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
