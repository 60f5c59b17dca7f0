package dev.rialto.jit.lift;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lift.Frame.State;
import dev.rialto.jit.lift.classfile.Flow;
import dev.rialto.jit.lift.classfile.Flow.Block;
import dev.rialto.jit.lift.classfile.MatchFailures;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes one call of a method as steps.
 *
 * <p>Jumps become nested steps along the dominator tree: a block to which control comes from
 * several places stands behind a labelled step that holds all of those, what follows a loop stands
 * behind it, and every jump is then out of a labelled step or to the next turn of a loop. Branches
 * on constants leave the other side out, so what is never reached is never lifted.
 */
final class MethodLifter {
  /** An assumption about a loop failed: a variable holds another object in its later turns. */
  static final class Assumed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient Set<String> changing;

    Assumed(Set<String> changing) {
      super("", null, false, false);
      this.changing = changing;
    }
  }

  private final KernelCode code;
  private final Frame frame;
  private final Steps steps;
  private final Set<String> changing;
  private final Map<Block, State> entries = new HashMap<>();
  private final Map<Block, String> loopLabels = new HashMap<>();
  private final Map<Block, String> placed = new HashMap<>();

  MethodLifter(KernelCode code, Frame frame, Calls calls, Set<String> changing) {
    this.code = code;
    this.frame = frame;
    this.changing = changing;
    this.steps = new Steps(code, frame, calls);
  }

  /** Writes the whole call. */
  void lift(State entry) {
    Block first = frame.flow.blocks().getFirst();
    entries.put(first, entry);
    frame.endLabel = code.label("return");
    List<Stmt> body = code.collect(() -> tree(first));
    code.add(new Stmt.Labeled(frame.endLabel, new Stmt.Block(body)));
  }

  // --- Structure --------------------------------------------------------------------------------

  /** Writes a block and what it dominates; what stands behind it follows without recursion. */
  private void tree(Block block) {
    for (Block next = block; next != null; ) {
      next = next.isHeader() ? loop(next) : within(next);
    }
  }

  private @Nullable Block loop(Block block) {
    State entry = requireNonNull(entries.get(block));
    entry.locals.keySet().removeIf(slot -> changing.contains(key(block, slot)));
    entry.stack.replaceAll(v -> v instanceof Value.Num(Expr e) ? new Value.Num(code.once(e)) : v);
    List<Block> exits = new ArrayList<>();
    for (Block other : frame.flow.blocks()) {
      if (other != block
          && !block.loop.get(other.order)
          && block.loop.get(other.dominator.order)
          && !placed.containsKey(other)
          && !frame.flow.isReturnWithin(block, other)) {
        exits.add(other);
      }
    }
    return place(
        exits,
        () -> {
          String label = code.label("loop");
          loopLabels.put(block, label);
          List<Stmt> body = code.collect(() -> rest(within(block)));
          code.add(new Stmt.Loop(label, new Stmt.Block(body)));
        });
  }

  private String key(Block header, int slot) {
    return frame.path() + "@" + header.order + "." + slot;
  }

  private void rest(@Nullable Block block) {
    if (block != null) {
      tree(block);
    }
  }

  private @Nullable Block within(Block block) {
    List<Block> merges = new ArrayList<>();
    for (Block other : frame.flow.blocks()) {
      if (other.dominator == block
          && other != block
          && other.isMerge()
          && !placed.containsKey(other)) {
        merges.add(other);
      }
    }
    return place(merges, () -> content(block));
  }

  /**
   * Writes steps, and behind them the blocks that they jump to, the last outermost; that one is
   * returned if it is reached, to be written by the caller.
   */
  private @Nullable Block place(List<Block> targets, Runnable inner) {
    if (targets.isEmpty()) {
      inner.run();
      return null;
    }
    targets.sort(Comparator.comparingInt((Block b) -> b.order).reversed());
    Block last = targets.getFirst();
    String label = code.label("step");
    placed.put(last, label);
    List<Stmt> body =
        code.collect(() -> rest(place(new ArrayList<>(targets.subList(1, targets.size())), inner)));
    code.add(new Stmt.Labeled(label, new Stmt.Block(body)));
    return entries.containsKey(last) ? last : null;
  }

  private void branch(Block from, Block to, State state) {
    if (to.order <= from.order) {
      turn(to, state);
      code.add(new Stmt.Repeat(requireNonNull(loopLabels.get(to))));
      return;
    }
    if (to.isMerge()) {
      merge(to, state);
    } else {
      entries.put(to, state);
    }
    String label = placed.get(to);
    if (label != null) {
      code.add(new Stmt.Leave(label));
    } else {
      tree(to);
    }
  }

  /** Checks that a turn ends with the objects that it began with. */
  private void turn(Block header, State state) {
    State entry = requireNonNull(entries.get(header));
    Set<String> other = new HashSet<>();
    entry.locals.forEach(
        (slot, value) -> {
          Value now = state.locals.get(slot);
          if (!value.equals(now)) {
            other.add(Steps.isSameEnum(value, now) ? frame.key("slot" + slot) : key(header, slot));
          }
        });
    if (!other.isEmpty()) {
      throw new Assumed(other);
    }
    if (!entry.stack.equals(state.stack)) {
      throw Refusal.at(frame, "keeps a value on the operand stack around a loop");
    }
  }

  private void merge(Block to, State state) {
    List<Value> stack = new ArrayList<>();
    List<Value> held = new ArrayList<>();
    for (Value value : state.stack) {
      held.add(
          state.stack.size() > 1 && steps.plain(value) instanceof Value.Num(Expr e)
              ? new Value.Num(code.once(e))
              : steps.plain(value));
    }
    for (int i = 0; i < held.size(); i++) {
      stack.add(steps.keep("stack" + i, held.get(i)));
    }
    State before = entries.get(to);
    if (before == null) {
      entries.put(to, new State(state.locals, stack));
      return;
    }
    Set<String> chosen = new HashSet<>();
    before
        .locals
        .entrySet()
        .removeIf(
            e -> {
              Value now = state.locals.get(e.getKey());
              boolean same = e.getValue().equals(now);
              if (!same && Steps.isSameEnum(e.getValue(), now)) {
                chosen.add(frame.key("slot" + e.getKey()));
              }
              return !same;
            });
    for (int i = 0; i < stack.size(); i++) {
      Value one = before.stack.get(i);
      if (!one.equals(stack.get(i)) && Steps.isSameEnum(one, stack.get(i))) {
        chosen.add(frame.key("stack" + i));
      }
    }
    chosen.removeIf(changing::contains);
    if (!chosen.isEmpty()) {
      throw new Assumed(chosen);
    }
    if (!before.stack.equals(stack)) {
      throw Refusal.at(frame, "has an expression that is one of two objects");
    }
  }

  // --- The end of a block -----------------------------------------------------------------------

  private void content(Block block) {
    State state = requireNonNull(entries.get(block)).copy();
    steps.begin(state);
    int last = block.steps.size() - 1;
    for (int i = 0; i <= last; i++) {
      Flow.Step step = block.steps.get(i);
      frame.number = step.number();
      if (step.line() != 0) {
        frame.line = step.line();
      }
      code.at(frame);
      Instruction instruction = step.instruction();
      switch (instruction) {
        case BranchInstruction branch when Flow.isGoto(branch) ->
            branch(block, frame.flow.at(branch.target()), state);
        case BranchInstruction branch -> fork(block, branch, state);
        case TableSwitchInstruction s -> choose(block, s.cases(), s.defaultTarget(), state);
        case LookupSwitchInstruction s -> choose(block, s.cases(), s.defaultTarget(), state);
        case ReturnInstruction r -> {
          steps.leave(r);
          code.add(new Stmt.Leave(frame.endLabel));
        }
        case ThrowInstruction _ -> throw Refusal.at(frame, "throws an exception");
        default -> {
          steps.run(instruction);
          if (i == last) {
            branch(block, block.next.getFirst(), state);
          }
        }
      }
    }
  }

  private void fork(Block block, BranchInstruction branch, State state) {
    Expr condition = steps.condition(branch.opcode());
    Block taken = frame.flow.at(branch.target());
    Block other = block.next.size() == 1 ? taken : block.next.get(1);
    if (taken == other) {
      branch(block, taken, state);
      return;
    }
    if (condition instanceof Const c) {
      branch(block, c.bits() != 0 ? taken : other, state);
      return;
    }
    code.mark();
    List<Stmt> yes = code.collect(() -> branch(block, taken, state.copy()));
    List<Stmt> no = code.collect(() -> branch(block, other, state.copy()));
    // Both end with a jump, so the larger one needs no nesting.
    if (yes.size() <= no.size()) {
      code.add(new Stmt.If(condition, new Stmt.Block(yes)));
      code.append(no);
    } else {
      code.add(new Stmt.If(KernelCode.not(condition), new Stmt.Block(no)));
      code.append(yes);
    }
  }

  private void choose(Block block, List<SwitchCase> cases, Label other, State state) {
    Expr value = steps.popNumber();
    Block otherwise = frame.flow.at(other);
    if (value instanceof Const c) {
      for (SwitchCase each : cases) {
        if (each.caseValue() == c.bits()) {
          branch(block, frame.flow.at(each.target()), state);
          return;
        }
      }
      branch(block, otherwise, state);
      return;
    }
    Set<Long> possible = new HashSet<>();
    boolean isKnown = collect(value, possible);
    Expr x = code.once(value);
    Map<Block, Expr> conditions = new LinkedHashMap<>();
    for (SwitchCase each : cases) {
      Block target = frame.flow.at(each.target());
      if (target != otherwise && (!isKnown || possible.contains((long) each.caseValue()))) {
        Expr equal =
            KernelCode.binary(BinaryOp.EQ, x, KernelCode.constant(Type.I32, each.caseValue()));
        conditions.merge(
            target, equal, (a, b) -> code.bounded(KernelCode.binary(BinaryOp.OR, a, b)));
      }
    }
    if (MatchFailures.isOne(otherwise.steps) && !conditions.isEmpty()) {
      otherwise = List.copyOf(conditions.keySet()).getLast();
      conditions.remove(otherwise);
    }
    conditions.forEach(
        (target, condition) -> {
          code.mark();
          List<Stmt> body = code.collect(() -> branch(block, target, state.copy()));
          code.add(new Stmt.If(condition, new Stmt.Block(body)));
        });
    branch(block, otherwise, state);
  }

  /** Collects what a choice among constants may be; returns false if it is something else. */
  private static boolean collect(Expr value, Set<Long> possible) {
    return switch (value) {
      case Const c -> {
        possible.add(c.bits());
        yield true;
      }
      case Expr.Select(Expr _, Expr x, Expr y) -> collect(x, possible) && collect(y, possible);
      default -> false;
    };
  }
}
