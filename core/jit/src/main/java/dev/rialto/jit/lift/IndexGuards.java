package dev.rialto.jit.lift;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Guards of accesses: an access whose index the array does not have is left out, a value that is
 * read is 0 then, and the first such access of a launch is noted for the host.
 */
public final class IndexGuards {
  /**
   * The memory of the note: the number of the site and 1, the item, the index, and the least and
   * the end of those there are.
   */
  static final Buffer FAULTS = new Buffer("faults", Buffer.Storage.I64, 0, false);

  /**
   * The bounds that an access sets for an index.
   *
   * @param index the index, an I64
   * @param low the least there is
   * @param end one past the greatest
   * @param array what messages call the array, or the axis of it
   */
  record Check(Expr index, Expr low, Expr end, String array) {
    /** An index of an array that counts from 0. */
    static Check of(Expr index, Expr length, String array) {
      return new Check(index, Expr.of(0), length, array);
    }
  }

  private final GuardedSites chosen;
  private final List<Lifted.Site> sites = new ArrayList<>();
  private Expr item = Expr.of(0);
  private boolean used;

  IndexGuards(GuardedSites chosen) {
    this.chosen = chosen;
  }

  /** Tells the number of the item. */
  void item(Expr number) {
    item = number;
  }

  /** The sites, guarded or not. */
  List<Lifted.Site> sites() {
    return sites;
  }

  /** Returns whether a step was guarded. */
  boolean isUsed() {
    return used;
  }

  /** Numbers the indices of an access; returns the number of those that are guarded, else -1. */
  List<Integer> number(@Nullable Frame frame, List<Check> checks, String verb) {
    List<Integer> guarded = new ArrayList<>();
    boolean isTrusted =
        frame != null
            && !chosen.trusted().isEmpty()
            && frame.owner.internalName().startsWith(chosen.trusted());
    for (Check check : checks) {
      if (isTrusted || isConstantlyInside(check)) {
        guarded.add(-1);
        continue;
      }
      int site = sites.size();
      String line = frame == null ? "" : Refusal.line(frame);
      sites.add(new Lifted.Site(line, verb, check.array()));
      guarded.add(chosen.isGuarded(site) ? site : -1);
    }
    return guarded;
  }

  private static boolean isConstantlyInside(Check check) {
    return check.index() instanceof Const index
        && check.low() instanceof Const low
        && check.end() instanceof Const end
        && low.bits() <= index.bits()
        && index.bits() < end.bits();
  }

  /** Puts a step behind the guards of its indices. */
  Stmt guard(KernelCode code, Stmt step, List<Check> checks, List<Integer> guarded) {
    Stmt inner = step;
    for (int i = checks.size() - 1; i >= 0; i--) {
      if (guarded.get(i) >= 0) {
        Check check = checks.get(i);
        Expr above = KernelCode.binary(BinaryOp.LE, check.low(), check.index());
        Expr below = KernelCode.binary(BinaryOp.LT, check.index(), check.end());
        Expr inside = KernelCode.binary(BinaryOp.AND, above, below);
        inner = new Stmt.If(inside, inner, note(code, check, guarded.get(i)));
        used = true;
      }
    }
    return inner;
  }

  private Stmt note(KernelCode code, Check check, int site) {
    Var old = code.fresh(Type.I64);
    Expr number = Expr.of(site + 1);
    Expr none = Expr.of(0);
    Stmt.AtomicOp op = Stmt.AtomicOp.COMPARE_AND_SET;
    Stmt first = new Stmt.Atomic(old, op, FAULTS, none, number, none);
    List<Stmt> words = new ArrayList<>();
    List<Expr> told = List.of(item, check.index(), check.low(), check.end());
    for (int i = 0; i < told.size(); i++) {
      words.add(new Stmt.Store(FAULTS, Expr.of(i + 1), told.get(i)));
    }
    Expr isFirst = KernelCode.binary(BinaryOp.EQ, old, none);
    return new Stmt.Block(List.of(first, new Stmt.If(isFirst, new Stmt.Block(words))));
  }

  /** Returns the site that a step guards; -1 if it is no guard. */
  public static int site(Stmt.If step) {
    List<Stmt> otherwise = Ir.steps(step.otherwise());
    return !otherwise.isEmpty()
            && otherwise.getFirst() instanceof Stmt.Atomic a
            && a.buffer().equals(FAULTS)
            && a.value() instanceof Const number
        ? (int) number.bits() - 1
        : -1;
  }
}
