package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Instructions that move and double what is on the operand stack, which count in slots. */
final class StackSteps {
  private final Frame frame;
  private final Supplier<Value> pop;
  private final Supplier<Value> settled;
  private final Consumer<Value> push;

  /**
   * Works on a stack.
   *
   * @param settled takes a value off that is cheap to use twice
   */
  StackSteps(Frame frame, Supplier<Value> pop, Supplier<Value> settled, Consumer<Value> push) {
    this.frame = frame;
    this.pop = pop;
    this.settled = settled;
    this.push = push;
  }

  private static int slots(Value value) {
    return value instanceof Value.Num(Expr e) && e.type().kind().bits() == 64 ? 2 : 1;
  }

  /** Takes so many slots off; returns their values from the lowest up. */
  private static List<Value> take(int slots, Supplier<Value> from) {
    List<Value> taken = new ArrayList<>();
    for (int left = slots; left > 0; left -= slots(taken.getFirst())) {
      taken.addFirst(from.get());
    }
    return taken;
  }

  void run(Opcode opcode) {
    switch (opcode) {
      case POP -> take(1, pop);
      case POP2 -> take(2, pop);
      case DUP -> duplicate(1, 0);
      case DUP_X1 -> duplicate(1, 1);
      case DUP_X2 -> duplicate(1, 2);
      case DUP2 -> duplicate(2, 0);
      case DUP2_X1 -> duplicate(2, 1);
      case DUP2_X2 -> duplicate(2, 2);
      case SWAP -> {
        List<Value> both = take(2, pop);
        both.reversed().forEach(push);
      }
      default -> throw Refusal.at(frame, "uses the instruction " + opcode);
    }
  }

  /** Doubles the upper slots, the copy being below some others. */
  private void duplicate(int upper, int others) {
    List<Value> doubled = take(upper, settled);
    List<Value> between = take(others, pop);
    doubled.forEach(push);
    between.forEach(push);
    doubled.forEach(push);
  }
}
