package dev.rialto.cpu.fft;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.rialto.system.AddressSpace;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes arithmetic on rows as bytecode, one operation per call. A row is held in a local variable,
 * whose slot is what the methods take and return.
 *
 * <p>Nothing but methods of the Vector API is called by what is written: the compiler inlines those
 * however large the caller becomes, and would stop inlining any other.
 */
final class CodeletEmitter {
  private static final String VECTORS = "jdk.incubator.vector.";
  private static final ClassDesc VECTOR = ClassDesc.of(VECTORS + "Vector");
  private static final ClassDesc SPECIES = ClassDesc.of(VECTORS + "VectorSpecies");
  private static final ClassDesc SHUFFLE = ClassDesc.of(VECTORS + "VectorShuffle");
  private static final ClassDesc MASK = ClassDesc.of(VECTORS + "VectorMask");
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc ORDER = ClassDesc.of("java.nio.ByteOrder");
  private static final ClassDesc MEMORY = ClassDesc.of(Memory.class.getName());
  private static final ClassDesc ADDRESS_SPACE = ClassDesc.of(AddressSpace.class.getName());
  private static final ClassDesc LAYOUT = ClassDesc.of("java.lang.foreign.ValueLayout");

  private static final ClassDesc TABLE_TYPE = ClassDesc.of(ConstantTable.class.getName());

  /** The number of the argument that is the table. */
  private static final int TABLE = 12;

  private final CodeBuilder code;
  private final Numbers numbers;
  private final ClassDesc vector;
  private final ClassDesc scalar;
  private final ClassDesc scalarLayout;
  private final int tableNumbers;
  private final Map<Double, Integer> constants = new HashMap<>();

  CodeletEmitter(CodeBuilder code, Numbers numbers) {
    this.code = code;
    this.numbers = numbers;
    this.vector = ClassDesc.of(VECTORS + (numbers.isDouble() ? "DoubleVector" : "FloatVector"));
    this.scalar = numbers.isDouble() ? CD_double : CD_float;
    this.scalarLayout = LAYOUT.nested(numbers.isDouble() ? "OfDouble" : "OfFloat");
    this.tableNumbers = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(code.parameterSlot(TABLE))
        .getfield(TABLE_TYPE, numbers.isDouble() ? "doubles" : "floats", scalar.arrayType())
        .astore(tableNumbers);
  }

  Numbers numbers() {
    return numbers;
  }

  // --- Addresses and counters -------------------------------------------------------------------

  /** Returns the slot of one of the codelet's {@code long} arguments. */
  int argument(int index) {
    return code.parameterSlot(index);
  }

  int copy(int from) {
    return storeLong(() -> code.lload(from));
  }

  int times(int a, long b) {
    return storeLong(() -> code.lload(a).loadConstant(b).lmul());
  }

  private int storeLong(Runnable push) {
    int slot = code.allocateLocal(TypeKind.LONG);
    push.run();
    code.lstore(slot);
    return slot;
  }

  int longOf(long value) {
    return storeLong(() -> code.loadConstant(value));
  }

  void increase(int slot, int by) {
    code.lload(slot).lload(by).ladd().lstore(slot);
  }

  void advance(int slot, long by) {
    code.lload(slot).loadConstant(by).ladd().lstore(slot);
  }

  void repeat(int count, Runnable body) {
    int left = copy(count);
    Label end = code.newLabel();
    Label start = code.newBoundLabel();
    code.lload(left).lconst_0().lcmp().ifle(end);
    body.run();
    advance(left, -1);
    code.goto_(start).labelBinding(end);
  }

  // --- Rows -------------------------------------------------------------------------------------

  /** Loads the row at an address plus a constant. */
  int load(int address, long offset) {
    if (!numbers.isVector()) {
      code.getstatic(ADDRESS_SPACE, "MEMORY", SEGMENT);
      pushLayout();
      pushAddress(address, offset);
      code.invokeinterface(SEGMENT, "get", MethodTypeDesc.of(scalar, scalarLayout, CD_long));
      return storeRow();
    }
    pushSpecies();
    code.getstatic(ADDRESS_SPACE, "MEMORY", SEGMENT);
    pushAddress(address, offset);
    code.getstatic(MEMORY, "ORDER", ORDER)
        .invokestatic(
            vector,
            "fromMemorySegment",
            MethodTypeDesc.of(vector, SPECIES, SEGMENT, CD_long, ORDER));
    return storeRow();
  }

  /** Loads a number of the table into all lanes; {@code at} is the slot of its index. */
  int number(int at, int offset) {
    if (numbers.isVector()) {
      pushSpecies();
    }
    code.aload(tableNumbers).iload(at);
    if (offset != 0) {
      code.loadConstant(offset).iadd();
    }
    code.arrayLoad(numbers.scalarKind());
    broadcast();
    return storeRow();
  }

  /** Starts to read the table; returns the slot of an index. */
  int index() {
    return indexAt(0);
  }

  int indexAt(int value) {
    int slot = code.allocateLocal(TypeKind.INT);
    code.loadConstant(value).istore(slot);
    return slot;
  }

  /** Adds one of the codelet's arguments to an index. */
  void increaseIndex(int slot, int argument) {
    code.iload(slot).lload(argument).l2i().iadd().istore(slot);
  }

  int copyIndex(int from) {
    int slot = code.allocateLocal(TypeKind.INT);
    code.iload(from).istore(slot);
    return slot;
  }

  /** Returns a row that can be assigned to. */
  int variable(int row) {
    pushRow(row);
    return storeRow();
  }

  void assign(int variable, int row) {
    pushRow(row);
    code.storeLocal(numbers.rowKind(), variable);
  }

  void advanceIndex(int slot, int by) {
    code.iload(slot).loadConstant(by).iadd().istore(slot);
  }

  /** Adds an offset of the table to an address. */
  int offsetFrom(int address, int at, int offset) {
    return storeLong(
        () -> {
          code.aload(code.parameterSlot(TABLE))
              .getfield(TABLE_TYPE, "offsets", CD_long.arrayType());
          code.iload(at).loadConstant(offset).iadd().laload().lload(address).ladd();
        });
  }

  /** Returns a row of one constant; it is made where it is first asked for. */
  int constant(double value) {
    return constants.computeIfAbsent(value, v -> newConstant(v));
  }

  private int newConstant(double value) {
    if (numbers.isVector()) {
      pushSpecies();
    }
    if (numbers.isDouble()) {
      code.loadConstant(value);
    } else {
      code.loadConstant((float) value);
    }
    broadcast();
    return storeRow();
  }

  void store(int row, int address, long offset) {
    if (numbers.isVector()) {
      pushRow(row);
      code.getstatic(ADDRESS_SPACE, "MEMORY", SEGMENT);
      pushAddress(address, offset);
      code.getstatic(MEMORY, "ORDER", ORDER)
          .invokevirtual(
              vector, "intoMemorySegment", MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER));
    } else {
      code.getstatic(ADDRESS_SPACE, "MEMORY", SEGMENT);
      pushLayout();
      pushAddress(address, offset);
      pushRow(row);
      code.invokeinterface(
          SEGMENT, "set", MethodTypeDesc.of(CD_void, scalarLayout, CD_long, scalar));
    }
  }

  int add(int a, int b) {
    pushRow(a);
    pushRow(b);
    pushSum();
    return storeRow();
  }

  int sub(int a, int b) {
    pushRow(a);
    pushRow(b);
    if (numbers.isVector()) {
      call("sub", 1);
    } else if (numbers.isDouble()) {
      code.dsub();
    } else {
      code.fsub();
    }
    return storeRow();
  }

  int mul(int a, int b) {
    pushRow(a);
    pushRow(b);
    pushProduct();
    return storeRow();
  }

  /** Returns a·b + c; single numbers are rounded twice, for machines without the instruction. */
  int fma(int a, int b, int c) {
    pushRow(a);
    pushRow(b);
    if (numbers.isVector()) {
      pushRow(c);
      call("fma", 2);
    } else {
      pushProduct();
      pushRow(c);
      pushSum();
    }
    return storeRow();
  }

  /** Returns the row with its lanes in another order, a shuffle among the class data. */
  int permute(int a, int shuffle) {
    pushRow(a);
    code.loadConstant(classDataAt(shuffle, SHUFFLE))
        .invokevirtual(vector, "rearrange", MethodTypeDesc.of(vector, SHUFFLE));
    return storeRow();
  }

  /** Returns the row with lanes of another where a mask among the class data is set. */
  int blend(int a, int b, int mask) {
    pushRow(a);
    pushRow(b);
    code.loadConstant(classDataAt(mask, MASK))
        .invokevirtual(vector, "blend", MethodTypeDesc.of(vector, VECTOR, MASK));
    return storeRow();
  }

  /** A constant to the compiler, unlike a field of an object. */
  private static DynamicConstantDesc<?> classDataAt(int index, ClassDesc type) {
    return DynamicConstantDesc.ofNamed(
        ConstantDescs.BSM_CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, type, index);
  }

  private void pushSum() {
    if (numbers.isVector()) {
      call("add", 1);
    } else if (numbers.isDouble()) {
      code.dadd();
    } else {
      code.fadd();
    }
  }

  private void pushProduct() {
    if (numbers.isVector()) {
      call("mul", 1);
    } else if (numbers.isDouble()) {
      code.dmul();
    } else {
      code.fmul();
    }
  }

  private void call(String operation, int operands) {
    code.invokevirtual(
        vector,
        operation,
        operands == 1
            ? MethodTypeDesc.of(vector, VECTOR)
            : MethodTypeDesc.of(vector, VECTOR, VECTOR));
  }

  private void broadcast() {
    if (numbers.isVector()) {
      code.invokestatic(vector, "broadcast", MethodTypeDesc.of(vector, SPECIES, scalar));
    }
  }

  private void pushLayout() {
    code.getstatic(
        LAYOUT,
        numbers.isDouble() ? "JAVA_DOUBLE_UNALIGNED" : "JAVA_FLOAT_UNALIGNED",
        scalarLayout);
  }

  private void pushAddress(int address, long offset) {
    code.lload(address);
    if (offset != 0) {
      code.loadConstant(offset).ladd();
    }
  }

  private void pushSpecies() {
    code.getstatic(vector, "SPECIES_" + numbers.bits(), SPECIES);
  }

  private void pushRow(int row) {
    code.loadLocal(numbers.rowKind(), row);
  }

  private int storeRow() {
    int slot = code.allocateLocal(numbers.rowKind());
    code.storeLocal(numbers.rowKind(), slot);
    return slot;
  }
}
