package dev.rialto.jit.lower.program;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.ScalarExpression.Cast;
import dev.rialto.jit.ScalarExpression.Const;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Makes explicit where elements get their first value. An assignment that gives each element one
 * value just sets it; one that does not reach every element, or may reach one from several places,
 * is preceded by filling the node.
 */
public final class Normalize {
  private Normalize() {}

  public static List<Assign> apply(List<Assign> assigns) {
    List<Assign> result = new ArrayList<>();
    for (Assign a : assigns) {
      if (Arithmetic.isHalf(a.target().type()) && a.accum() != Accum.SET && !a.isInjective()) {
        wide(a, result);
      } else if (!a.fresh()) {
        result.add(a);
      } else if (a.isInjective() && a.isSurjective()) {
        result.add(a.reducedLoops().isEmpty() ? single(a) : a);
      } else {
        result.add(set(a.target(), _ -> a.accum().neutral(a.target().type())));
        result.add(new Assign(a.target(), a.index(), a.accum(), false, a.loops(), a.body()));
      }
    }
    return result;
  }

  /** Sets what is combined with the neutral value alone, which changes some zeros' signs. */
  private static Assign single(Assign a) {
    DType type = a.target().type();
    ScalarExpression neutral = a.accum().neutral(type);
    ScalarExpression body = a.body();
    if (a.accum() == Accum.SUM && body instanceof Const c) {
      body = c.value() == 0 ? neutral : c;
    } else if ((a.accum() == Accum.SUM && type.kind() != DType.Kind.INTEGER)
        || (a.accum() == Accum.PRODUCT && type.kind() == DType.Kind.COMPLEX)) {
      body = a.accum().combine(neutral, body);
    }
    return new Assign(a.target(), a.index(), Accum.SET, true, a.loops(), body);
  }

  /**
   * Combines values of 16-bit formats in binary32, as registers do, where elements are reached from
   * several places and so wait in memory; they are rounded when all is done.
   */
  private static void wide(Assign a, List<Assign> result) {
    Node target = a.target();
    Node wide = new Node(target.name() + ".wide", DType.F32, target.shape());
    result.add(
        set(
            wide,
            index ->
                a.fresh()
                    ? a.accum().neutral(DType.F32)
                    : new Cast(DType.F32, new Read(target, index, false))));
    ScalarExpression body = new Cast(DType.F32, a.body());
    result.add(new Assign(wide, a.index(), a.accum(), false, a.loops(), body));
    result.add(set(target, index -> new Cast(target.type(), new Read(wide, index, false))));
  }

  private static Assign set(Node node, Function<List<Affine>, ScalarExpression> value) {
    List<Affine> index = node.whole();
    return Assign.of(node, index, Accum.SET, true, value.apply(index));
  }
}
