package dev.rialto.cpu.code;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.util.Objects.requireNonNull;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.exec.RangeBody;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The class of one procedure: a {@link RangeBody} whose fields are the addresses of its buffers.
 * Its method loads those into local variables and then is the procedure's statements one by one.
 */
final class ProcedureClass {
  private static final ClassDesc SELF =
      ClassDesc.of(ProcedureClass.class.getPackageName(), "Generated");
  private static final ClassDesc RANGE_BODY = RangeBody.class.describeConstable().orElseThrow();

  private static final MethodTypeDesc RANGE = MethodTypeDesc.of(CD_void, CD_long, CD_long);

  private final Procedure procedure;
  private final IndexRanges ranges;
  private final Map<Expr.Var, Integer> slots = new HashMap<>();
  private final Map<Expr.Var, Type.Kind> maskKinds = new HashMap<>();
  private final Map<Buffer, Integer> bufferSlots = new HashMap<>();
  private final Map<String, Label> ends = new HashMap<>();
  private final Map<String, Label> nexts = new HashMap<>();

  ProcedureClass(Procedure procedure) {
    this.procedure = procedure;
    this.ranges = new IndexRanges(procedure);
  }

  byte[] bytes() {
    return ClassFile.of()
        .build(
            SELF,
            builder -> {
              builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
              builder.withInterfaceSymbols(RANGE_BODY);
              for (int i = 0; i < procedure.parameters().size(); i++) {
                builder.withField(
                    "buffer" + i, CD_long, ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL);
              }
              builder.withMethodBody(
                  INIT_NAME, MethodTypeDesc.of(CD_void, CD_long.arrayType()), 0, this::constructor);
              List<List<Stmt>> parts = MethodParts.of(procedure.body());
              for (int i = 0; i < parts.size(); i++) {
                List<Stmt> part = parts.get(i);
                builder.withMethodBody(
                    "part" + i, RANGE, ClassFile.ACC_PRIVATE, code -> part(code, part));
              }
              builder.withMethodBody(
                  "run", RANGE, ClassFile.ACC_PUBLIC, code -> run(code, parts.size()));
            });
  }

  private void constructor(CodeBuilder code) {
    code.aload(0).invokespecial(CD_Object, INIT_NAME, MethodTypeDesc.of(CD_void));
    for (int i = 0; i < procedure.parameters().size(); i++) {
      code.aload(0).aload(1).loadConstant(i).laload().putfield(SELF, "buffer" + i, CD_long);
    }
    code.return_();
  }

  private static void run(CodeBuilder code, int parts) {
    for (int i = 0; i < parts; i++) {
      code.aload(0).lload(1).lload(3).invokevirtual(SELF, "part" + i, RANGE);
    }
    code.return_();
  }

  private void part(CodeBuilder code, List<Stmt> steps) {
    for (int i = 0; i < procedure.parameters().size(); i++) {
      int slot = code.allocateLocal(TypeKind.LONG);
      bufferSlots.put(procedure.parameters().get(i), slot);
      code.aload(0).getfield(SELF, "buffer" + i, CD_long).lstore(slot);
    }
    declare(code, procedure.begin());
    declare(code, procedure.end());
    code.lload(1);
    store(code, procedure.begin());
    code.lload(3);
    store(code, procedure.end());
    steps.forEach(step -> statement(code, step));
    code.return_();
  }

  // --- Variables --------------------------------------------------------------------------------

  boolean isInt(Expr.Var v) {
    return v.type().equals(Type.I64) && ranges.fitsInt(v);
  }

  private void declare(CodeBuilder code, Expr.Var v) {
    slots.put(v, code.allocateLocal(local(v)));
  }

  private TypeKind local(Expr.Var v) {
    if (v.type().lanes() > 1) {
      return TypeKind.REFERENCE;
    }
    return switch (v.type().kind()) {
      case BOOL, I32 -> TypeKind.INT;
      case I64 -> isInt(v) ? TypeKind.INT : TypeKind.LONG;
      case F32 -> TypeKind.FLOAT;
      case F64 -> TypeKind.DOUBLE;
    };
  }

  private int slot(Expr.Var v) {
    return requireNonNull(slots.get(v));
  }

  /** Stores the value on the stack; an index comes as a long. */
  private void store(CodeBuilder code, Expr.Var v) {
    if (isInt(v)) {
      code.l2i();
    }
    code.storeLocal(local(v), slot(v));
  }

  /** Puts a variable on the stack; an index as a long. */
  void load(CodeBuilder code, Expr.Var v) {
    code.loadLocal(local(v), slot(v));
    if (isInt(v)) {
      code.i2l();
    }
  }

  /** What the mask in a variable was made from. */
  Type.Kind maskKind(Expr.Var v) {
    return maskKinds.getOrDefault(v, Type.Kind.I32);
  }

  void maskKind(Expr.Var v, Type.Kind kind) {
    maskKinds.put(v, kind);
  }

  /** Puts the address of an element, or a local array and the index in it, on the stack. */
  void address(CodeBuilder code, Buffer buffer, Expr offset) {
    int slot = requireNonNull(bufferSlots.get(buffer));
    ScalarCode scalars = new ScalarCode(this, code);
    if (buffer.local()) {
      code.aload(slot);
      scalars.push(offset);
      code.l2i();
      return;
    }
    code.lload(slot);
    scalars.push(offset);
    int bytes = buffer.storage().bytes();
    if (bytes > 1) {
      code.loadConstant(Integer.numberOfTrailingZeros(bytes)).lshl();
    }
    code.ladd();
  }

  // --- Statements -------------------------------------------------------------------------------

  private void statement(CodeBuilder code, Stmt s) {
    switch (s) {
      case Stmt.Block block -> block.steps().forEach(step -> statement(code, step));
      case Stmt.Let(Expr.Var v, Expr e) -> {
        if (e.type().lanes() > 1 && e.type().kind() == Type.Kind.BOOL) {
          new VectorCode(this, code).note(v, e);
        }
        push(code, e);
        declare(code, v);
        store(code, v);
      }
      case Stmt.Assign(Expr.Var v, Expr e) -> {
        push(code, e);
        store(code, v);
      }
      case Stmt.Store(Buffer b, Expr at, Expr e) -> {
        if (e.type().lanes() > 1) {
          new VectorCode(this, code).store(b, at, e);
        } else {
          new ScalarCode(this, code).store(b, at, e);
        }
      }
      case Stmt.For f -> loop(code, f);
      case Stmt.If branch -> {
        Label otherwise = code.newLabel();
        new ScalarCode(this, code).jumpUnless(branch.condition(), otherwise);
        statement(code, branch.body());
        if (branch.otherwise().equals(Stmt.NOTHING)) {
          code.labelBinding(otherwise);
        } else {
          Label end = code.newLabel();
          code.goto_(end);
          code.labelBinding(otherwise);
          statement(code, branch.otherwise());
          code.labelBinding(end);
        }
      }
      case Stmt.Labeled(String name, Stmt body) -> {
        Label end = code.newLabel();
        ends.put(name, end);
        statement(code, body);
        code.labelBinding(end);
      }
      case Stmt.Loop(String name, Stmt body) -> {
        Label next = code.newLabel();
        Label end = code.newLabel();
        nexts.put(name, next);
        ends.put(name, end);
        code.labelBinding(next);
        statement(code, body);
        code.goto_(next);
        code.labelBinding(end);
      }
      case Stmt.Leave(String name) -> code.goto_(requireNonNull(ends.get(name)));
      case Stmt.Repeat(String name) -> code.goto_(requireNonNull(nexts.get(name)));
      case Stmt.Atomic atomic -> {
        new ScalarCode(this, code).atomic(atomic);
        store(code, atomic.old());
      }
      case Stmt.Items _, Stmt.Barrier _ ->
          throw new IllegalArgumentException(s + " is for devices; make loops of it first");
      case Stmt.Array(Buffer b) -> {
        int slot = code.allocateLocal(TypeKind.REFERENCE);
        bufferSlots.put(b, slot);
        // The narrowest vectors are loaded with what lies behind them.
        int elements = (int) b.elements() + (b.storage().bytes() < 4 ? VectorCode.LEAST_BYTES : 0);
        code.loadConstant(elements).newarray(ScalarCode.element(b)).astore(slot);
      }
      case Stmt.Comment _ -> {}
    }
  }

  private void push(CodeBuilder code, Expr e) {
    if (e.type().lanes() > 1) {
      new VectorCode(this, code).push(e);
    } else {
      new ScalarCode(this, code).push(e);
    }
  }

  /** The bound is evaluated once; an int index is compared and counted as one. */
  private void loop(CodeBuilder code, Stmt.For f) {
    boolean narrow = isInt(f.index());
    declare(code, f.index());
    push(code, f.from());
    store(code, f.index());
    int end = code.allocateLocal(narrow ? TypeKind.INT : TypeKind.LONG);
    push(code, f.to());
    if (narrow) {
      code.l2i().istore(end);
    } else {
      code.lstore(end);
    }
    int index = slot(f.index());
    Label test = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(test);
    if (narrow) {
      code.iload(index).iload(end).if_icmpge(done);
    } else {
      code.lload(index).lload(end).lcmp().ifge(done);
    }
    statement(code, f.body());
    if (narrow) {
      code.iload(index).loadConstant((int) f.step()).iadd().istore(index);
    } else {
      code.lload(index).loadConstant(f.step()).ladd().lstore(index);
    }
    code.goto_(test);
    code.labelBinding(done);
  }

  static ClassDesc describe(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }
}
