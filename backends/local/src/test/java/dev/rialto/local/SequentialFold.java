package dev.rialto.local;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;

/** Combines elements one by one, in plain Java: what reductions are compared with. */
final class SequentialFold {
  static final List<DType> TYPES =
      List.of(DType.I8, DType.I32, DType.I64, DType.F32, DType.F64, DType.C128);

  private SequentialFold() {}

  static List<ReduceOp> operators(DType type) {
    return switch (type.kind()) {
      case COMPLEX -> List.of(ReduceOp.SUM, ReduceOp.PRODUCT);
      case FLOAT -> List.of(ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX);
      case INTEGER ->
          List.of(ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.BIT_XOR);
    };
  }

  /** Returns elements whose sums and products stay finite. */
  static byte[] random(Random random, DType type, long count) {
    byte[] elements = new byte[(int) type.bytes(count)];
    ByteBuffer bytes = wrap(elements);
    while (bytes.hasRemaining()) {
      switch (type) {
        case F32 -> bytes.putFloat((float) random.nextGaussian());
        case F64, C128 -> bytes.putDouble(random.nextGaussian());
        default -> bytes.put((byte) random.nextInt());
      }
    }
    return elements;
  }

  /** Returns {@code left op right}. */
  static byte[] combine(ReduceOp op, DType type, byte[] left, byte[] right) {
    ByteBuffer l = wrap(left);
    ByteBuffer r = wrap(right);
    byte[] combined = new byte[left.length];
    ByteBuffer result = wrap(combined);
    while (result.hasRemaining()) {
      switch (type) {
        case I8 -> result.put((byte) combine(op, l.get(), r.get()));
        case I32 -> result.putInt((int) combine(op, l.getInt(), r.getInt()));
        case I64 -> result.putLong(combine(op, l.getLong(), r.getLong()));
        case F32 -> result.putFloat((float) combine(op, l.getFloat(), r.getFloat()));
        case F64 -> result.putDouble(combine(op, l.getDouble(), r.getDouble()));
        default -> {
          double[] c = complex(op, l.getDouble(), l.getDouble(), r.getDouble(), r.getDouble());
          result.putDouble(c[0]).putDouble(c[1]);
        }
      }
    }
    return combined;
  }

  private static long combine(ReduceOp op, long l, long r) {
    return switch ((ReduceOp.Builtin) op) {
      case SUM -> l + r;
      case PRODUCT -> l * r;
      case MIN -> Math.min(l, r);
      case MAX -> Math.max(l, r);
      case BIT_XOR -> l ^ r;
      default -> throw new IllegalArgumentException(op.label());
    };
  }

  private static double combine(ReduceOp op, double l, double r) {
    return switch ((ReduceOp.Builtin) op) {
      case SUM -> l + r;
      case PRODUCT -> l * r;
      case MIN -> Math.min(l, r);
      case MAX -> Math.max(l, r);
      default -> throw new IllegalArgumentException(op.label());
    };
  }

  private static double[] complex(ReduceOp op, double a, double b, double c, double d) {
    if (op instanceof ReduceOp.User) {
      return new double[] {a * c, b * c + d};
    }
    return op.equals(ReduceOp.SUM)
        ? new double[] {a + c, b + d}
        : new double[] {a * c - b * d, a * d + b * c};
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }
}
