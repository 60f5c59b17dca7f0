package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import dev.rialto.system.AddressSpace;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Vector expressions as calls of the Vector API, named by descriptors so that this class loads
 * without it. A vector of conditions is a mask of the species of what was compared, and is cast
 * where it meets another. The narrowest species has 64 bits: fewer bytes or shorts side by side go
 * to and from memory as one integer, in its first lanes.
 */
final class VectorCode {
  private static final String PACKAGE = "jdk.incubator.vector";
  private static final ClassDesc VECTOR = ClassDesc.of(PACKAGE, "Vector");
  static final ClassDesc MASK = ClassDesc.of(PACKAGE, "VectorMask");
  static final ClassDesc SPECIES = ClassDesc.of(PACKAGE, "VectorSpecies");
  private static final ClassDesc OPERATORS = ClassDesc.of(PACKAGE, "VectorOperators");
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc ORDER = ProcedureClass.describe(ByteOrder.class);

  static final int LEAST_BYTES = 8;

  private static final Map<BinaryOp, String> OPERATOR_NAMES = new HashMap<>();

  static {
    OPERATOR_NAMES.put(BinaryOp.AND, "AND");
    OPERATOR_NAMES.put(BinaryOp.OR, "OR");
    OPERATOR_NAMES.put(BinaryOp.XOR, "XOR");
    OPERATOR_NAMES.put(BinaryOp.SHL, "LSHL");
    OPERATOR_NAMES.put(BinaryOp.SHR, "ASHR");
    OPERATOR_NAMES.put(BinaryOp.USHR, "LSHR");
  }

  private static final Set<BinaryOp> LOGICAL = EnumSet.of(BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR);

  private final MethodCode owner;
  private final CodeBuilder code;

  VectorCode(MethodCode owner, CodeBuilder code) {
    this.owner = owner;
    this.code = code;
  }

  private static String word(Buffer.Storage storage) {
    return switch (storage) {
      case I8 -> "Byte";
      case I16 -> "Short";
      case I32 -> "Int";
      case I64 -> "Long";
      case F32 -> "Float";
      case F64 -> "Double";
    };
  }

  static Buffer.Storage storage(Kind kind) {
    return switch (kind) {
      case BOOL, I32 -> Buffer.Storage.I32;
      case I64 -> Buffer.Storage.I64;
      case F32 -> Buffer.Storage.F32;
      case F64 -> Buffer.Storage.F64;
    };
  }

  private static ClassDesc vector(Buffer.Storage storage) {
    return ClassDesc.of(PACKAGE, word(storage) + "Vector");
  }

  static ClassDesc vector(Kind kind) {
    return vector(storage(kind));
  }

  /** Puts a species on the stack. */
  void species(Buffer.Storage storage, int lanes) {
    int bits = Math.max(LEAST_BYTES, storage.bytes() * lanes) * 8;
    code.getstatic(vector(storage), "SPECIES_" + bits, SPECIES);
  }

  void fromLongs(Kind kind) {
    code.invokevirtual(
        vector(Kind.I64),
        "reinterpretAs" + word(storage(kind)) + "s",
        MethodTypeDesc.of(vector(kind)));
  }

  private void nativeOrder() {
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    code.getstatic(ORDER, little ? "LITTLE_ENDIAN" : "BIG_ENDIAN", ORDER);
  }

  // --- Memory -----------------------------------------------------------------------------------

  private void load(Buffer b, Expr at, int lanes) {
    ClassDesc type = vector(b.storage());
    if (b.local()) {
      species(b.storage(), lanes);
      owner.address(b, at);
      code.invokestatic(
          type,
          "fromArray",
          MethodTypeDesc.of(
              type, SPECIES, ScalarCode.element(b).upperBound().arrayType(), ConstantDescs.CD_int));
    } else if (isNarrow(b, lanes)) {
      Buffer.Storage whole = whole(b, lanes);
      ScalarCode scalars = new ScalarCode(owner, code);
      species(whole, 1);
      scalars.memory();
      ClassDesc layout = scalars.layout(whole);
      owner.address(b, at);
      ClassDesc element = integer(whole);
      code.invokeinterface(
          SEGMENT, "get", MethodTypeDesc.of(element, layout, ConstantDescs.CD_long));
      code.invokestatic(
          vector(whole), "broadcast", MethodTypeDesc.of(vector(whole), SPECIES, element));
      code.invokevirtual(
          vector(whole), "reinterpretAs" + word(b.storage()) + "s", MethodTypeDesc.of(type));
    } else {
      species(b.storage(), lanes);
      code.getstatic(ProcedureClass.describe(AddressSpace.class), "MEMORY", SEGMENT);
      owner.address(b, at);
      nativeOrder();
      code.invokestatic(
          type,
          "fromMemorySegment",
          MethodTypeDesc.of(type, SPECIES, SEGMENT, ConstantDescs.CD_long, ORDER));
    }
    if (b.storage().bytes() < 4) {
      convert(b.storage() == Buffer.Storage.I8 ? "B2I" : "S2I", Buffer.Storage.I32, lanes);
    }
  }

  /** Whether elements side by side are fewer bits than the narrowest species has. */
  private static boolean isNarrow(Buffer b, int lanes) {
    return b.storage().bytes() * lanes < LEAST_BYTES;
  }

  /** The integer that is as wide as a few bytes or shorts. */
  private static Buffer.Storage whole(Buffer b, int lanes) {
    return b.storage().bytes() * lanes == 2 ? Buffer.Storage.I16 : Buffer.Storage.I32;
  }

  private static ClassDesc integer(Buffer.Storage whole) {
    return whole == Buffer.Storage.I16 ? ConstantDescs.CD_short : ConstantDescs.CD_int;
  }

  private void pushStored(Buffer b, Expr e) {
    push(e);
    if (b.storage().bytes() < 4) {
      String conversion = b.storage() == Buffer.Storage.I8 ? "I2B" : "I2S";
      convert(conversion, b.storage(), e.type().lanes());
    }
  }

  void store(Buffer b, Expr at, Expr e) {
    int lanes = e.type().lanes();
    ClassDesc type = vector(b.storage());
    if (isNarrow(b, lanes) && !b.local()) {
      Buffer.Storage whole = whole(b, lanes);
      ScalarCode scalars = new ScalarCode(owner, code);
      scalars.memory();
      ClassDesc layout = scalars.layout(whole);
      owner.address(b, at);
      pushStored(b, e);
      ClassDesc integers = vector(whole);
      code.invokevirtual(type, "reinterpretAs" + word(whole) + "s", MethodTypeDesc.of(integers));
      code.iconst_0();
      ClassDesc element = integer(whole);
      code.invokevirtual(integers, "lane", MethodTypeDesc.of(element, ConstantDescs.CD_int));
      code.invokeinterface(
          SEGMENT,
          "set",
          MethodTypeDesc.of(ConstantDescs.CD_void, layout, ConstantDescs.CD_long, element));
      return;
    }
    pushStored(b, e);
    if (b.local()) {
      ClassDesc array = ScalarCode.element(b).upperBound().arrayType();
      owner.address(b, at);
      if (isNarrow(b, lanes)) {
        species(b.storage(), lanes);
        code.iconst_0().loadConstant(lanes);
        code.invokeinterface(
            SPECIES,
            "indexInRange",
            MethodTypeDesc.of(MASK, ConstantDescs.CD_int, ConstantDescs.CD_int));
        code.invokevirtual(
            type,
            "intoArray",
            MethodTypeDesc.of(ConstantDescs.CD_void, array, ConstantDescs.CD_int, MASK));
      } else {
        code.invokevirtual(
            type,
            "intoArray",
            MethodTypeDesc.of(ConstantDescs.CD_void, array, ConstantDescs.CD_int));
      }
      return;
    }
    code.getstatic(ProcedureClass.describe(AddressSpace.class), "MEMORY", SEGMENT);
    owner.address(b, at);
    nativeOrder();
    code.invokevirtual(
        type,
        "intoMemorySegment",
        MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, ConstantDescs.CD_long, ORDER));
  }

  // --- Values -----------------------------------------------------------------------------------

  void push(Expr e) {
    int lanes = e.type().lanes();
    Kind kind = e.type().kind();
    switch (e) {
      case Expr.Var v -> {
        owner.load(v);
        code.checkcast(kind == Kind.BOOL ? MASK : vector(kind));
      }
      case Expr.Load(Buffer b, Expr at, int n) -> load(b, at, n);
      case Expr.Unary(UnaryOp op, Expr x) -> unary(op, x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> binary(op, x, y);
      case Expr.Fma(Expr a, Expr b, Expr c) -> {
        push(a);
        push(b);
        push(c);
        code.invokevirtual(vector(kind), "fma", MethodTypeDesc.of(vector(kind), VECTOR, VECTOR));
      }
      case Expr.Select(Expr c, Expr x, Expr y) -> select(c, x, y);
      case Expr.Convert(Type type, Expr x) -> {
        push(x);
        convert(letter(x.type().kind()) + "2" + letter(type.kind()), storage(type.kind()), lanes);
      }
      case Expr.Bits(Type type, Expr x) -> {
        push(x);
        String name = "reinterpretAs" + word(storage(type.kind())) + "s";
        code.invokevirtual(vector(x.type().kind()), name, MethodTypeDesc.of(vector(type.kind())));
      }
      case Expr.Splat(int n, Expr x) -> splat(n, x);
      case Expr.Ramp(Expr base, int n) -> {
        splat(n, base);
        code.iconst_1();
        code.invokevirtual(
            vector(Kind.I64),
            "addIndex",
            MethodTypeDesc.of(vector(Kind.I64), ConstantDescs.CD_int));
      }
      case Expr.Const _, Expr.Lane _, Expr.Any _, Expr.Saturate _ ->
          throw new IllegalArgumentException(e + " is not a vector");
    }
  }

  private void splat(int lanes, Expr x) {
    Kind kind = x.type().kind();
    if (kind == Kind.BOOL) {
      species(Buffer.Storage.I32, lanes);
      new ScalarCode(owner, code).push(x);
      code.invokeinterface(SPECIES, "maskAll", MethodTypeDesc.of(MASK, ConstantDescs.CD_boolean));
      return;
    }
    species(storage(kind), lanes);
    new ScalarCode(owner, code).push(x);
    ClassDesc element = ScalarCode.desc(kind);
    code.invokestatic(vector(kind), "broadcast", MethodTypeDesc.of(vector(kind), SPECIES, element));
  }

  private static String letter(Kind kind) {
    return switch (kind) {
      case BOOL, I32 -> "I";
      case I64 -> "L";
      case F32 -> "F";
      case F64 -> "D";
    };
  }

  private void convert(String conversion, Buffer.Storage to, int lanes) {
    ClassDesc type = OPERATORS.nested("Conversion");
    code.getstatic(OPERATORS, conversion, type);
    species(to, lanes);
    code.iconst_0();
    code.invokevirtual(
        VECTOR, "convertShape", MethodTypeDesc.of(VECTOR, type, SPECIES, ConstantDescs.CD_int));
    code.checkcast(vector(to));
  }

  private void unary(UnaryOp op, Expr x) {
    push(x);
    Kind kind = x.type().kind();
    if (kind == Kind.BOOL) {
      code.invokevirtual(MASK, "not", MethodTypeDesc.of(MASK));
      return;
    }
    ClassDesc type = OPERATORS.nested("Unary");
    code.getstatic(OPERATORS, op.name(), type);
    code.invokevirtual(vector(kind), "lanewise", MethodTypeDesc.of(vector(kind), type));
  }

  private void binary(BinaryOp op, Expr x, Expr y) {
    Kind kind = x.type().kind();
    if (kind == Kind.BOOL) {
      Kind species = compared(x);
      push(x);
      mask(y, species);
      String name = op.name().toLowerCase(java.util.Locale.ROOT);
      code.invokevirtual(MASK, name, MethodTypeDesc.of(MASK, MASK));
      return;
    }
    push(x);
    if (op.compares()) {
      ClassDesc type = OPERATORS.nested("Comparison");
      code.getstatic(OPERATORS, op.name(), type);
      push(y);
      code.invokevirtual(vector(kind), "compare", MethodTypeDesc.of(MASK, type, VECTOR));
      return;
    }
    String name = OPERATOR_NAMES.get(op);
    if (name == null) {
      push(y);
      String method = op.name().toLowerCase(java.util.Locale.ROOT);
      code.invokevirtual(vector(kind), method, MethodTypeDesc.of(vector(kind), VECTOR));
      return;
    }
    ClassDesc type = OPERATORS.nested(LOGICAL.contains(op) ? "Associative" : "Binary");
    code.getstatic(OPERATORS, name, type);
    push(y);
    code.invokevirtual(
        vector(kind),
        "lanewise",
        MethodTypeDesc.of(vector(kind), OPERATORS.nested("Binary"), VECTOR));
  }

  private void select(Expr c, Expr x, Expr y) {
    Kind kind = x.type().kind();
    if (kind == Kind.BOOL) {
      // yes where c, else no: (c and yes) or (no and not c)
      Kind species = compared(x);
      push(x);
      mask(c, species);
      code.invokevirtual(MASK, "and", MethodTypeDesc.of(MASK, MASK));
      mask(y, species);
      mask(c, species);
      code.invokevirtual(MASK, "andNot", MethodTypeDesc.of(MASK, MASK));
      code.invokevirtual(MASK, "or", MethodTypeDesc.of(MASK, MASK));
      return;
    }
    push(y);
    push(x);
    mask(c, kind);
    code.invokevirtual(vector(kind), "blend", MethodTypeDesc.of(vector(kind), VECTOR, MASK));
  }

  private void mask(Expr e, Kind kind) {
    push(e);
    if (compared(e) != kind) {
      species(storage(kind), e.type().lanes());
      code.invokevirtual(MASK, "cast", MethodTypeDesc.of(MASK, SPECIES));
    }
  }

  private Kind compared(Expr e) {
    return compared(owner.owner(), e);
  }

  static Kind compared(ProcedureClass owner, Expr e) {
    return switch (e) {
      case Expr.Binary(BinaryOp op, Expr x, Expr _) ->
          op.compares() ? x.type().kind() : compared(owner, x);
      case Expr.Unary(UnaryOp _, Expr x) -> compared(owner, x);
      case Expr.Select(Expr _, Expr x, Expr _) -> compared(owner, x);
      case Expr.Var v -> owner.maskKind(v);
      default -> Kind.I32;
    };
  }

  void any(Expr mask) {
    push(mask);
    code.invokevirtual(MASK, "anyTrue", MethodTypeDesc.of(ConstantDescs.CD_boolean));
  }

  void lane(Expr.Lane lane) {
    push(lane.value());
    Kind kind = lane.type().kind();
    code.loadConstant(lane.lane());
    code.invokevirtual(
        vector(kind), "lane", MethodTypeDesc.of(ScalarCode.desc(kind), ConstantDescs.CD_int));
  }
}
