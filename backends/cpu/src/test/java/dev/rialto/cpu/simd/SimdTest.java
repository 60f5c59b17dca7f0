package dev.rialto.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import jdk.incubator.vector.VectorShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Both implementations, at every width, against operators written out for each type. */
class SimdTest {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  static Stream<Simd> implementations() {
    int widest = VectorShape.preferredShape().vectorBitSize();
    return Stream.concat(
        Stream.of(Simd.choose("scalar", 0, true)),
        Stream.of(64, 128, 256, 512)
            .filter(bits -> bits <= widest)
            .map(bits -> Simd.choose("vector", bits, true)));
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void everyOperatorMatchesItsDefinitionForEveryType(Simd simd) {
    long seed = 20260117;
    Random random = new Random(seed);
    try (Arena arena = Arena.ofConfined()) {
      for (DType type : DType.values()) {
        for (ReduceOp.Builtin op : ReduceOp.Builtin.values()) {
          if (!op.supports(type)) {
            continue;
          }
          for (int count : new int[] {0, 1, 7, 64, 65, 3000}) {
            MemorySegment left = operands(arena, random, type, count);
            MemorySegment right = operands(arena, random, type, count);
            byte[] expected = expected(op, type, left, right, count);
            for (Placement placement : Placement.values()) {
              assertThat(placement.combine(arena, simd, op, type, left, right, count))
                  .as(
                      "%s of %d %s, %s, %s, seed %d",
                      op, count, type, placement, simd.describe(), seed)
                  .isEqualTo(expected);
            }
          }
        }
      }
    }
  }

  /** Places of the operands and the result. */
  private enum Placement {
    NATIVE_APART,
    NATIVE_INTO_LEFT,
    NATIVE_INTO_RIGHT,
    HEAP,
    HEAP_INTO_RIGHT;

    byte[] combine(
        Arena arena,
        Simd simd,
        ReduceOp.Builtin op,
        DType type,
        MemorySegment left,
        MemorySegment right,
        int count) {
      // Odd offsets: no operand is aligned to anything.
      MemorySegment l = shifted(arena, left, 3);
      MemorySegment r = shifted(arena, right, 5);
      MemorySegment result =
          switch (this) {
            case NATIVE_APART -> arena.allocate(left.byteSize() + 9).fill((byte) 0x55);
            case HEAP -> MemorySegment.ofArray(new byte[(int) left.byteSize() + 9]);
            case NATIVE_INTO_LEFT -> l;
            case NATIVE_INTO_RIGHT, HEAP_INTO_RIGHT -> r;
          };
      long at =
          switch (this) {
            case NATIVE_APART, HEAP -> 1;
            case NATIVE_INTO_LEFT -> 3;
            case NATIVE_INTO_RIGHT, HEAP_INTO_RIGHT -> 5;
          };
      simd.combine(op, type, l, 3, r, 5, result, at, count);
      long bytes = type.bytes(count);
      if (this == NATIVE_APART) {
        assertThat(result.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0x55);
        assertThat(result.get(ValueLayout.JAVA_BYTE, 1 + bytes)).isEqualTo((byte) 0x55);
      }
      return result.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    private MemorySegment shifted(Arena arena, MemorySegment source, long offset) {
      MemorySegment copy =
          this == HEAP || this == HEAP_INTO_RIGHT
              ? MemorySegment.ofArray(new byte[(int) (source.byteSize() + offset)])
              : arena.allocate(source.byteSize() + offset);
      copy.asSlice(offset).copyFrom(source);
      return copy;
    }
  }

  /** Random bits: zeros, infinities, denormals and NaN occur; NaN only as the one Java prints. */
  private static MemorySegment operands(Arena arena, Random random, DType type, int count) {
    MemorySegment elements = arena.allocate(Math.max(1, type.bytes(count)));
    for (int i = 0; i < count; i++) {
      switch (type) {
        case I8 -> elements.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt(-128, 128));
        case I32 -> elements.setAtIndex(INT, i, integer(random));
        case I64 -> elements.setAtIndex(LONG, i, ((long) integer(random) << 32) | integer(random));
        case F16 -> elements.setAtIndex(SHORT, i, Float.floatToFloat16((float) real(random)));
        case BF16 -> elements.setAtIndex(SHORT, i, ScalarSimd.floatToBrain((float) real(random)));
        case F32 -> elements.setAtIndex(FLOAT, i, (float) real(random));
        case F64 -> elements.setAtIndex(DOUBLE, i, real(random));
        case C64 -> {
          elements.setAtIndex(FLOAT, 2L * i, (float) random.nextGaussian());
          elements.setAtIndex(FLOAT, 2L * i + 1, (float) random.nextGaussian());
        }
        case C128 -> {
          elements.setAtIndex(DOUBLE, 2L * i, random.nextGaussian());
          elements.setAtIndex(DOUBLE, 2L * i + 1, random.nextGaussian());
        }
        // They are moved, and not combined.
        case I16, U8, U16, U32, U64 -> {
          for (long at = type.bytes(i); at < type.bytes(i + 1); at++) {
            elements.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
          }
        }
      }
    }
    return elements.asSlice(0, type.bytes(count));
  }

  private static int integer(Random random) {
    return random.nextInt(4) == 0 ? random.nextInt(-1, 2) : random.nextInt();
  }

  private static double real(Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> 0.0;
      case 1 -> -0.0;
      case 2 -> Double.NaN;
      case 3 -> Double.POSITIVE_INFINITY;
      case 4 -> Double.NEGATIVE_INFINITY;
      case 5 -> random.nextGaussian() * 1e-7;
      default -> random.nextGaussian() * 100;
    };
  }

  private static byte[] expected(
      ReduceOp.Builtin op, DType type, MemorySegment left, MemorySegment right, int count) {
    MemorySegment result = MemorySegment.ofArray(new byte[(int) type.bytes(count)]);
    for (int i = 0; i < count; i++) {
      if (op == ReduceOp.Builtin.REPLACE || op == ReduceOp.Builtin.NO_OP) {
        MemorySegment from = op == ReduceOp.Builtin.REPLACE ? right : left;
        MemorySegment.copy(
            from, (long) i * type.size(), result, (long) i * type.size(), type.size());
        continue;
      }
      switch (type) {
        case I8 ->
            result.set(
                ValueLayout.JAVA_BYTE,
                i,
                (byte)
                    ints(
                        op,
                        left.get(ValueLayout.JAVA_BYTE, i),
                        right.get(ValueLayout.JAVA_BYTE, i)));
        case I32 ->
            result.setAtIndex(INT, i, ints(op, left.getAtIndex(INT, i), right.getAtIndex(INT, i)));
        case I64 ->
            result.setAtIndex(
                LONG, i, longs(op, left.getAtIndex(LONG, i), right.getAtIndex(LONG, i)));
        case F32 ->
            result.setAtIndex(
                FLOAT, i, floats(op, left.getAtIndex(FLOAT, i), right.getAtIndex(FLOAT, i)));
        case F16 ->
            result.setAtIndex(
                SHORT,
                i,
                Float.floatToFloat16(
                    floats(
                        op,
                        Float.float16ToFloat(left.getAtIndex(SHORT, i)),
                        Float.float16ToFloat(right.getAtIndex(SHORT, i)))));
        case BF16 ->
            result.setAtIndex(
                SHORT,
                i,
                ScalarSimd.floatToBrain(
                    floats(
                        op,
                        ScalarSimd.brainToFloat(left.getAtIndex(SHORT, i)),
                        ScalarSimd.brainToFloat(right.getAtIndex(SHORT, i)))));
        case F64 ->
            result.setAtIndex(
                DOUBLE, i, doubles(op, left.getAtIndex(DOUBLE, i), right.getAtIndex(DOUBLE, i)));
        case C64 -> {
          float a = left.getAtIndex(FLOAT, 2L * i);
          float b = left.getAtIndex(FLOAT, 2L * i + 1);
          float c = right.getAtIndex(FLOAT, 2L * i);
          float d = right.getAtIndex(FLOAT, 2L * i + 1);
          boolean sum = op == ReduceOp.Builtin.SUM;
          result.setAtIndex(FLOAT, 2L * i, sum ? a + c : a * c - b * d);
          result.setAtIndex(FLOAT, 2L * i + 1, sum ? b + d : a * d + b * c);
        }
        case C128 -> {
          double a = left.getAtIndex(DOUBLE, 2L * i);
          double b = left.getAtIndex(DOUBLE, 2L * i + 1);
          double c = right.getAtIndex(DOUBLE, 2L * i);
          double d = right.getAtIndex(DOUBLE, 2L * i + 1);
          boolean sum = op == ReduceOp.Builtin.SUM;
          result.setAtIndex(DOUBLE, 2L * i, sum ? a + c : a * c - b * d);
          result.setAtIndex(DOUBLE, 2L * i + 1, sum ? b + d : a * d + b * c);
        }
        default -> throw new AssertionError(type + " has no reductions");
      }
    }
    return result.toArray(ValueLayout.JAVA_BYTE);
  }

  private static int ints(ReduceOp.Builtin op, int a, int b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      default -> (int) longs(op, a, b);
    };
  }

  private static long longs(ReduceOp.Builtin op, long a, long b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> a < b ? a : b;
      case MAX -> a > b ? a : b;
      case LOGICAL_AND -> truth(a) & truth(b);
      case LOGICAL_OR -> truth(a) | truth(b);
      case LOGICAL_XOR -> truth(a) ^ truth(b);
      case BIT_AND -> a & b;
      case BIT_OR -> a | b;
      case BIT_XOR -> a ^ b;
      default -> throw new AssertionError(op);
    };
  }

  private static long truth(long value) {
    return value == 0 ? 0 : 1;
  }

  private static float floats(ReduceOp.Builtin op, float a, float b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      default -> throw new AssertionError(op);
    };
  }

  private static double doubles(ReduceOp.Builtin op, double a, double b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      default -> throw new AssertionError(op);
    };
  }

  @Test
  void brainFloatsRoundToTheNearestAndTiesToEven() {
    assertThat(ScalarSimd.floatToBrain(Float.intBitsToFloat(0x3f808000))).isEqualTo((short) 0x3f80);
    assertThat(ScalarSimd.floatToBrain(Float.intBitsToFloat(0x3f818000))).isEqualTo((short) 0x3f82);
    assertThat(ScalarSimd.floatToBrain(Float.intBitsToFloat(0x3f808001))).isEqualTo((short) 0x3f81);
    assertThat(ScalarSimd.floatToBrain(Float.MAX_VALUE)).isEqualTo((short) 0x7f80);
    assertThat(ScalarSimd.brainToFloat(ScalarSimd.floatToBrain(Float.NaN))).isNaN();
  }

  @Test
  void wrongArgumentsAreNamedAndNothingIsWritten() {
    Simd simd = Simd.get();
    MemorySegment longs = MemorySegment.ofArray(new long[4]);
    assertThatThrownBy(
            () ->
                simd.combine(ReduceOp.Builtin.BIT_AND, DType.F64, longs, 0, longs, 0, longs, 0, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("BIT_AND")
        .hasMessageContaining("F64");
    assertThatThrownBy(
            () -> simd.combine(ReduceOp.Builtin.SUM, DType.I64, longs, 0, longs, 8, longs, 0, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(
            () -> simd.combine(ReduceOp.Builtin.SUM, DType.I64, longs, -8, longs, 0, longs, 0, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(
            () ->
                simd.combine(
                    ReduceOp.Builtin.SUM, DType.I64, longs, 0, longs, 0, longs.asReadOnly(), 0, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("read-only");
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(32, 8);
    }
    assertThatThrownBy(
            () -> simd.combine(ReduceOp.Builtin.SUM, DType.I64, closed, 0, longs, 0, longs, 0, 4))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void memoryOfAnotherThreadIsRefused() throws InterruptedException {
    List<Throwable> thrown = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine = arena.allocate(8, 8);
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      Simd.get()
                          .combine(ReduceOp.Builtin.SUM, DType.I64, mine, 0, mine, 0, mine, 0, 1);
                    } catch (WrongThreadException e) {
                      thrown.add(e);
                    }
                  });
      other.join();
    }
    assertThat(thrown).hasSize(1);
  }

  @Test
  void theDescriptionSaysWhatRunsAndWhatIsMissing() {
    assertThat(Simd.choose("vector", 128, true).describe()).isEqualTo("Vector API, 128 bits");
    assertThat(Simd.choose(null, 0, true).describe()).startsWith("Vector API, ");
    assertThat(Simd.choose(null, 0, false).describe())
        .contains("--add-modules jdk.incubator.vector");
    assertThat(Simd.choose("scalar", 0, true).describe()).contains("rialto.simd=scalar");
  }

  @Test
  void aChoiceThatCannotBeMadeSaysWhy() {
    assertThatThrownBy(() -> Simd.choose("vector", 0, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("--add-modules jdk.incubator.vector");
    assertThatThrownBy(() -> Simd.choose("vector", 96, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("rialto.simd.bits=96");
    assertThatThrownBy(() -> Simd.choose("fast", 0, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("rialto.simd=fast");
  }
}
