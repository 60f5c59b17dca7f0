package dev.rialto.jit.lift;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes jumps away that go where control would come anyway, and makes the other side of a condition
 * of what a jump passes over. Labels that nothing jumps to go too.
 */
final class Jumps {
  private final String kept;

  private Jumps(String kept) {
    this.kept = kept;
  }

  /**
   * Rewrites steps.
   *
   * @param kept a label whose jumps stay jumps: what they pass over may hold a barrier that other
   *     items wait at
   */
  static List<Stmt> straighten(List<Stmt> steps, String kept) {
    return new Jumps(kept).straighten(steps, Set.of());
  }

  /**
   * Rewrites steps.
   *
   * @param here the jumps that go where control comes after the last step
   */
  private List<Stmt> straighten(List<Stmt> steps, Set<Stmt> here) {
    List<Stmt> out = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Stmt step = steps.get(i);
      List<Stmt> rest = steps.subList(i + 1, steps.size());
      Set<Stmt> after = rest.isEmpty() ? here : Set.of();
      switch (step) {
        case Stmt.Block block -> {
          List<Stmt> flat = new ArrayList<>(block.steps());
          flat.addAll(rest);
          out.addAll(straighten(flat, here));
          return out;
        }
        case Stmt.Leave _, Stmt.Repeat _ -> {
          if (!here.contains(step)) {
            out.add(step);
          }
          return out;
        }
        case Stmt.If branch -> {
          List<Stmt> yes = Ir.steps(branch.body());
          List<Stmt> no = Ir.steps(branch.otherwise());
          if (no.isEmpty() && !yes.isEmpty() && here.contains(yes.getLast())) {
            List<Stmt> body = straighten(yes, here);
            List<Stmt> otherwise = straighten(rest, here);
            addIf(out, branch, body, otherwise);
            return out;
          }
          addIf(out, branch, straighten(yes, after), straighten(no, after));
        }
        case Stmt.Labeled(String label, Stmt body) -> {
          Set<Stmt> inside = new HashSet<>(after);
          if (!label.equals(kept)) {
            inside.add(new Stmt.Leave(label));
          }
          List<Stmt> inner = straighten(Ir.steps(body), inside);
          if (!inner.isEmpty() && inner.getLast().equals(new Stmt.Leave(label))) {
            inner.removeLast();
          }
          if (jumpsTo(inner, label)) {
            // Steps before the first jump are outside, so that a barrier among them does not make
            // all items jump together.
            int first = 0;
            while (!label.equals(kept) && !jumpsTo(inner.subList(first, first + 1), label)) {
              out.add(inner.get(first++));
            }
            List<Stmt> jumping = inner.subList(first, inner.size());
            out.add(new Stmt.Labeled(label, new Stmt.Block(jumping)));
          } else {
            out.addAll(inner);
          }
        }
        case Stmt.Loop(String label, Stmt body) -> {
          List<Stmt> inner = straighten(Ir.steps(body), Set.of(new Stmt.Repeat(label)));
          out.add(new Stmt.Loop(label, new Stmt.Block(inner)));
        }
        default -> out.add(step);
      }
    }
    return out;
  }

  private static void addIf(List<Stmt> out, Stmt.If branch, List<Stmt> yes, List<Stmt> no) {
    if (yes.isEmpty() && no.isEmpty()) {
      return;
    }
    if (yes.isEmpty()) {
      out.add(new Stmt.If(KernelCode.not(branch.condition()), new Stmt.Block(no)));
    } else {
      Stmt otherwise = no.isEmpty() ? Stmt.NOTHING : new Stmt.Block(no);
      out.add(new Stmt.If(branch.condition(), new Stmt.Block(yes), otherwise));
    }
  }

  private static boolean jumpsTo(List<Stmt> steps, String label) {
    return Ir.contains(steps, new Stmt.Leave(label)::equals);
  }
}
