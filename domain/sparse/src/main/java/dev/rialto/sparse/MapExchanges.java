package dev.rialto.sparse;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one map. Each plan has as many as vectors were ever under way at once: a start
 * takes the first that is idle, and makes another if none is. Since all ranks start and await in
 * one order, all take the same one.
 */
final class MapExchanges {
  /** Makes an exchange for a plan that it has not seen. */
  @FunctionalInterface
  interface Maker {
    Exchange make(ExchangePlan plan, DType type);
  }

  /**
   * What exchanges are told apart by.
   *
   * @param home where the vectors are: those of a device have exchanges of their own
   */
  private record Key(Object home, ExchangePlan plan, DType type) {}

  private final Map<Key, List<Exchange>> made = new HashMap<>();
  private final Map<ExchangePlan, Map<Integer, ExchangePlan>> wide = new HashMap<>();
  private @Nullable Scheme scheme;

  @Nullable Scheme scheme() {
    return scheme;
  }

  void scheme(@Nullable Scheme chosen) {
    scheme = chosen;
  }

  /** Returns an exchange that is not under way, by the chosen scheme. Collective if it is new. */
  Exchange idle(Object home, ExchangePlan plan, DType type, Maker maker) {
    List<Exchange> all = made.computeIfAbsent(new Key(home, plan, type), _ -> new ArrayList<>(1));
    for (Exchange exchange : all) {
      if (!exchange.isStarted()) {
        return byScheme(exchange);
      }
    }
    Exchange exchange = maker.make(all.isEmpty() ? plan : another(plan), type);
    all.add(exchange);
    return byScheme(exchange);
  }

  private Exchange byScheme(Exchange exchange) {
    Scheme chosen = scheme;
    if (chosen != null && !exchange.scheme().equals(chosen)) {
      exchange.scheme(chosen);
    }
    return exchange;
  }

  /** Returns a plan for so many vectors side by side; made once, since exchanges are kept by it. */
  ExchangePlan wide(ExchangePlan plan, int width) {
    return width == 1
        ? plan
        : wide.computeIfAbsent(plan, _ -> new HashMap<>()).computeIfAbsent(width, plan::widened);
  }

  /** Returns an equal plan: an exchanger keeps one exchange for each plan object. */
  private static ExchangePlan another(ExchangePlan plan) {
    return ExchangePlan.of(
        plan.name(),
        plan.rank(),
        plan.ranks(),
        plan.inputCount(),
        plan.outputCount(),
        plan.sends(),
        plan.receives(),
        plan.combine());
  }
}
