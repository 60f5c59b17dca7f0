package dev.rialto.cpu.code;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Moves variables between a method and the frame: an array of longs that all methods of a call of
 * the procedure share, and one of references for local arrays.
 */
final class FrameCode {
  /** The parameters of a method that hold them. */
  static final int FRAME = 5;

  static final int ARRAYS = 6;

  private static final ClassDesc LONGS = VectorCode.vector(Kind.I64);

  private final MethodCode owner;
  private final CodeBuilder code;
  private final Methods methods;

  FrameCode(MethodCode owner, CodeBuilder code, Methods methods) {
    this.owner = owner;
    this.code = code;
    this.methods = methods;
  }

  private void place(Expr.Var v) {
    code.aload(FRAME).loadConstant((int) requireNonNull(methods.places().get(v)));
  }

  /** Puts a variable's value into the frame. */
  void store(Expr.Var v) {
    Type type = v.type();
    if (type.lanes() > 1 && type.kind() != Kind.BOOL) {
      new VectorCode(owner, code).push(v);
      code.invokevirtual(
          VectorCode.vector(type.kind()), "reinterpretAsLongs", MethodTypeDesc.of(LONGS));
      place(v);
      code.invokevirtual(
          LONGS,
          "intoArray",
          MethodTypeDesc.of(
              ConstantDescs.CD_void, ConstantDescs.CD_long.arrayType(), ConstantDescs.CD_int));
      return;
    }
    place(v);
    if (type.lanes() > 1) {
      new VectorCode(owner, code).push(v);
      code.invokevirtual(VectorCode.MASK, "toLong", MethodTypeDesc.of(ConstantDescs.CD_long));
    } else {
      owner.load(v);
      switch (type.kind()) {
        case I64 -> {}
        case BOOL, I32 -> code.i2l();
        case F32 -> {
          new ScalarCode(owner, code).bitsOf(Kind.F32);
          code.i2l();
        }
        case F64 -> new ScalarCode(owner, code).bitsOf(Kind.F64);
      }
    }
    code.lastore();
  }

  /** Puts what the frame holds into a variable. */
  void load(Expr.Var v) {
    Type type = v.type();
    if (type.lanes() > 1 && type.kind() != Kind.BOOL) {
      VectorCode vectors = new VectorCode(owner, code);
      vectors.species(Buffer.Storage.I64, Math.max(1, type.lanes() * type.kind().bits() / 64));
      place(v);
      code.invokestatic(
          LONGS,
          "fromArray",
          MethodTypeDesc.of(
              LONGS, VectorCode.SPECIES, ConstantDescs.CD_long.arrayType(), ConstantDescs.CD_int));
      vectors.fromLongs(type.kind());
    } else if (type.lanes() > 1) {
      VectorCode vectors = new VectorCode(owner, code);
      vectors.species(VectorCode.storage(owner.owner().maskKind(v)), type.lanes());
      place(v);
      code.laload();
      code.invokestatic(
          VectorCode.MASK,
          "fromLong",
          MethodTypeDesc.of(VectorCode.MASK, VectorCode.SPECIES, ConstantDescs.CD_long));
    } else {
      place(v);
      code.laload();
      switch (type.kind()) {
        case I64 -> {}
        case BOOL, I32 -> code.l2i();
        case F32 -> {
          code.l2i();
          new ScalarCode(owner, code).ofBits(Kind.F32);
        }
        case F64 -> new ScalarCode(owner, code).ofBits(Kind.F64);
      }
    }
    owner.assign(v);
  }

  /** Makes a local array known to other methods, from the stack. */
  void share(Buffer buffer, int slot) {
    Integer place = methods.arrayPlaces().get(buffer);
    if (place != null) {
      code.aload(ARRAYS).loadConstant((int) place).aload(slot).aastore();
    }
  }

  /** Puts a local array that another method made on the stack. */
  void array(Buffer buffer) {
    code.aload(ARRAYS).loadConstant((int) requireNonNull(methods.arrayPlaces().get(buffer)));
    code.aaload().checkcast(ScalarCode.element(buffer).upperBound().arrayType());
  }
}
