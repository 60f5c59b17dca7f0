package dev.rialto.cpu.fft;

import dev.rialto.spi.data.DType;
import java.lang.classfile.TypeKind;

/**
 * The numbers that generated code computes with: vectors of so many lanes, or single numbers where
 * the Vector API is not to be used.
 *
 * @param type {@link DType#F32} or {@link DType#F64}
 * @param bits the width of a vector, or 0 for single numbers
 */
record Numbers(DType type, int bits) {
  /** Returns vectors of a width; those of one lane are plain numbers. */
  static Numbers of(DType type, int bits) {
    return new Numbers(type, bits > 8 * type.size() ? bits : 0);
  }

  boolean isVector() {
    return bits > 0;
  }

  boolean isDouble() {
    return type == DType.F64;
  }

  int lanes() {
    return isVector() ? bits / (8 * type.size()) : 1;
  }

  int rowBytes() {
    return lanes() * type.size();
  }

  /** Returns the kind of a local variable that holds one row. */
  TypeKind rowKind() {
    return isVector() ? TypeKind.REFERENCE : scalarKind();
  }

  TypeKind scalarKind() {
    return isDouble() ? TypeKind.DOUBLE : TypeKind.FLOAT;
  }
}
