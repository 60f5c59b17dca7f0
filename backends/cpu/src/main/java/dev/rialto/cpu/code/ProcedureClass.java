package dev.rialto.cpu.code;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The class of one procedure: a {@link RangeBody} with the addresses of its buffers. */
final class ProcedureClass {
  private static final ClassDesc SELF =
      ClassDesc.of(ProcedureClass.class.getPackageName(), "Generated");
  private static final ClassDesc RANGE_BODY = RangeBody.class.describeConstable().orElseThrow();
  private static final ClassDesc LONGS = CD_long.arrayType();

  private static final MethodTypeDesc RANGE = MethodTypeDesc.of(CD_void, CD_long, CD_long);

  /** A part of the work: 0, or the number of the jump that it ended with. */
  private static final MethodTypeDesc PART =
      MethodTypeDesc.of(CD_int, CD_long, CD_long, LONGS, CD_Object.arrayType());

  /** The parameters of a part. */
  static final int BEGIN = 1;

  static final int END = 3;

  private final Procedure procedure;
  private final IndexRanges ranges;
  private final Map<Buffer, Integer> parameters = new HashMap<>();
  private final Map<Expr.Var, Type.Kind> maskKinds = new HashMap<>();
  private final Map<Stmt, Integer> jumps = new HashMap<>();

  ProcedureClass(Procedure procedure) {
    this.procedure = procedure.withBody(ShortLoops.apply(procedure.body()));
    this.ranges = new IndexRanges(this.procedure);
    for (int i = 0; i < procedure.parameters().size(); i++) {
      parameters.put(procedure.parameters().get(i), i);
    }
    Parts.walk(
        procedure.body(),
        step -> {
          if (step instanceof Stmt.Let(Expr.Var v, Expr e)
              && e.type().lanes() > 1
              && e.type().kind() == Type.Kind.BOOL) {
            maskKinds.put(v, VectorCode.compared(this, e));
          }
        });
  }

  Procedure procedure() {
    return procedure;
  }

  boolean isInt(Expr.Var v) {
    return v.type().equals(Type.I64) && ranges.fitsInt(v);
  }

  Type.Kind maskKind(Expr.Var v) {
    return maskKinds.getOrDefault(v, Type.Kind.I32);
  }

  /** The number of a jump that leaves a method, from 1. */
  int number(Stmt jump) {
    return jumps.computeIfAbsent(jump, _ -> jumps.size() + 1);
  }

  /** Puts the address of a buffer on the stack; returns false if it is no parameter. */
  boolean pushAddress(CodeBuilder code, Buffer buffer) {
    Integer parameter = parameters.get(buffer);
    if (parameter != null) {
      code.aload(0).getfield(SELF, "buffers", LONGS).loadConstant((int) parameter).laload();
    }
    return parameter != null;
  }

  byte[] bytes() {
    List<Methods> parts = new ArrayList<>();
    int count = 0;
    for (List<Stmt> steps : MethodParts.of(procedure.body())) {
      Methods part = new Methods(steps, count, Set.of(procedure.begin(), procedure.end()));
      parts.add(part);
      count += part.all().size();
    }
    return ClassFile.of()
        .build(
            SELF,
            builder -> {
              builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
              builder.withInterfaceSymbols(RANGE_BODY);
              builder.withField("buffers", LONGS, ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL);
              builder.withField("one", CD_int, ClassFile.ACC_PRIVATE);
              builder.withMethodBody(
                  INIT_NAME, MethodTypeDesc.of(CD_void, LONGS), 0, ProcedureClass::constructor);
              for (Methods part : parts) {
                for (Method each : part.all()) {
                  builder.withMethodBody(
                      "part" + each.number,
                      PART,
                      ClassFile.ACC_PRIVATE,
                      code -> new MethodCode(this, part, each, code).write());
                }
              }
              builder.withMethodBody("run", RANGE, ClassFile.ACC_PUBLIC, code -> run(code, parts));
            });
  }

  private static void constructor(CodeBuilder code) {
    code.aload(0).invokespecial(CD_Object, INIT_NAME, MethodTypeDesc.of(CD_void));
    code.aload(0).iconst_1().putfield(SELF, "one", CD_int);
    code.aload(0).aload(1).putfield(SELF, "buffers", LONGS).return_();
  }

  /** Puts a 1 on the stack that the JVM does not know to be one. */
  static void pushOne(CodeBuilder code) {
    code.aload(0).getfield(SELF, "one", CD_int);
  }

  /** Runs the parts, which share one frame if any needs it. */
  private static void run(CodeBuilder code, List<Methods> parts) {
    int words = parts.stream().mapToInt(Methods::frame).max().orElse(0);
    int arrays = parts.stream().mapToInt(part -> part.arrayPlaces().size()).max().orElse(0);
    if (words > 0) {
      code.loadConstant(words).newarray(TypeKind.LONG).astore(FrameCode.FRAME);
    } else {
      code.aconst_null().astore(FrameCode.FRAME);
    }
    if (arrays > 0) {
      code.loadConstant(arrays).anewarray(CD_Object).astore(FrameCode.ARRAYS);
    } else {
      code.aconst_null().astore(FrameCode.ARRAYS);
    }
    for (Methods part : parts) {
      invoke(code, part.root());
      code.pop();
    }
    code.return_();
  }

  /** Calls a part with the parameters of the caller. */
  static void invoke(CodeBuilder code, Method method) {
    code.aload(0).lload(BEGIN).lload(END).aload(FrameCode.FRAME).aload(FrameCode.ARRAYS);
    code.invokevirtual(SELF, "part" + method.number, PART);
  }

  static ClassDesc describe(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }
}
