package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.exchange.codec.Codecs;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The scheme of an exchange: three choices that do not depend on one another.
 *
 * <p>Written {@code transport/staging/codec}, such as {@code rma-pull/fused/cast:1e-6}; what is
 * left out is {@code bulk} and {@code none}.
 *
 * @param transport how the bytes move; a name that {@link Transports} knows
 * @param staging how packing overlaps with that
 * @param codec what makes messages shorter; a text that {@link Codecs} understands, or {@code none}
 */
public record Scheme(String transport, Staging staging, String codec) {
  /** Checks that transport and codec exist. */
  public Scheme {
    var _ = Transports.get(transport);
    if (!codec.equals(Codecs.NONE)) {
      var _ = Codecs.parse(codec);
    }
  }

  /**
   * Reads a scheme.
   *
   * @throws IllegalArgumentException if a part does not exist, with those that do
   */
  public static Scheme parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length > 3) {
      throw new IllegalArgumentException(
          "scheme '" + text + "' has more than transport/staging/codec");
    }
    return new Scheme(
        parts[0],
        parts.length > 1 ? staging(parts[1]) : Staging.BULK,
        parts.length > 2 ? parts[2] : Codecs.NONE);
  }

  private static Staging staging(String name) {
    return Arrays.stream(Staging.values())
        .filter(staging -> staging.label().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no staging '"
                        + name
                        + "'; those there are: "
                        + Arrays.stream(Staging.values())
                            .map(Staging::label)
                            .collect(Collectors.joining(", "))));
  }

  /** Returns the codec, or nothing if messages stay as they are. */
  Optional<Codec> makeCodec() {
    return codec.equals(Codecs.NONE) ? Optional.empty() : Optional.of(Codecs.parse(codec));
  }

  /**
   * Returns why this scheme cannot carry out a plan; empty if it can. The answer is the same on all
   * ranks.
   */
  public Optional<String> refusal(ExchangePlan plan, DType type, Communicator comm) {
    Transport transported = Transports.get(transport);
    for (Capability need : transported.needs()) {
      if (!comm.capabilities().contains(need)) {
        return Optional.of(comm.name() + " has no " + need.what());
      }
    }
    if (transported.together() && staging != Staging.BULK) {
      return Optional.of(
          "messages of " + transport + " move all together, so there is nothing to overlap");
    }
    if (plan.combine() == Combine.AVERAGE && type.kind() == DType.Kind.INTEGER) {
      return Optional.of("the mean of " + type + " elements is not one; use the sum");
    }
    if (codec.equals(Codecs.NONE)) {
      return Optional.empty();
    }
    if (transported.sends() == Transport.Reach.LAYOUTS) {
      return Optional.of(transport + " does not pack, so there is nothing to encode");
    }
    Codec encoder = Codecs.parse(codec);
    if (transported.fixedLength() && !encoder.fixedLength()) {
      return Optional.of(
          transport + " fixes lengths once, and those of " + encoder.name() + " vary");
    }
    return encoder.refusal(type);
  }

  @Override
  public String toString() {
    return codec.equals(Codecs.NONE)
        ? transport + (staging == Staging.BULK ? "" : "/" + staging.label())
        : transport + "/" + staging.label() + "/" + codec;
  }
}
