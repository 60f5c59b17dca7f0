package dev.rialto.spi.vector;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.system.HiddenClasses;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * The constants that a {@link LaneFoldLoop} is compiled for. Loaded only where the incubating
 * module is present.
 *
 * <p>Where the order shows in the bits, two vectors of 256 bits hold the {@linkplain
 * LaneFold#CHAINS chains}, which is enough to saturate memory; else they are as long as can be.
 *
 * @param from what is loaded
 * @param to what is combined: the same, or doubles and longs made of floats and ints
 * @param lanes the elements of {@code to}
 * @param pair combines two arrays' elements first
 */
record FoldKind(
    VectorSpecies<?> from,
    VectorSpecies<?> to,
    DType lanes,
    VectorOperators.Binary op,
    VectorOperators.@Nullable Binary pair) {
  private static final Map<ReduceOp.Builtin, VectorOperators.Binary> OPERATORS =
      Map.of(
          ReduceOp.Builtin.SUM, VectorOperators.ADD,
          ReduceOp.Builtin.PRODUCT, VectorOperators.MUL,
          ReduceOp.Builtin.MIN, VectorOperators.MIN,
          ReduceOp.Builtin.MAX, VectorOperators.MAX);

  private static final boolean WIDE = DoubleVector.SPECIES_PREFERRED.length() >= 4;
  private static final Map<FoldKind, LaneFold> LOOPS = new ConcurrentHashMap<>();

  static @Nullable LaneFold fold(ReduceOp.Builtin op, ReduceOp.@Nullable Builtin pair, DType type) {
    FoldKind kind = WIDE ? of(op, pair, type) : null;
    return kind == null
        ? null
        : LOOPS.computeIfAbsent(
            kind,
            data ->
                HiddenClasses.make(
                    MethodHandles.lookup(),
                    HiddenClasses.code(LaneFoldLoop.class),
                    data,
                    LaneFold.class));
  }

  private static @Nullable FoldKind of(
      ReduceOp.Builtin op, ReduceOp.@Nullable Builtin paired, DType type) {
    VectorOperators.Binary known = OPERATORS.get(op);
    VectorOperators.Binary pair = paired == null ? null : OPERATORS.get(paired);
    if (known == null || (paired != null && pair == null)) {
      return null;
    }
    if (pair != null && type.size() < Long.BYTES) {
      // Two vectors that are widened and combined are not always kept in registers.
      return null;
    }
    // The least of floats is a float; their sum is one of doubles.
    boolean same =
        pair == null && (known.equals(VectorOperators.MIN) || known.equals(VectorOperators.MAX));
    return switch (type) {
      case F64 ->
          same
              ? same(DoubleVector.SPECIES_PREFERRED, type, known)
              : new FoldKind(
                  DoubleVector.SPECIES_256, DoubleVector.SPECIES_256, DType.F64, known, pair);
      case F32 ->
          same
              ? same(FloatVector.SPECIES_PREFERRED, type, known)
              : new FoldKind(
                  FloatVector.SPECIES_128, DoubleVector.SPECIES_256, DType.F64, known, pair);
      case I64 ->
          new FoldKind(
              LongVector.SPECIES_PREFERRED, LongVector.SPECIES_PREFERRED, DType.I64, known, pair);
      case I32 ->
          same
              ? same(IntVector.SPECIES_PREFERRED, type, known)
              : new FoldKind(IntVector.SPECIES_128, LongVector.SPECIES_256, DType.I64, known, pair);
      default -> null;
    };
  }

  private static FoldKind same(VectorSpecies<?> species, DType type, VectorOperators.Binary op) {
    return new FoldKind(species, species, type, op, null);
  }
}
