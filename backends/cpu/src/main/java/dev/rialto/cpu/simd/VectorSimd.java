package dev.rialto.cpu.simd;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.system.HiddenClasses;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * Loops on the Vector API; loaded only where its module is present.
 *
 * <p>The API is fast only where species and operator are constants to the compiler, which asks for
 * a loop of its own for each of some thirty pairs. There is one in the source, {@link VectorLoop};
 * each pair gets its own copy of that class, with the pair as its static constants, the first time
 * it is used. What does not fill a vector, and the pairs without vector instructions worth having
 * (16-bit floats, logical operators, complex products), take {@link ScalarSimd}'s loops.
 */
final class VectorSimd extends Simd {
  /** One of {@link VectorLoop}'s copies. */
  interface Loop {
    /** Combines {@code bytes} bytes, a multiple of the vector's, at three addresses. */
    void run(long left, long right, long target, long bytes);
  }

  /** The loops; others are scalar. */
  private final Map<DType, Map<ReduceOp.Builtin, LazyLoop>> loops = new EnumMap<>(DType.class);

  private VectorSimd(VectorShape shape) {
    super("Vector API, " + shape.vectorBitSize() + " bits", shape.vectorBitSize() / Byte.SIZE);
    byte[] code = HiddenClasses.code(VectorLoop.class);
    for (DType type : DType.values()) {
      Map<ReduceOp.Builtin, LazyLoop> ofType = new EnumMap<>(ReduceOp.Builtin.class);
      for (ReduceOp.Builtin op : ReduceOp.Builtin.values()) {
        VectorOperators.Binary operator = operator(op, type);
        if (operator != null) {
          VectorSpecies<?> species = VectorSpecies.of(laneType(type), shape);
          ofType.put(op, new LazyLoop(code, new VectorLoop.Constants(species, operator)));
        }
      }
      loops.put(type, ofType);
    }
  }

  /** Makes one for a width, or for the widest if {@code bits} is 0. */
  static VectorSimd ofBits(int bits) {
    VectorShape widest = VectorShape.preferredShape();
    if (bits == 0) {
      return new VectorSimd(widest);
    }
    return Arrays.stream(VectorShape.values())
        .filter(shape -> shape.vectorBitSize() == bits && bits <= widest.vectorBitSize())
        .findFirst()
        .map(VectorSimd::new)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    ("-Drialto.simd.bits=%s is not a vector width of this machine; choose "
                            + "64, 128, … up to %s")
                        .formatted(bits, widest.vectorBitSize())));
  }

  @Override
  public int vectorBits() {
    return vectorBytes() * Byte.SIZE;
  }

  @Override
  void run(ReduceOp.Builtin op, DType type, long left, long right, long target, long count) {
    long bytes = type.bytes(count);
    long done = 0;
    if (bytes >= vectorBytes()) {
      LazyLoop loop = requireNonNull(loops.get(type)).get(op);
      if (loop != null) {
        done = bytes & -vectorBytes();
        loop.get().run(left, right, target, done);
      }
    }
    if (done < bytes) {
      ScalarSimd.combine(
          op, type, left + done, right + done, target + done, (bytes - done) / type.size());
    }
  }

  private static VectorOperators.@Nullable Binary operator(ReduceOp.Builtin op, DType type) {
    if (!op.supports(type)
        || type == DType.F16
        || type == DType.BF16
        || (type.kind() == DType.Kind.COMPLEX && op != ReduceOp.Builtin.SUM)) {
      return null;
    }
    return switch (op) {
      case SUM -> VectorOperators.ADD;
      case PRODUCT -> VectorOperators.MUL;
      case MIN -> VectorOperators.MIN;
      case MAX -> VectorOperators.MAX;
      case BIT_AND -> VectorOperators.AND;
      case BIT_OR -> VectorOperators.OR;
      case BIT_XOR -> VectorOperators.XOR;
      case LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR, REPLACE, NO_OP -> null;
    };
  }

  private static Class<?> laneType(DType type) {
    return switch (type) {
      case F32, C64 -> float.class;
      case F64, C128 -> double.class;
      case I8 -> byte.class;
      case I32 -> int.class;
      case I64 -> long.class;
      case F16, BF16, I16, U8, U16, U32, U64 ->
          throw new IllegalArgumentException(type + " has no vector lanes");
    };
  }

  /** A copy of the loop, made when it is first asked for. Two threads may make two; either does. */
  private static final class LazyLoop {
    private final byte[] code;
    private final VectorLoop.Constants constants;
    private volatile @Nullable Loop loop;

    LazyLoop(byte[] code, VectorLoop.Constants constants) {
      this.code = code;
      this.constants = constants;
    }

    Loop get() {
      Loop made = loop;
      if (made == null) {
        made = make();
        loop = made;
      }
      return made;
    }

    private Loop make() {
      return HiddenClasses.make(MethodHandles.lookup(), code, constants, Loop.class);
    }
  }
}
