package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import dev.rialto.system.AddressSpace;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;

/** Scalar expressions as bytecode. Indices are longs on the stack. */
final class ScalarCode {
  private static final ClassDesc MEMORY = ProcedureClass.describe(MemorySegment.class);
  private static final ClassDesc LAYOUT = ProcedureClass.describe(ValueLayout.class);
  private static final ClassDesc MATH = ProcedureClass.describe(Math.class);

  private final MethodCode owner;
  private final CodeBuilder code;

  ScalarCode(MethodCode owner, CodeBuilder code) {
    this.owner = owner;
    this.code = code;
  }

  static TypeKind element(Buffer b) {
    return switch (b.storage()) {
      case I8 -> TypeKind.BYTE;
      case I16 -> TypeKind.SHORT;
      case I32 -> TypeKind.INT;
      case I64 -> TypeKind.LONG;
      case F32 -> TypeKind.FLOAT;
      case F64 -> TypeKind.DOUBLE;
    };
  }

  private static TypeKind typeKind(Kind kind) {
    return switch (kind) {
      case BOOL, I32 -> TypeKind.INT;
      case I64 -> TypeKind.LONG;
      case F32 -> TypeKind.FLOAT;
      case F64 -> TypeKind.DOUBLE;
    };
  }

  static ClassDesc desc(Kind kind) {
    return typeKind(kind).upperBound();
  }

  // --- Memory -----------------------------------------------------------------------------------

  /** Puts the segment of all memory under what comes next. */
  void memory() {
    code.getstatic(ProcedureClass.describe(AddressSpace.class), "MEMORY", MEMORY);
  }

  private ClassDesc layout(Buffer b) {
    return layout(b.storage());
  }

  /** Puts the layout of elements, wherever they lie, on the stack. */
  ClassDesc layout(Buffer.Storage storage) {
    String word =
        switch (storage) {
          case I8 -> "Byte";
          case I16 -> "Short";
          case I32 -> "Int";
          case I64 -> "Long";
          case F32 -> "Float";
          case F64 -> "Double";
        };
    ClassDesc type = LAYOUT.nested("Of" + word);
    String suffix = storage.bytes() == 1 ? "" : "_UNALIGNED";
    code.getstatic(LAYOUT, "JAVA_" + word.toUpperCase(java.util.Locale.ROOT) + suffix, type);
    return type;
  }

  private void load(Buffer b, Expr offset) {
    if (b.local()) {
      owner.address(b, offset);
      code.arrayLoad(element(b));
      return;
    }
    memory();
    ClassDesc layout = layout(b);
    owner.address(b, offset);
    code.invokeinterface(
        MEMORY, "get", MethodTypeDesc.of(element(b).upperBound(), layout, ConstantDescs.CD_long));
  }

  void store(Buffer b, Expr offset, Expr value) {
    if (b.local()) {
      owner.address(b, offset);
      push(value);
      code.arrayStore(element(b));
      return;
    }
    memory();
    ClassDesc layout = layout(b);
    owner.address(b, offset);
    push(value);
    switch (b.storage()) {
      case I8 -> code.i2b();
      case I16 -> code.i2s();
      default -> {}
    }
    code.invokeinterface(
        MEMORY,
        "set",
        MethodTypeDesc.of(
            ConstantDescs.CD_void, layout, ConstantDescs.CD_long, element(b).upperBound()));
  }

  /** Puts the element's value from before on the stack. */
  void atomic(Stmt.Atomic a) {
    owner.address(a.buffer(), a.offset());
    push(a.value());
    push(a.expected());
    ClassDesc t = desc(a.value().type().kind());
    String name = a.op().name().toLowerCase(Locale.ROOT);
    code.invokestatic(
        ProcedureClass.describe(AtomicMemory.class),
        a.op() == Stmt.AtomicOp.COMPARE_AND_SET ? "compareAndSet" + part(a.buffer()) : name,
        MethodTypeDesc.of(t, ConstantDescs.CD_long, t, t));
  }

  private static String part(Buffer buffer) {
    return switch (buffer.storage()) {
      case I8 -> "Byte";
      case I16 -> "Short";
      default -> "";
    };
  }

  // --- Values -----------------------------------------------------------------------------------

  void push(Expr e) {
    switch (e) {
      case Expr.Const c -> constant(c);
      case Expr.Var v -> owner.load(v);
      case Expr.Load(Buffer b, Expr at, int _) -> load(b, at);
      case Expr.Unary(UnaryOp op, Expr x) -> unary(op, x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> {
        if (op.compares()) {
          choose(e, () -> code.iconst_1(), () -> code.iconst_0());
        } else {
          binary(op, x, y);
        }
      }
      case Expr.Fma(Expr a, Expr b, Expr c) -> {
        push(a);
        push(b);
        push(c);
        ClassDesc t = desc(e.type().kind());
        code.invokestatic(MATH, "fma", MethodTypeDesc.of(t, t, t, t));
      }
      case Expr.Select(Expr c, Expr x, Expr y) -> choose(c, () -> push(x), () -> push(y));
      case Expr.Convert(Type type, Expr x) -> {
        push(x);
        code.conversion(typeKind(x.type().kind()), typeKind(type.kind()));
      }
      case Expr.Saturate(Type type, Expr x) -> {
        push(x);
        code.conversion(typeKind(x.type().kind()), typeKind(type.kind()));
      }
      case Expr.Bits(Type type, Expr x) -> bits(type.kind(), x);
      case Expr.Lane lane -> new VectorCode(owner, code).lane(lane);
      case Expr.Any(Expr x) -> {
        if (x.type().lanes() == 1) {
          push(x);
        } else {
          new VectorCode(owner, code).any(x);
        }
      }
      case Expr.Splat _, Expr.Ramp _ -> throw new IllegalArgumentException(e + " is not a scalar");
    }
  }

  private void constant(Expr.Const c) {
    switch (c.type().kind()) {
      case BOOL, I32 -> code.loadConstant((int) c.bits());
      case I64 -> code.loadConstant(c.bits());
      case F32 -> code.loadConstant((float) c.real());
      case F64 -> code.loadConstant(c.real());
    }
  }

  private void bits(Kind to, Expr x) {
    push(x);
    switch (to) {
      case I32 -> bitsOf(Kind.F32);
      case I64 -> bitsOf(Kind.F64);
      case F32, F64 -> ofBits(to);
      case BOOL -> throw new IllegalArgumentException("a condition has no bits");
    }
  }

  /** Replaces a floating-point number on the stack by its bits. */
  void bitsOf(Kind kind) {
    if (kind == Kind.F32) {
      call(Float.class, "floatToRawIntBits", Kind.F32, Kind.I32);
    } else {
      call(Double.class, "doubleToRawLongBits", Kind.F64, Kind.I64);
    }
  }

  /** Replaces bits on the stack by the floating-point number that has them. */
  void ofBits(Kind kind) {
    if (kind == Kind.F32) {
      call(Float.class, "intBitsToFloat", Kind.I32, Kind.F32);
    } else {
      call(Double.class, "longBitsToDouble", Kind.I64, Kind.F64);
    }
  }

  private void call(Class<?> owner, String name, Kind from, Kind to) {
    code.invokestatic(
        ProcedureClass.describe(owner), name, MethodTypeDesc.of(desc(to), desc(from)));
  }

  private void unary(UnaryOp op, Expr x) {
    Kind kind = x.type().kind();
    push(x);
    switch (op) {
      case NEG -> {
        switch (kind) {
          case I64 -> code.lneg();
          case F32 -> code.fneg();
          case F64 -> code.dneg();
          default -> code.ineg();
        }
      }
      case ABS -> call(Math.class, "abs", kind, kind);
      case SQRT -> {
        // Rounding twice is exact for square roots.
        code.conversion(typeKind(kind), TypeKind.DOUBLE);
        call(Math.class, "sqrt", Kind.F64, Kind.F64);
        code.conversion(TypeKind.DOUBLE, typeKind(kind));
      }
      case NOT -> {
        switch (kind) {
          case I64 -> code.loadConstant(-1L).lxor();
          case BOOL -> code.iconst_1().ixor();
          default -> code.iconst_m1().ixor();
        }
      }
      case FLOOR -> rounded("floor", kind);
      case CEIL -> rounded("ceil", kind);
      case RINT -> rounded("rint", kind);
      case BIT_COUNT -> counted("bitCount", kind);
      case LEADING_ZEROS -> counted("numberOfLeadingZeros", kind);
      default -> rounded(op.name().toLowerCase(Locale.ROOT), kind);
    }
  }

  /**
   * A function of {@link Math}, which has those of binary64; a whole binary32 is whole there too.
   */
  private void rounded(String name, Kind kind) {
    code.conversion(typeKind(kind), TypeKind.DOUBLE);
    call(Math.class, name, Kind.F64, Kind.F64);
    code.conversion(TypeKind.DOUBLE, typeKind(kind));
  }

  private void counted(String name, Kind kind) {
    call(kind == Kind.I64 ? Long.class : Integer.class, name, kind, Kind.I32);
    code.conversion(TypeKind.INT, typeKind(kind));
  }

  private void binary(BinaryOp op, Expr x, Expr y) {
    Kind kind = x.type().kind();
    if (op.isFunction()) {
      push(x);
      code.conversion(typeKind(kind), TypeKind.DOUBLE);
      push(y);
      code.conversion(typeKind(kind), TypeKind.DOUBLE);
      ClassDesc t = ConstantDescs.CD_double;
      code.invokestatic(MATH, op.symbol(), MethodTypeDesc.of(t, t, t));
      code.conversion(TypeKind.DOUBLE, typeKind(kind));
      return;
    }
    push(x);
    push(y);
    boolean shifts = op == BinaryOp.SHL || op == BinaryOp.SHR || op == BinaryOp.USHR;
    if (shifts && kind == Kind.I64) {
      code.l2i();
    }
    switch (kind) {
      case F32 -> {
        switch (op) {
          case ADD -> code.fadd();
          case SUB -> code.fsub();
          case MUL -> code.fmul();
          case DIV -> code.fdiv();
          case REM -> code.frem();
          default -> throw new IllegalArgumentException(op + " of " + kind);
        }
      }
      case F64 -> {
        switch (op) {
          case ADD -> code.dadd();
          case SUB -> code.dsub();
          case MUL -> code.dmul();
          case DIV -> code.ddiv();
          case REM -> code.drem();
          default -> throw new IllegalArgumentException(op + " of " + kind);
        }
      }
      case I64 -> {
        switch (op) {
          case ADD -> code.ladd();
          case SUB -> code.lsub();
          case MUL -> code.lmul();
          case DIV -> code.ldiv();
          case REM -> code.lrem();
          case AND -> code.land();
          case OR -> code.lor();
          case XOR -> code.lxor();
          case SHL -> code.lshl();
          case SHR -> code.lshr();
          case USHR -> code.lushr();
          default -> throw new IllegalArgumentException(op + " of " + kind);
        }
      }
      case BOOL, I32 -> {
        switch (op) {
          case ADD -> code.iadd();
          case SUB -> code.isub();
          case MUL -> code.imul();
          case DIV -> code.idiv();
          case REM -> code.irem();
          case AND -> code.iand();
          case OR -> code.ior();
          case XOR -> code.ixor();
          case SHL -> code.ishl();
          case SHR -> code.ishr();
          case USHR -> code.iushr();
          default -> throw new IllegalArgumentException(op + " of " + kind);
        }
      }
    }
  }

  private void choose(Expr condition, Runnable yes, Runnable no) {
    Label other = code.newLabel();
    Label end = code.newLabel();
    jumpUnless(condition, other);
    yes.run();
    code.goto_(end);
    code.labelBinding(other);
    no.run();
    code.labelBinding(end);
  }

  /** Goes on if the condition holds. A comparison with NaN holds only if it is NE. */
  void jumpUnless(Expr condition, Label target) {
    if (condition instanceof Expr.Binary(BinaryOp op, Expr x, Expr y)
        && op == BinaryOp.AND
        && condition.type().equals(Type.BOOL)) {
      jumpUnless(x, target);
      jumpUnless(y, target);
      return;
    }
    if (!(condition instanceof Expr.Binary(BinaryOp op, Expr x, Expr y)) || !op.compares()) {
      push(condition);
      code.ifeq(target);
      return;
    }
    push(x);
    push(y);
    switch (x.type().kind()) {
      case F32 -> code.fcmpg();
      case F64 -> code.dcmpg();
      case I64 -> code.lcmp();
      case I32, BOOL -> {
        switch (op) {
          case EQ -> code.if_icmpne(target);
          case NE -> code.if_icmpeq(target);
          case LT -> code.if_icmpge(target);
          default -> code.if_icmpgt(target);
        }
        return;
      }
    }
    switch (op) {
      case EQ -> code.ifne(target);
      case NE -> code.ifeq(target);
      case LT -> code.ifge(target);
      default -> code.ifgt(target);
    }
  }
}
