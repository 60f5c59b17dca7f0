package dev.rialto.jit.lift.classfile;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.LocalVariableInfo;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of a method's parameters, where its class file has them. */
public final class DebugNames {
  private DebugNames() {}

  /** Returns a name for each parameter; empty ones if there are none. */
  public static List<String> of(MethodModel method) {
    Map<Integer, String> slots = new HashMap<>();
    method
        .code()
        .flatMap(code -> code.findAttribute(Attributes.localVariableTable()))
        .ifPresent(
            table -> {
              for (LocalVariableInfo each : table.localVariables()) {
                if (each.startPc() == 0) {
                  slots.put(each.slot(), each.name().stringValue());
                }
              }
            });
    List<String> names = new ArrayList<>();
    int slot = (method.flags().flagsMask() & ClassFile.ACC_STATIC) != 0 ? 0 : 1;
    for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
      names.add(slots.getOrDefault(slot, ""));
      slot += TypeKind.from(type).slotSize();
    }
    return names;
  }
}
