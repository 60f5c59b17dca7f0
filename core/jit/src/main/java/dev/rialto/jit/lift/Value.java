package dev.rialto.jit.lift;

import dev.rialto.jit.lift.classfile.ClassInfo;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import java.lang.classfile.TypeKind;
import java.lang.constant.DirectMethodHandleDesc;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The content of a local variable or of an entry of the operand stack while a method is lifted. */
sealed interface Value {
  /**
   * A number, known when the kernel runs.
   *
   * @param expr a scalar
   */
  record Num(Expr expr) implements Value {}

  /**
   * The result of comparing two numbers, which a branch takes.
   *
   * @param x the first
   * @param y the second
   * @param nan the result if one is NaN
   */
  record Compared(Expr x, Expr y, int nan) implements Value {}

  /** The item that the kernel is called with. */
  record ItemRef() implements Value {}

  /**
   * An array that a launch passes.
   *
   * @param buffer its memory
   * @param length its number of elements
   * @param argument its number among what a launch passes
   */
  record Parameter(Buffer buffer, Expr length, int argument) implements Value {}

  /**
   * An array that the kernel makes.
   *
   * @param buffer its memory
   * @param kind what Java calls its elements
   * @param shared whether all items of a block have it together
   */
  record LocalArray(Buffer buffer, TypeKind kind, boolean shared) implements Value {}

  /**
   * An object in a box, such as an Integer.
   *
   * @param expr the number in it
   */
  record Boxed(Expr expr) implements Value {}

  /**
   * Something that is the same for every item of every launch: a captured object, an enum constant.
   *
   * @param object what
   */
  record Constant(Object object) implements Value {}

  /** No object. */
  record Null() implements Value {}

  /** The table by which a switch numbers the constants of an enum, by ordinal. */
  final class EnumTable implements Value {
    private final int[] numbers;

    EnumTable(int[] numbers) {
      this.numbers = numbers.clone();
    }

    int number(int ordinal) {
      return numbers[ordinal];
    }

    int size() {
      return numbers.length;
    }
  }

  /**
   * One of the constants of an enum that only a launch knows.
   *
   * @param constants all of them
   * @param ordinal which, an I32
   */
  record EnumRef(List<? extends Enum<?>> constants, Expr ordinal) implements Value {}

  /**
   * An array of constants of an enum, from outside.
   *
   * @param constants its elements
   */
  record EnumConstants(List<? extends Enum<?>> constants) implements Value {}

  /**
   * A function that the kernel makes.
   *
   * @param name of the interface's method
   * @param method behind it
   * @param captured what the function has captured
   */
  record Function(String name, DirectMethodHandleDesc method, List<Value> captured)
      implements Value {}

  /** An object taken apart: each field is a variable. Its identity is where it is made. */
  final class Taken implements Value {
    final ClassInfo type;
    final Map<String, @Nullable Value> fields = new LinkedHashMap<>();

    /** Whether its constructor has ended; before, there are no copies of it. */
    boolean isMade;

    Taken(ClassInfo type) {
      this.type = type;
    }

    /** Makes the object of a place that objects are copied to. */
    static Taken ofCopies(ClassInfo type) {
      Taken place = new Taken(type);
      place.isMade = true;
      return place;
    }

    /** Whether a copy is as good as this object. */
    boolean isCopied() {
      return isMade && type.isValue();
    }

    @Override
    public String toString() {
      return "an object of " + type.name();
    }
  }
}
