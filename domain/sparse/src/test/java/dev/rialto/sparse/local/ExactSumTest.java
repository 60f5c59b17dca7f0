package dev.rialto.sparse.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactSumTest {
  @Test
  void sumsProductsAsRationalArithmeticDoes() {
    Random random = new Random(11);
    ExactSum sum = new ExactSum();
    BigDecimal expected = BigDecimal.ZERO;
    for (int i = 0; i < 2000; i++) {
      double a = Math.scalb(random.nextGaussian(), random.nextInt(900) - 450);
      double b = Math.scalb(random.nextGaussian(), random.nextInt(900) - 450);
      sum.addProduct(a, b);
      expected = expected.add(new BigDecimal(a).multiply(new BigDecimal(b)));
    }
    assertThat(ExactSum.round(sum.words())).isEqualTo(expected.doubleValue());
  }

  @Test
  void cancellationLosesNothing() {
    ExactSum sum = new ExactSum();
    sum.addProduct(1e300, 1e300);
    sum.addProduct(3, 1e-300);
    sum.addProduct(-1e300, 1e300);
    sum.addProduct(Double.MIN_VALUE, Double.MIN_VALUE);
    sum.addProduct(-Double.MIN_VALUE, Double.MIN_VALUE);
    assertThat(ExactSum.round(sum.words())).isEqualTo(3e-300);
  }

  @Test
  void infinitiesAreNotLost() {
    ExactSum sum = new ExactSum();
    sum.addProduct(Double.POSITIVE_INFINITY, 2);
    assertThat(sum.special()).isInfinite();
    sum.addProduct(Double.NEGATIVE_INFINITY, 2);
    assertThat(sum.special()).isNaN();
  }
}
