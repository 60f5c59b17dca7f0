package dev.rialto.jit.lift.classfile;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Code of the compiler for values that no pattern of a switch fits, and for accessors of records
 * that throw: neither happens in a kernel.
 */
public final class MatchFailures {
  private static final String MATCH = "java/lang/MatchException";

  private MatchFailures() {}

  /** Returns whether all handlers of a method only tell that a pattern's accessor has thrown. */
  public static boolean areAll(CodeModel code) {
    Set<Label> open = new HashSet<>();
    for (ExceptionCatch handler : code.exceptionHandlers()) {
      open.add(handler.handler());
    }
    boolean inHandler = false;
    for (CodeElement element : code) {
      switch (element) {
        case LabelTarget target -> inHandler |= open.remove(target.label());
        case StoreInstruction _ -> {}
        case Instruction i -> {
          boolean isFailure =
              i instanceof NewObjectInstruction made
                  && made.className().asInternalName().equals(MATCH);
          if (inHandler && !isFailure) {
            return false;
          }
          inHandler = false;
        }
        default -> {}
      }
    }
    return true;
  }

  /** Returns whether steps begin by making the exception of a value that no label fits. */
  public static boolean isOne(List<Flow.Step> steps) {
    return steps.getFirst().instruction() instanceof NewObjectInstruction made
        && made.className().asInternalName().equals(MATCH);
  }
}
