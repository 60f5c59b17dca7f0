package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import java.lang.classfile.Opcode;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Instructions that move and double what is on the operand stack. */
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

  private static boolean isWide(Value value) {
    return value instanceof Value.Num(Expr e) && e.type().kind().bits() == 64;
  }

  void run(Opcode opcode) {
    switch (opcode) {
      case POP -> {
        Value _ = pop.get();
      }
      case POP2 -> {
        if (!isWide(pop.get())) {
          Value _ = pop.get();
        }
      }
      case DUP -> {
        Value a = settled.get();
        pushAll(a, a);
      }
      case DUP_X1 -> {
        Value a = settled.get();
        Value b = pop.get();
        pushAll(a, b, a);
      }
      case DUP_X2 -> {
        Value a = settled.get();
        Value b = pop.get();
        if (isWide(b)) {
          pushAll(a, b, a);
        } else {
          Value c = pop.get();
          pushAll(a, c, b, a);
        }
      }
      case DUP2 -> {
        Value a = settled.get();
        if (isWide(a)) {
          pushAll(a, a);
        } else {
          Value b = settled.get();
          pushAll(b, a, b, a);
        }
      }
      case DUP2_X1 -> {
        Value a = settled.get();
        Value b = settled.get();
        if (isWide(a)) {
          pushAll(a, b, a);
        } else {
          Value c = pop.get();
          pushAll(b, a, c, b, a);
        }
      }
      case DUP2_X2 -> {
        Value a = settled.get();
        Value b = settled.get();
        if (isWide(a)) {
          if (isWide(b)) {
            pushAll(a, b, a);
          } else {
            Value c = pop.get();
            pushAll(a, c, b, a);
          }
        } else {
          Value c = pop.get();
          if (isWide(c)) {
            pushAll(b, a, c, b, a);
          } else {
            Value d = pop.get();
            pushAll(b, a, d, c, b, a);
          }
        }
      }
      case SWAP -> {
        Value a = pop.get();
        Value b = pop.get();
        pushAll(a, b);
      }
      default -> throw Refusal.at(frame, "uses the instruction " + opcode);
    }
  }

  private void pushAll(Value... values) {
    List.of(values).forEach(push);
  }
}
