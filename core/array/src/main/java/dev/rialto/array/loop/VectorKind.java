package dev.rialto.array.loop;

import dev.rialto.array.part.Elements;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
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
 * What a {@link VectorFold} is compiled for. Loaded only where the incubating module is present.
 *
 * <p>Where the order shows in the bits, two vectors of 256 bits hold the {@linkplain Fold#CHAINS
 * chains}, which is enough to saturate memory; else they are as long as can be.
 *
 * @param from what is loaded
 * @param to what is combined: the same, or doubles and longs made of floats and ints
 * @param lanes the elements of {@code to}
 * @param pair combines two arrays' elements first
 */
public record VectorKind(
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
  private static final Map<VectorKind, Fold> FOLDS = new ConcurrentHashMap<>();

  static Fold fold(
      Loops loops, Object op, @Nullable Object f, Elements from, @Nullable Elements other) {
    VectorKind kind = WIDE ? of(op, f, from, other) : null;
    return kind == null
        ? loops
        : FOLDS.computeIfAbsent(
            kind, data -> Loops.Specialized.make(VectorFold.class, data, Fold.class));
  }

  private static @Nullable VectorKind of(
      Object op, @Nullable Object f, Elements from, @Nullable Elements other) {
    VectorOperators.Binary known = known(op, from);
    VectorOperators.Binary pair = f == null || other == null ? null : known(f, from);
    if (known == null || (f != null && pair == null) || (other != null && !other.equals(from))) {
      return null;
    }
    // The least of floats is a float; their sum is one of doubles.
    boolean same =
        pair == null && (known.equals(VectorOperators.MIN) || known.equals(VectorOperators.MAX));
    if (pair != null && from.type.size() < Long.BYTES) {
      // Two vectors that are widened and combined are not always kept in registers.
      return null;
    }
    return switch (from.type) {
      case F64 ->
          same
              ? same(DoubleVector.SPECIES_PREFERRED, from, known)
              : new VectorKind(
                  DoubleVector.SPECIES_256, DoubleVector.SPECIES_256, DType.F64, known, pair);
      case F32 ->
          same
              ? same(FloatVector.SPECIES_PREFERRED, from, known)
              : new VectorKind(
                  FloatVector.SPECIES_128, DoubleVector.SPECIES_256, DType.F64, known, pair);
      case I64 ->
          new VectorKind(
              LongVector.SPECIES_PREFERRED, LongVector.SPECIES_PREFERRED, DType.I64, known, pair);
      case I32 ->
          same
              ? same(IntVector.SPECIES_PREFERRED, from, known)
              : new VectorKind(
                  IntVector.SPECIES_128, LongVector.SPECIES_256, DType.I64, known, pair);
      default -> null;
    };
  }

  private static VectorKind same(
      VectorSpecies<?> species, Elements elements, VectorOperators.Binary op) {
    return new VectorKind(species, species, elements.type, op, null);
  }

  private static VectorOperators.@Nullable Binary known(Object function, Elements elements) {
    if (elements.isComplex() || elements.isComputed()) {
      return null;
    }
    for (Map.Entry<ReduceOp.Builtin, VectorOperators.Binary> each : OPERATORS.entrySet()) {
      if (function.equals(Combination.function(each.getKey(), elements.type))) {
        return each.getValue();
      }
    }
    return null;
  }
}
