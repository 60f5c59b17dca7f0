package dev.rialto.jit.lift;

import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.jit.lift.classfile.ClassInfo;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the tables by which a switch numbers the constants of an enum from the code that fills
 * them: a class of the compiler's own holds them, which reflection may not look into.
 */
final class EnumTables {
  private EnumTables() {}

  static Value.EnumTable read(ClassInfo type, String table, ClassFiles files) {
    Map<String, Integer> numbers = new HashMap<>();
    String owner = "";
    String filled = "";
    String constant = "";
    int number = 0;
    for (CodeElement element :
        type.method("<clinit>", "()V").flatMap(m -> m.code()).orElseThrow()) {
      switch (element) {
        case FieldInstruction f
            when f.opcode() == Opcode.GETSTATIC
                && f.name().stringValue().startsWith("$SwitchMap$") ->
            filled = f.name().stringValue();
        case FieldInstruction f when f.opcode() == Opcode.GETSTATIC -> {
          constant = f.name().stringValue();
          if (filled.equals(table)) {
            owner = f.owner().asInternalName();
          }
        }
        case ConstantInstruction c when c.constantValue() instanceof Integer i -> number = i;
        case ArrayStoreInstruction _ -> {
          if (filled.equals(table)) {
            numbers.put(constant, number);
          }
        }
        default -> {}
      }
    }
    try {
      Object[] all = files.load(owner).getEnumConstants();
      int[] byOrdinal = new int[all == null ? 0 : all.length];
      for (int i = 0; i < byOrdinal.length; i++) {
        byOrdinal[i] = numbers.getOrDefault(((Enum<?>) all[i]).name(), 0);
      }
      return new Value.EnumTable(byOrdinal);
    } catch (ClassNotFoundException e) {
      throw Refusal.at(null, "switches on an enum that is not found: " + e.getMessage());
    }
  }
}
