package dev.rialto.tck.generated;

import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random choices of a script, the same on every rank that draws from the same seed. */
public final class Draw {
  private static final long MANY = 16384;

  private final Random random;

  public Draw(long seed) {
    random = new Random(seed);
  }

  public int below(int bound) {
    return random.nextInt(bound);
  }

  public long number() {
    return random.nextLong();
  }

  /** Returns true once in so many times. */
  public boolean once(int in) {
    return random.nextInt(in) == 0;
  }

  public <T> T of(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  public <T> void shuffle(List<T> values) {
    Collections.shuffle(values, random);
  }

  /** Returns a permutation of the numbers below {@code n}. */
  public List<Integer> order(int n) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      order.add(i);
    }
    shuffle(order);
    return order;
  }

  /**
   * Returns a count of elements: none, one, few, about a power of two, or of any magnitude that the
   * size allows.
   */
  public long count(DType type, Size size) {
    long most = size.bytes() / type.size();
    if (size.exact()) {
      return most;
    }
    long count =
        switch (random.nextInt(16)) {
          case 0 -> 0;
          case 1 -> 1;
          case 2, 3, 4 -> 1 + random.nextInt(32);
          case 5, 6, 7, 8 -> 1 + random.nextInt(1024);
          case 9, 10 -> magnitude(Math.min(most, MANY));
          case 11, 12 -> (1L << (1 + random.nextInt(14))) - 1 + random.nextInt(3);
          default -> magnitude(most);
        };
    return Math.min(count, most);
  }

  /** Returns a number from 1 up to {@code most} whose magnitude is evenly distributed. */
  public long magnitude(long most) {
    return Math.max(1, Math.min(most, (long) Math.exp(random.nextDouble() * Math.log(most + 1.0))));
  }

  /** Returns a tag: small, large, or of any magnitude. */
  public int tag(int most) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(8);
      case 1 -> most - random.nextInt(8);
      case 2 -> random.nextInt(most) + 1;
      default -> (int) magnitude(most);
    };
  }

  /** Values that are each dealt once, in random order, before one is dealt again. */
  public static final class Deck<T> implements Supplier<T> {
    private final Draw draw;
    private final List<T> values;
    private final List<T> left = new ArrayList<>();

    public Deck(Draw draw, List<T> values) {
      this.draw = draw;
      this.values = List.copyOf(values);
    }

    @Override
    public T get() {
      if (left.isEmpty()) {
        left.addAll(values);
        draw.shuffle(left);
      }
      return left.removeLast();
    }
  }
}
