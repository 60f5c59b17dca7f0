package dev.rialto.jit.lift.classfile;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The control flow of a method: its blocks in reverse postorder, who dominates whom, and its loops.
 */
public final class Flow {
  /**
   * An instruction and where it stands.
   *
   * @param instruction what it does
   * @param line of the source, 0 if the file does not tell
   * @param number its place in the method
   */
  public record Step(Instruction instruction, int line, int number) {}

  /** Instructions that are always done one after the other. */
  public static final class Block {
    public final List<Step> steps = new ArrayList<>();
    public final List<Block> next = new ArrayList<>();
    final List<Block> before = new ArrayList<>();

    /** The place in reverse postorder, -1 if nothing leads here. */
    public int order = -1;

    public Block dominator = this;

    /** The blocks of the loop that begins here, by order; empty if none does. */
    public final BitSet loop = new BitSet();

    public boolean isHeader() {
      return !loop.isEmpty();
    }

    /** Whether control comes here from several blocks, loops aside. */
    public boolean isMerge() {
      return before.stream().filter(b -> b.order < order).count() > 1;
    }
  }

  private final Map<Label, Integer> targets = new HashMap<>();
  private final List<Step> steps = new ArrayList<>();
  private final Map<Integer, Block> byStart = new HashMap<>();
  private final List<Block> ordered = new ArrayList<>();
  private boolean reducible = true;

  public Flow(CodeModel code) {
    int line = 0;
    for (CodeElement element : code) {
      switch (element) {
        case LabelTarget target -> targets.put(target.label(), steps.size());
        case LineNumber number -> line = number.line();
        case Instruction instruction -> steps.add(new Step(instruction, line, steps.size()));
        default -> {}
      }
    }
    divide();
    order(block(0));
    dominators();
    loops();
  }

  /** The blocks that control reaches, in reverse postorder. */
  public List<Block> blocks() {
    return ordered;
  }

  public List<Step> steps() {
    return steps;
  }

  /**
   * Returns whether a block that a loop leads to is a return from within it: javac writes it among
   * the steps of the loop, and nothing comes back from there.
   */
  public boolean isReturnWithin(Block header, Block exit) {
    int last =
        blocks().stream()
            .filter(b -> header.loop.get(b.order))
            .mapToInt(b -> b.steps.getLast().number())
            .max()
            .orElse(-1);
    return !exit.isMerge()
        && exit.steps.getFirst().number() < last
        && blocks().stream()
            .filter(b -> dominates(exit, b))
            .allMatch(b -> b.next.stream().allMatch(next -> dominates(exit, next)));
  }

  /** Whether every loop is entered at one place. */
  public boolean isReducible() {
    return reducible;
  }

  public Block at(Label label) {
    return block(start(label));
  }

  private Block block(int start) {
    return Objects.requireNonNull(byStart.get(start));
  }

  /** Returns the step that a label stands before. */
  private int start(Label label) {
    return Objects.requireNonNull(targets.get(label));
  }

  private static boolean ends(Instruction i) {
    return i instanceof BranchInstruction
        || i instanceof TableSwitchInstruction
        || i instanceof LookupSwitchInstruction
        || i instanceof ReturnInstruction
        || i instanceof ThrowInstruction;
  }

  private static List<Label> labels(Instruction i) {
    return switch (i) {
      case BranchInstruction b -> List.of(b.target());
      case TableSwitchInstruction s -> labels(s.defaultTarget(), s.cases());
      case LookupSwitchInstruction s -> labels(s.defaultTarget(), s.cases());
      default -> List.of();
    };
  }

  private static List<Label> labels(Label other, List<SwitchCase> cases) {
    List<Label> labels = new ArrayList<>();
    cases.forEach(c -> labels.add(c.target()));
    labels.add(other);
    return labels;
  }

  public static boolean isGoto(BranchInstruction b) {
    return b.opcode() == Opcode.GOTO || b.opcode() == Opcode.GOTO_W;
  }

  private void divide() {
    BitSet starts = new BitSet();
    starts.set(0);
    for (int i = 0; i < steps.size(); i++) {
      Instruction instruction = steps.get(i).instruction();
      if (ends(instruction)) {
        starts.set(i + 1);
        labels(instruction).forEach(label -> starts.set(start(label)));
      }
    }
    for (int at = 0; at >= 0 && at < steps.size(); at = starts.nextSetBit(at + 1)) {
      byStart.put(at, new Block());
    }
    for (Map.Entry<Integer, Block> entry : byStart.entrySet()) {
      Block block = entry.getValue();
      int at = entry.getKey();
      do {
        block.steps.add(steps.get(at++));
      } while (at < steps.size() && !starts.get(at));
      Instruction last = block.steps.getLast().instruction();
      for (Label label : labels(last)) {
        link(block, at(label));
      }
      boolean falls = !ends(last) || (last instanceof BranchInstruction branch && !isGoto(branch));
      if (falls && at < steps.size()) {
        link(block, block(at));
      }
    }
  }

  private static void link(Block from, Block to) {
    if (!from.next.contains(to)) {
      from.next.add(to);
    }
  }

  /** Numbers the blocks without recursion: methods may be long. */
  private void order(Block entry) {
    List<Block> stack = new ArrayList<>(List.of(entry));
    List<Integer> taken = new ArrayList<>(List.of(0));
    entry.order = 0;
    List<Block> postorder = new ArrayList<>();
    while (!stack.isEmpty()) {
      Block block = stack.getLast();
      int child = taken.removeLast();
      if (child < block.next.size()) {
        taken.add(child + 1);
        Block next = block.next.get(child);
        if (next.order < 0) {
          next.order = 0;
          stack.add(next);
          taken.add(0);
        }
      } else {
        postorder.add(stack.removeLast());
      }
    }
    ordered.addAll(postorder.reversed());
    for (int i = 0; i < ordered.size(); i++) {
      ordered.get(i).order = i;
    }
    for (Block block : ordered) {
      block.next.forEach(next -> next.before.add(block));
    }
  }

  private void dominators() {
    Block entry = ordered.getFirst();
    boolean[] done = new boolean[ordered.size()];
    done[0] = true;
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Block block : ordered.subList(1, ordered.size())) {
        Block common = null;
        for (Block before : block.before) {
          if (done[before.order]) {
            common = common == null ? before : common(common, before);
          }
        }
        if (common != null && (!done[block.order] || block.dominator != common)) {
          block.dominator = common;
          done[block.order] = true;
          changed = true;
        }
      }
    }
    entry.dominator = entry;
  }

  private static Block common(Block x, Block y) {
    Block a = x;
    Block b = y;
    while (a != b) {
      if (a.order > b.order) {
        a = a.dominator;
      } else {
        b = b.dominator;
      }
    }
    return a;
  }

  private static boolean dominates(Block a, Block b) {
    Block c = b;
    while (c.order > a.order) {
      c = c.dominator;
    }
    return c == a;
  }

  private void loops() {
    for (Block block : ordered) {
      for (Block next : block.next) {
        if (next.order <= block.order) {
          if (!dominates(next, block)) {
            reducible = false;
            return;
          }
          body(next, block);
        }
      }
    }
  }

  /** Adds everything that reaches the end of a turn without passing the header. */
  private static void body(Block header, Block end) {
    header.loop.set(header.order);
    List<Block> open = new ArrayList<>(List.of(end));
    while (!open.isEmpty()) {
      Block block = open.removeLast();
      if (!header.loop.get(block.order)) {
        header.loop.set(block.order);
        open.addAll(block.before);
      }
    }
  }
}
