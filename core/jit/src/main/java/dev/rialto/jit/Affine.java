package dev.rialto.jit;

import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An index: a constant plus symbols times constants. Slices, strides, dilations, fixed positions
 * and concatenation are all of this form; symbols that are elements of nodes make it data.
 *
 * @param terms each symbol with its factor, none of them 0
 * @param offset the constant
 */
public record Affine(Map<Symbol, Long> terms, long offset) {
  /** Copies the terms. */
  public Affine {
    terms = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(terms));
  }

  /** Returns a constant. */
  public static Affine of(long offset) {
    return new Affine(Map.of(), offset);
  }

  /** Returns a symbol alone. */
  public static Affine of(Symbol symbol) {
    return new Affine(Map.of(symbol, 1L), 0);
  }

  /** Returns the sum. */
  public Affine plus(Affine other) {
    Map<Symbol, Long> sum = new LinkedHashMap<>(terms);
    other.terms.forEach((symbol, factor) -> sum.merge(symbol, factor, Affine::sum));
    sum.values().removeIf(factor -> factor == 0);
    return new Affine(sum, sum(offset, other.offset));
  }

  /** Returns the sum with a constant. */
  public Affine plus(long constant) {
    return new Affine(terms, sum(offset, constant));
  }

  /** Returns a multiple. */
  public Affine times(long factor) {
    if (factor == 0) {
      return of(0);
    }
    Map<Symbol, Long> product = new LinkedHashMap<>();
    terms.forEach((symbol, f) -> product.put(symbol, product(f, factor)));
    return new Affine(product, product(offset, factor));
  }

  /** Returns the number of an element in row-major order. */
  static Affine number(List<Affine> index, Shape shape) {
    Affine number = of(0);
    for (int axis = 0; axis < index.size(); axis++) {
      number = number.times(shape.extent(axis)).plus(index.get(axis));
    }
    return number;
  }

  private static long sum(long a, long b) {
    return fitting(Math::addExact, a, b);
  }

  private static long product(long a, long b) {
    return fitting(Math::multiplyExact, a, b);
  }

  private static long fitting(LongBinaryOperator operator, long a, long b) {
    try {
      return operator.applyAsLong(a, b);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "an index with %s and %s, whose sum or product does not fit 64 bits".formatted(a, b), e);
    }
  }

  /** Returns the factor of a symbol, 0 if it is not there. */
  public long factor(Symbol symbol) {
    return terms.getOrDefault(symbol, 0L);
  }

  /** Returns the symbol if this is one alone, with factor 1 and no constant. */
  public @Nullable Symbol alone() {
    if (offset != 0 || terms.size() != 1) {
      return null;
    }
    var term = terms.entrySet().iterator().next();
    return term.getValue() == 1 ? term.getKey() : null;
  }

  /** Replaces each symbol by what the function gives for it. */
  public Affine replace(Function<Symbol, Affine> by) {
    Affine result = of(offset);
    for (var term : terms.entrySet()) {
      Affine value =
          term.getKey() instanceof Symbol.Element(ScalarExpression.Read read)
              ? of(new Symbol.Element(read.moved(by)))
              : by.apply(term.getKey());
      result = result.plus(value.times(term.getValue()));
    }
    return result;
  }

  /** Returns the elements of nodes that it is made of, and those that their indices are made of. */
  public List<ScalarExpression.Read> reads() {
    List<ScalarExpression.Read> reads = new ArrayList<>();
    for (Symbol symbol : terms.keySet()) {
      if (symbol instanceof Symbol.Element(ScalarExpression.Read read)) {
        reads.add(read);
        read.index().forEach(inner -> reads.addAll(inner.reads()));
      }
    }
    return reads;
  }

  /** Returns whether it is read when the program runs. */
  public boolean isData() {
    return terms.keySet().stream().anyMatch(symbol -> symbol instanceof Symbol.Element);
  }

  /** Returns whether an element that it is made of is read along a symbol. */
  public boolean readsAlong(Symbol symbol) {
    return reads().stream()
        .anyMatch(read -> read.index().stream().anyMatch(a -> a.factor(symbol) != 0));
  }

  /** Returns whether it changes with a symbol. */
  public boolean dependsOn(Symbol symbol) {
    return factor(symbol) != 0 || readsAlong(symbol);
  }

  /** Returns the least value; of what is read, the least there is. */
  public long min() {
    return extreme(false);
  }

  /** Returns the greatest value; of what is read, the greatest there is. */
  public long max() {
    return extreme(true);
  }

  private long extreme(boolean greatest) {
    long furthest = greatest ? Long.MAX_VALUE : Long.MIN_VALUE;
    if (isData()) {
      return furthest;
    }
    long value = offset;
    for (var term : terms.entrySet()) {
      if (term.getValue() > 0 == greatest) {
        try {
          long most = Math.multiplyExact(term.getValue(), term.getKey().size() - 1);
          value = Math.addExact(value, most);
        } catch (ArithmeticException _) {
          return furthest; // Beyond all numbers, and so beyond each array.
        }
      }
    }
    return value;
  }

  @Override
  public String toString() {
    StringJoiner sum = new StringJoiner("+");
    terms.forEach(
        (symbol, factor) -> sum.add(factor == 1 ? symbol.name() : factor + "*" + symbol.name()));
    if (offset != 0 || terms.isEmpty()) {
      sum.add(Long.toString(offset));
    }
    return sum.toString().replace("+-", "-");
  }
}
