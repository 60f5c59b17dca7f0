package dev.rialto.jit.loops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges of results against integers without end, near the ends of 64 bits. */
class IntegerRangeTest {
  private static final long[] ENDS = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, -(1L << 32), -3, -1, 0, 1, 2, 1L << 31, Long.MAX_VALUE
  };

  private static List<IntegerRange> ranges() {
    List<IntegerRange> ranges = new ArrayList<>();
    for (long min : ENDS) {
      for (long max : ENDS) {
        if (min <= max) {
          ranges.add(new IntegerRange(min, max));
        }
      }
    }
    return ranges;
  }

  private static BigInteger result(BinaryOp op, long a, long b) {
    BigInteger x = BigInteger.valueOf(a);
    BigInteger y = BigInteger.valueOf(b);
    return switch (op) {
      case ADD -> x.add(y);
      case SUB -> x.subtract(y);
      default -> x.multiply(y);
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"ADD", "SUB", "MUL"})
  void aRangeIsExactWhereNoResultWrapsAround(BinaryOp op) {
    for (IntegerRange x : ranges()) {
      for (IntegerRange y : ranges()) {
        List<BigInteger> results =
            Stream.of(
                    result(op, x.min(), y.min()),
                    result(op, x.min(), y.max()),
                    result(op, x.max(), y.min()),
                    result(op, x.max(), y.max()))
                .sorted()
                .toList();
        boolean fits =
            results.getFirst().bitLength() < Long.SIZE && results.getLast().bitLength() < Long.SIZE;
        String what = x + " " + op + " " + y;
        assertThat(IntegerRange.isExact(op, x, y, Type.I64)).as(what).isEqualTo(fits);
        IntegerRange range = IntegerRange.combine(op, x, y, Type.I64);
        assertThat(BigInteger.valueOf(range.min()))
            .as(what)
            .isEqualTo(fits ? results.getFirst() : BigInteger.valueOf(Long.MIN_VALUE));
        assertThat(BigInteger.valueOf(range.max()))
            .as(what)
            .isEqualTo(fits ? results.getLast() : BigInteger.valueOf(Long.MAX_VALUE));
      }
    }
  }
}
