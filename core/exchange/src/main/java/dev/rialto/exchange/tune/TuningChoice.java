package dev.rialto.exchange.tune;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.exchange.plan.Transpose.MemoryOrder;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Everything that can be chosen about an exchange, or about the steps of turning an array.
 *
 * @param grid the process grid, such as {@code 2x1}; {@code -} where there is no choice
 * @param messages the order of elements in messages
 * @param memory the order of axes in memory
 * @param tile the tiles of the kernels, such as {@code 2048x32}
 * @param schemes the scheme of each step; one for all steps alike
 */
public record TuningChoice(
    String grid, MessageOrder messages, MemoryOrder memory, String tile, List<Scheme> schemes) {
  /** Copies the list. */
  public TuningChoice {
    schemes = List.copyOf(schemes);
  }

  TuningChoice withMemory(MemoryOrder other) {
    return new TuningChoice(grid, messages, other, tile, schemes);
  }

  TuningChoice withTile(String other) {
    return new TuningChoice(grid, messages, memory, other, schemes);
  }

  TuningChoice withSchemes(List<Scheme> others) {
    return new TuningChoice(grid, messages, memory, tile, others);
  }

  /** Returns the process grid as numbers. */
  public int[] gridParts() {
    return Arrays.stream(grid.split("x", -1)).mapToInt(Integer::parseInt).toArray();
  }

  /** Returns the scheme of a step. */
  public Scheme scheme(int step) {
    return schemes.get(Math.min(step, schemes.size() - 1));
  }

  /** Returns the schemes as text: one if all steps have the same. */
  public String schemeText() {
    return schemes.stream().map(Scheme::toString).distinct().count() == 1
        ? schemes.getFirst().toString()
        : schemes.stream().map(Scheme::toString).collect(Collectors.joining(","));
  }

  /** Plans turning an array from its last axis to its first, and back: a plan for each step. */
  public List<ExchangePlan> turns(Shape shape, int rank) {
    List<ExchangePlan> steps = new ArrayList<>();
    int last = shape.rank() - 1;
    for (int axis = last; axis > 0; axis--) {
      steps.add(turn(shape, rank, axis, axis - 1));
    }
    for (int axis = 0; axis < last; axis++) {
      steps.add(turn(shape, rank, axis, axis + 1));
    }
    return steps;
  }

  private ExchangePlan turn(Shape shape, int rank, int from, int to) {
    return Transpose.plan(
        Transpose.pencils(shape, gridParts(), from, memory),
        Transpose.pencils(shape, gridParts(), to, memory),
        rank,
        messages);
  }

  /** Returns the exchanges of plans, one for each step, in this way. */
  public List<Exchange> exchanges(Exchanger exchanger, List<ExchangePlan> steps, DType type) {
    List<Exchange> exchanges = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      exchanges.add(exchanger.exchange(steps.get(i), type).scheme(scheme(i)).tile(tile));
    }
    return exchanges;
  }

  /** Returns everything but the grid, for people. */
  String described() {
    return "%s, %s order, tiles %s"
        .formatted(schemeText(), memory.name().toLowerCase(Locale.ROOT).replace('_', ' '), tile);
  }

  /** Returns this on one line, as {@link #parse} reads it. */
  String line() {
    return String.join(" ", grid, messages.name(), memory.name(), tile, schemeText());
  }

  /** Reads a line; empty if it is not one of these. */
  static Optional<TuningChoice> parse(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 5) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new TuningChoice(
              words[0],
              MessageOrder.valueOf(words[1]),
              MemoryOrder.valueOf(words[2]),
              words[3],
              Arrays.stream(words[4].split(",", -1)).map(Scheme::parse).toList()));
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      // Written by another version, or with a codec that is gone: it is found anew.
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return schemeText() + (grid.equals("-") ? "" : " on " + grid);
  }
}
