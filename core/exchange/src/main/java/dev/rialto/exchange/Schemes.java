package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codecs;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.List;

/** The schemes that a communicator can carry a plan out with. */
public final class Schemes {
  private Schemes() {}

  /** Returns all lossless schemes without a codec that apply. */
  public static List<Scheme> all(ExchangePlan plan, DType type, Communicator comm) {
    List<Scheme> schemes = new ArrayList<>();
    for (Transport transport : Transports.all()) {
      for (Staging staging : Staging.values()) {
        Scheme scheme = new Scheme(transport.name(), staging, Codecs.NONE);
        if (scheme.refusal(plan, type, comm).isEmpty()) {
          schemes.add(scheme);
        }
      }
    }
    return schemes;
  }

  /**
   * Returns the scheme that is taken where none is chosen: memory that can be shared is, otherwise
   * messages go one by one.
   *
   * @throws UnsupportedOperationException if no scheme applies
   */
  public static Scheme standard(ExchangePlan plan, DType type, Communicator comm) {
    List<Scheme> schemes = all(plan, type, comm);
    return schemes.stream()
        .filter(s -> s.transport().equals("shared") && s.staging() == Staging.PIPELINED)
        .findFirst()
        .or(() -> schemes.stream().findFirst())
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "%s cannot do %s of %s: %s"
                        .formatted(
                            comm.name(),
                            plan.name(),
                            type,
                            Scheme.parse("point-to-point").refusal(plan, type, comm).orElse(""))));
  }
}
