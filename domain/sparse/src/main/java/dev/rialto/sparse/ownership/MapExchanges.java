package dev.rialto.sparse.ownership;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.data.DType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one map. Each plan has one for calls that wait and a ring of {@value #RING} for
 * updates that are started. A start takes the next of the ring, by its number and not by which are
 * idle: all ranks start in one order and await in their own, so only the number is the same on all.
 */
public final class MapExchanges {
  private static final int RING = 4;

  /** Makes an exchange for a plan that it has not seen. */
  @FunctionalInterface
  public interface Maker {
    /** Makes an exchange. */
    Exchange make(ExchangePlan plan, DType type);
  }

  /**
   * The identity of an exchange.
   *
   * @param home where the vectors are: those of a device have exchanges of their own
   * @param place in the ring; 0 for calls that wait
   */
  private record Key(Object home, ExchangePlan plan, DType type, int place) {}

  private final Map<Key, Exchange> made = new HashMap<>();
  private final Map<Key, Integer> lastPlaces = new HashMap<>();
  private final Map<ExchangePlan, Map<Integer, ExchangePlan>> wide = new HashMap<>();
  private @Nullable Scheme scheme;

  /** Returns the scheme that was chosen, or null for the choice of the engine. */
  public @Nullable Scheme scheme() {
    return scheme;
  }

  /** Chooses a scheme, which exchanges take when they are asked for. */
  public void scheme(@Nullable Scheme chosen) {
    scheme = chosen;
  }

  /** Returns the exchange of calls that wait, by the chosen scheme. Collective if it is new. */
  public Exchange waiting(Object home, ExchangePlan plan, DType type, Maker maker) {
    return get(new Key(home, plan, type, 0), maker);
  }

  /** Returns the next exchange of the ring, which may be under way. Collective if it is new. */
  public Exchange next(Object home, ExchangePlan plan, DType type, Maker maker) {
    int place =
        lastPlaces.merge(new Key(home, plan, type, 0), 1, (last, step) -> last % RING + step);
    return get(new Key(home, plan, type, place), maker);
  }

  private Exchange get(Key key, Maker maker) {
    Exchange exchange = made.get(key);
    if (exchange == null) {
      exchange = maker.make(key.place == 0 ? key.plan : another(key.plan), key.type);
      made.put(key, exchange);
    }
    Scheme chosen = scheme;
    if (chosen != null && !exchange.isStarted() && !exchange.scheme().equals(chosen)) {
      exchange.scheme(chosen);
    }
    return exchange;
  }

  /** Returns a plan for so many vectors side by side; made once, since exchanges are kept by it. */
  public ExchangePlan wide(ExchangePlan plan, int width) {
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
