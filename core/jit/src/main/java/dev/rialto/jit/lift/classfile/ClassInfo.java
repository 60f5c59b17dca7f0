package dev.rialto.jit.lift.classfile;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A class as its file tells it.
 *
 * @param model the file
 * @param parent the superclass, if that is not Object or Record
 */
public record ClassInfo(ClassModel model, @Nullable ClassInfo parent) {
  public String name() {
    return model.thisClass().asInternalName().replace('/', '.');
  }

  public String internalName() {
    return model.thisClass().asInternalName();
  }

  /** All instance fields, those of superclasses first. */
  public List<FieldModel> fields() {
    List<FieldModel> fields = new ArrayList<>(parent == null ? List.of() : parent.fields());
    model.fields().stream()
        .filter(f -> (f.flags().flagsMask() & ClassFile.ACC_STATIC) == 0)
        .forEach(fields::add);
    return fields;
  }

  /** Whether no field changes once an object is made, so that a copy is as good as it. */
  public boolean isValue() {
    return fields().stream().allMatch(ClassInfo::isFinal);
  }

  static boolean isFinal(FieldModel field) {
    return (field.flags().flagsMask() & ClassFile.ACC_FINAL) != 0;
  }

  public Optional<FieldModel> field(String name) {
    Optional<FieldModel> own =
        model.fields().stream().filter(f -> f.fieldName().equalsString(name)).findFirst();
    return own.isPresent() || parent == null ? own : parent.field(name);
  }

  public Optional<Object> constant(String field) {
    return field(field)
        .flatMap(f -> f.findAttribute(Attributes.constantValue()))
        .map(ConstantValueAttribute::constant)
        .map(entry -> entry.constantValue());
  }

  public Optional<MethodModel> method(String name, String descriptor) {
    return model.methods().stream()
        .filter(m -> m.methodName().equalsString(name) && m.methodType().equalsString(descriptor))
        .findFirst();
  }

  /** The name of the source file, or of the class if that is not told. */
  public String source() {
    return model
        .findAttribute(Attributes.sourceFile())
        .map(a -> a.sourceFile().stringValue())
        .orElse(name());
  }
}
