package dev.rialto.jit.lift;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.jit.lift.classfile.ClassInfo;
import dev.rialto.jit.lift.classfile.StaticTables;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.lang.classfile.ClassFile;
import java.lang.classfile.FieldModel;
import java.lang.classfile.TypeKind;
import java.lang.reflect.Field;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Objects and arrays of a kernel: objects are taken apart into a variable per field, arrays have a
 * size that is known when the kernel is made, and what exists outside is constant.
 */
final class Heap {
  private static final int UNROLLED = 16;
  private static final long MOST_SHARED = 48 << 10;
  private static final long MOST_OWN = 64 << 10;

  private final KernelCode code;
  private final ClassFiles files;

  Heap(KernelCode code, ClassFiles files) {
    this.code = code;
    this.files = files;
  }

  // --- Arrays -----------------------------------------------------------------------------------

  static Buffer.Storage storage(TypeKind kind) {
    return switch (kind) {
      case BOOLEAN, BYTE -> Buffer.Storage.I8;
      case CHAR, SHORT -> Buffer.Storage.I16;
      case INT -> Buffer.Storage.I32;
      case LONG -> Buffer.Storage.I64;
      case FLOAT -> Buffer.Storage.F32;
      case DOUBLE -> Buffer.Storage.F64;
      case REFERENCE, VOID -> throw new IllegalArgumentException("no array of " + kind);
    };
  }

  /** Makes an array; one of an item's own has zeros, a shared one has not. */
  Value array(Frame frame, TypeKind kind, Expr length, boolean shared) {
    if (!(length instanceof Const size)) {
      throw Refusal.at(
          frame,
          "makes an array whose length is known only when it runs",
          "give a constant, or a value that the lambda captures");
    }
    Buffer.Storage storage = storage(kind);
    long most = (shared ? MOST_SHARED : MOST_OWN) / storage.bytes();
    if (size.bits() < 1 || size.bits() > most) {
      throw Refusal.at(
          frame,
          "makes an array of " + size.bits() + " elements, but it may have 1 to " + most,
          "pass a larger one as a parameter");
    }
    Buffer buffer = code.array(storage, (int) size.bits(), shared);
    if (!shared) {
      clear(buffer);
    }
    return new Value.LocalArray(buffer, kind, shared);
  }

  private void clear(Buffer buffer) {
    Expr zero = Expr.of(new Type(buffer.storage().register(), 1), 0);
    if (buffer.elements() <= UNROLLED) {
      for (long i = 0; i < buffer.elements(); i++) {
        code.add(new Stmt.Store(buffer, Expr.of(i), zero));
      }
      return;
    }
    Var index = new Var(code.label("i"), Type.I64);
    code.add(
        new Stmt.For(
            index, Expr.of(0), Expr.of(buffer.elements()), 1, new Stmt.Store(buffer, index, zero)));
  }

  Expr element(Frame frame, Value array, TypeKind kind, Expr index) {
    return switch (array) {
      case Value.LocalArray(Buffer buffer, TypeKind own, boolean shared) -> {
        Expr at = KernelCode.index(index);
        Expr loaded = code.load(buffer, at, check(buffer, at, shared));
        yield own == TypeKind.CHAR ? KernelCode.narrow(loaded, 16, false) : loaded;
      }
      case Value.EnumTable table -> Enums.number(code, index, table::number, table.size());
      case Value.Constant(Object object) when Tables.isTable(object) ->
          code.tables().element(frame, code, object, index);
      default -> throw Refusal.at(frame, "reads an array of " + kind + " that is not known");
    };
  }

  void setElement(Frame frame, Value array, Expr index, Expr value) {
    if (!(array instanceof Value.LocalArray(Buffer buffer, TypeKind _, boolean shared))) {
      throw Refusal.at(
          frame, "writes to an array from outside", "pass it as a parameter, such as I32 or F64");
    }
    Expr at = KernelCode.index(index);
    code.store(buffer, at, value, check(buffer, at, shared));
  }

  static Check check(Buffer array, Expr index, boolean shared) {
    return Check.of(
        index, Expr.of(array.elements()), shared ? "a shared array" : "an array of the item's own");
  }

  Expr length(Frame frame, Value array) {
    return switch (array) {
      case Value.LocalArray(Buffer buffer, TypeKind _, boolean _) ->
          KernelCode.constant(Type.I32, buffer.elements());
      case Value.EnumConstants all -> KernelCode.constant(Type.I32, all.constants().size());
      case Value.Constant(Object object) when object.getClass().isArray() ->
          KernelCode.constant(Type.I32, java.lang.reflect.Array.getLength(object));
      default -> throw Refusal.at(frame, "asks for the length of something that is no array");
    };
  }

  // --- Objects ----------------------------------------------------------------------------------

  Value create(Frame frame, String name) {
    ClassInfo type =
        files.find(name).orElseThrow(Refusal.missing(frame, "makes an object of " + name));
    for (ClassInfo c = type; c != null; c = c.parent()) {
      if (c.internalName().equals("java/lang/Throwable")) {
        throw Refusal.at(
            frame,
            "throws " + type.name(),
            "return early, or write a mark that the caller looks at");
      }
    }
    if (name.startsWith("java/")) {
      throw Refusal.at(frame, "makes an object of " + type.name());
    }
    Value.Taken object = new Value.Taken(type);
    for (FieldModel field : type.fields()) {
      TypeKind kind = TypeKind.from(field.fieldTypeSymbol());
      if (kind != TypeKind.REFERENCE) {
        Var variable = code.fresh(type(kind));
        code.assign(variable, Expr.of(variable.type(), 0));
        object.fields.put(field.fieldName().stringValue(), new Value.Num(variable));
      }
    }
    return object;
  }

  static Type type(TypeKind kind) {
    return switch (kind) {
      case LONG -> Type.I64;
      case FLOAT -> Type.F32;
      case DOUBLE -> Type.F64;
      default -> Type.I32;
    };
  }

  /** Copies the fields of one object to those of another, made where they are missing. */
  void copy(Value.Taken from, Value.Taken to, Frame frame) {
    if (from != to) {
      from.fields.forEach(
          (name, value) -> {
            if (value != null) {
              set(to, name, value, frame);
            }
          });
    }
  }

  void setField(Frame frame, Value object, String name, Value value) {
    if (!(object instanceof Value.Taken taken)) {
      throw Refusal.at(
          frame,
          "changes the field '" + name + "' of an object from outside",
          "write to an array instead");
    }
    set(taken, name, value, frame);
  }

  private void set(Value.Taken object, String name, Value value, Frame frame) {
    Value known = object.fields.get(name);
    switch (value) {
      case Value.Num(Expr e) -> {
        Var variable =
            known instanceof Value.Num(Expr k) && k instanceof Var v ? v : code.fresh(e.type());
        code.assign(variable, e);
        object.fields.put(name, new Value.Num(variable));
      }
      case Value.Taken inner when inner.isCopied() -> {
        Value.Taken own =
            known instanceof Value.Taken k && k.type.equals(inner.type)
                ? k
                : Value.Taken.ofCopies(inner.type);
        copy(inner, own, frame);
        object.fields.put(name, own);
      }
      default -> {
        if (known != null && !known.equals(value)) {
          throw Refusal.at(frame, "puts one of several objects into the field '" + name + "'");
        }
        object.fields.put(name, value);
      }
    }
  }

  Value field(Frame frame, Value object, String name) {
    return switch (object) {
      case Value.Taken taken -> {
        Value value = taken.fields.get(name);
        if (value == null) {
          yield new Value.Null();
        }
        boolean settled = !(value instanceof Value.Num) || taken.type.isValue();
        yield settled ? value : new Value.Num(code.once(((Value.Num) value).expr()));
      }
      case Value.Constant(Object outside) -> outside(frame, outside, name);
      case Value.EnumRef one -> Enums.field(code, one, each -> outside(frame, each, name), frame);
      default -> throw Refusal.at(frame, "reads the field '" + name + "' of no object");
    };
  }

  private Value outside(Frame frame, Object object, String name) {
    for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          if (!java.lang.reflect.Modifier.isFinal(field.getModifiers())) {
            throw Refusal.at(
                frame,
                "reads the field '" + name + "' of " + c.getName() + ", which is not final",
                "copy it to a local variable before the lambda");
          }
          return read(frame, field, object);
        }
      }
    }
    throw Refusal.at(frame, "reads the field '" + name + "', which is not found");
  }

  private Value read(Frame frame, Field field, @Nullable Object object) {
    try {
      if (!field.trySetAccessible()) {
        Optional<Object> table = object == null ? table(field) : Optional.empty();
        if (table.isPresent()) {
          return new Value.Constant(table.get());
        }
        throw Refusal.at(
            frame,
            "reads the field '"
                + field.getName()
                + "' of "
                + field.getDeclaringClass().getName()
                + ", which its module keeps to itself",
            "copy it to a local variable before the lambda, or open the package to"
                + " dev.rialto.jit");
      }
      return lifted(field.get(object));
    } catch (IllegalAccessException e) {
      throw Refusal.at(frame, "cannot read the field '" + field.getName() + "': " + e.getMessage());
    }
  }

  private Optional<Object> table(Field field) {
    String owner = field.getDeclaringClass().getName().replace('.', '/');
    return files
        .find(owner)
        .flatMap(c -> StaticTables.read(c, field.getName()))
        .map(found -> code.tables().named(owner + "." + field.getName(), () -> found));
  }

  /** A value from outside, which is the same in every launch. */
  static Value lifted(@Nullable Object value) {
    return switch (value) {
      case null -> new Value.Null();
      case Boolean b -> new Value.Num(b ? KernelCode.ONE : KernelCode.ZERO);
      case Character c -> new Value.Num(KernelCode.constant(Type.I32, c));
      case Byte b -> new Value.Num(KernelCode.constant(Type.I32, b));
      case Short s -> new Value.Num(KernelCode.constant(Type.I32, s));
      case Integer i -> new Value.Num(KernelCode.constant(Type.I32, i));
      case Long l -> new Value.Num(KernelCode.constant(Type.I64, l));
      case Float f -> new Value.Num(new Const(Type.F32, Float.floatToRawIntBits(f)));
      case Double d -> new Value.Num(new Const(Type.F64, Double.doubleToRawLongBits(d)));
      default -> new Value.Constant(value);
    };
  }

  // --- Static fields ----------------------------------------------------------------------------

  Value constant(Frame frame, String owner, String name) {
    if (name.equals("$assertionsDisabled")) {
      return new Value.Num(KernelCode.ONE);
    }
    ClassInfo type =
        files.find(owner).orElseThrow(Refusal.missing(frame, "reads " + owner + "." + name));
    if (name.startsWith("$SwitchMap$")) {
      return Enums.table(type, name, files);
    }
    var known = type.constant(name);
    if (known.isPresent()) {
      return number(known.get(), type.field(name).orElseThrow());
    }
    FieldModel field =
        type.field(name).orElseThrow(() -> Refusal.at(frame, "reads " + owner + "." + name));
    if ((field.flags().flagsMask() & ClassFile.ACC_FINAL) == 0) {
      throw Refusal.at(
          frame,
          "reads the static field '" + name + "' of " + type.name() + ", which is not final",
          "make it final, or copy it to a local variable before the lambda");
    }
    try {
      Class<?> loaded = files.load(owner);
      if (loaded.isEnum() && (field.flags().flagsMask() & ClassFile.ACC_ENUM) != 0) {
        for (Object each : requireNonNull(loaded.getEnumConstants())) {
          if (((Enum<?>) each).name().equals(name)) {
            return new Value.Constant(each);
          }
        }
      }
      return read(frame, loaded.getDeclaredField(name), null);
    } catch (ReflectiveOperationException e) {
      throw Refusal.at(frame, "cannot read " + type.name() + "." + name + ": " + e);
    }
  }

  private static Value number(Object value, FieldModel field) {
    return TypeKind.from(field.fieldTypeSymbol()) == TypeKind.REFERENCE
        ? new Value.Constant(value)
        : lifted(value);
  }
}
