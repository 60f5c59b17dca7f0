package dev.rialto.jit.lift;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The places of the elements of tensors that a launch passes: a first one, an extent and a stride
 * for each axis that the kernel uses, all of them numbers of the launch.
 */
final class TensorPlaces {
  private final SortedMap<Integer, Lifted.Axes> used = new TreeMap<>();

  /** The axes of arguments that are used as tensors, by their number. */
  SortedMap<Integer, Lifted.Axes> used() {
    return used;
  }

  /** Returns where an element lies. */
  Expr place(Frame frame, int argument, List<Expr> index) {
    int axes = index.size();
    Lifted.Axes known = used.get(argument);
    if (known != null && (known.isExact() ? known.count() != axes : known.count() > axes)) {
      throw Refusal.at(
          frame,
          "uses argument %d with %d axes here and %d elsewhere"
              .formatted(argument + 1, axes, known.count()),
          "use a tensor with all of its axes, or pass its memory twice");
    }
    used.put(argument, new Lifted.Axes(axes, true));
    Expr place = variable(argument, "o", 0);
    for (int axis = 0; axis < axes; axis++) {
      Expr along =
          KernelCode.binary(
              BinaryOp.MUL, KernelCode.index(index.get(axis)), stride(argument, axis));
      place = KernelCode.binary(BinaryOp.ADD, place, along);
    }
    return place;
  }

  /** Returns how many elements there are along an axis. */
  Expr extent(Frame frame, int argument, int axis) {
    Lifted.Axes known = used.getOrDefault(argument, new Lifted.Axes(0, false));
    if (axis < 0 || (known.isExact() && axis >= known.count())) {
      throw Refusal.at(frame, "asks for the extent of axis " + axis, "axes count from 0");
    }
    used.put(argument, new Lifted.Axes(Math.max(known.count(), axis + 1), known.isExact()));
    return variable(argument, "e", axis);
  }

  private static Var variable(int argument, String what, int axis) {
    return new Var("h" + argument + what + axis, Type.I64);
  }

  static Var stride(int argument, int axis) {
    return variable(argument, "s", axis);
  }

  /**
   * Returns the steps that load the numbers of all tensors.
   *
   * @param first where the numbers begin
   */
  List<Stmt> loads(Buffer numbers, int first) {
    List<Stmt> loads = new ArrayList<>();
    used.forEach(
        (argument, axes) -> {
          List<Var> variables = new ArrayList<>(List.of(variable(argument, "o", 0)));
          for (int axis = 0; axis < axes.count(); axis++) {
            variables.add(variable(argument, "e", axis));
            variables.add(stride(argument, axis));
          }
          for (Var each : variables) {
            Expr word = new Expr.Load(numbers, Expr.of(first + loads.size()), 1);
            loads.add(new Stmt.Let(each, word));
          }
        });
    return loads;
  }
}
