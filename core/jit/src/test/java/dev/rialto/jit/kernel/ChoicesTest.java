package dev.rialto.jit.kernel;

import static dev.rialto.jit.kernel.KernelTargets.compare;

import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Enums that data chooses, patterns on objects whose class is known, and functions made inside. */
@SuppressWarnings("EnumOrdinal") // one of the things that are tested
@Tag("gpu")
class ChoicesTest {
  enum Rule {
    SUM(1.5),
    PRODUCT(2),
    LEFT(-3);

    private final double weight;

    Rule(double weight) {
      this.weight = weight;
    }

    double apply(double x, double y) {
      return switch (this) {
        case SUM -> x + y;
        case PRODUCT -> x * y;
        case LEFT -> x * weight;
      };
    }
  }

  sealed interface Shape {
    record Circle(double radius) implements Shape {}

    record Box(double width, double height) implements Shape {}
  }

  private static double area(Shape shape, double limit) {
    return switch (shape) {
      case Shape.Circle(double r) when r > limit -> limit * r;
      case Shape.Circle(double r) -> 3 * r * r;
      case Shape.Box(double w, double h) -> w * h;
    };
  }

  private static double width(Object object) {
    if (object instanceof Shape.Box(double w, var h) && w < h) {
      return w;
    }
    return object instanceof Shape.Circle c ? c.radius() : -1;
  }

  private static Rule chosen(int k) {
    if (k < 0) {
      return Rule.LEFT;
    }
    return k % 2 == 0 ? Rule.SUM : Rule.PRODUCT;
  }

  private static final int[] NUMBERS = new Random(3).ints(45).toArray();
  private static final double[] DATA = new Random(4).doubles(45, -3, 3).toArray();

  @Test
  void anEnumMayBeChosenByData() {
    KernelBody.Of2<F64, I32> body =
        (Item it, F64 y, I32 which) -> {
          long i = it.global();
          double x = y.get(i);
          Rule rule = x > 0 ? Rule.SUM : Rule.PRODUCT;
          double sum = rule.apply(x, 2);
          Rule other = chosen(which.get(i));
          sum += other.apply(x, 3) + other.weight + other.ordinal();
          if (other == Rule.LEFT) {
            rule = other;
          }
          sum += rule == other ? 10 : rule.weight;
          y.set(i, sum);
        };
    compare(body, 16, 45, DATA.clone(), NUMBERS.clone());
  }

  @Test
  void anEnumMayChangeInALoopAndComeFromANumber() {
    KernelBody.Of2<F64, I32> body =
        (Item it, F64 y, I32 which) -> {
          long i = it.global();
          double x = y.get(i);
          Rule rule = Rule.LEFT;
          for (int k = 0; k < 5; k++) {
            x = rule.apply(x, k);
            rule =
                switch (rule) {
                  case LEFT -> Rule.PRODUCT;
                  case PRODUCT -> x > 1 ? Rule.SUM : Rule.LEFT;
                  default -> Rule.values()[(which.get(i) & 127) % Rule.values().length];
                };
          }
          y.set(i, x + rule.ordinal());
        };
    compare(body, 16, 45, DATA.clone(), NUMBERS.clone());
  }

  @Test
  void patternsFitObjectsWhoseClassIsKnown() {
    Shape captured = new Shape.Box(2, 5);
    KernelBody.Of1<F64> body =
        (Item it, F64 y) -> {
          long i = it.global();
          double x = y.get(i);
          double sum = area(new Shape.Circle(x), 1) + area(new Shape.Box(x, 3), 2);
          sum += area(captured, x) + width(new Shape.Circle(x)) + width(new Shape.Box(x, 0.5));
          y.set(i, sum + width(captured));
        };
    compare(body, 16, 45, DATA.clone());
  }

  private static double twice(DoubleUnaryOperator f, double x) {
    return f.applyAsDouble(f.applyAsDouble(x));
  }

  @Test
  void functionsMayBeMadeInside() {
    KernelBody.Of1<F64> body =
        (Item it, F64 y) -> {
          long i = it.global();
          double x = y.get(i);
          DoubleBinaryOperator larger = Math::max;
          LongFunction<Double> at = y::get;
          double sum =
              twice(z -> z * x + i, 2) + larger.applyAsDouble(x, 0.5) + twice(Math::abs, x);
          y.set(i, sum + at.apply(i));
        };
    compare(body, 16, 45, DATA.clone());
  }
}
