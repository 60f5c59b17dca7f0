package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.lift.Lifter;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Forbidden code is refused when a kernel is made, with the file, the line and the reason. */
class RefusalTest {
  private static int counter;

  private int field = 3;

  /** The line of the statement after a call of this. */
  private static int nextLine() {
    return StackWalker.getInstance()
            .walk(frames -> frames.skip(1).findFirst().orElseThrow())
            .getLineNumber()
        + 1;
  }

  private static void refuses(KernelBody body, int line, String reason) {
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("RefusalTest.java:" + line + ": ")
        .withMessageContaining(reason);
  }

  private static int factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
  }

  private static int caught(int x) {
    try {
      return 1 / x;
    } catch (ArithmeticException e) {
      return 0;
    }
  }

  @Test
  void output() {
    int line = nextLine();
    refuses((Item it, I32 x) -> System.out.println(it.local()), line, "PrintStream.println");
  }

  private static void refuses(KernelBody.Of1<I32> body, int line, String reason) {
    refuses((KernelBody) body, line, reason);
  }

  @Test
  void recursion() {
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(0, factorial(x.get(0)));
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("RefusalTest.factorial, which calls itself")
        .withMessageContaining("(called at RefusalTest.java:")
        .withMessageContaining("write a loop");
  }

  @Test
  void exceptions() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          if (x.get(0) < 0) {
            throw new IllegalStateException("negative");
          }
        };
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("RefusalTest.java:")
        .withMessageContaining("throws java.lang.IllegalStateException")
        .withMessageContaining("return early");
  }

  @Test
  void catching() {
    int line = nextLine();
    refuses((Item it, I32 x) -> x.set(0, caught(1)), line, "catches exceptions");
  }

  @Test
  void objectsOfTheLibrary() {
    int line = nextLine();
    refuses((Item it, I32 x) -> new ArrayList<Integer>(), line, "java.util.ArrayList");
  }

  @Test
  void fieldsThatChange() {
    int line = nextLine();
    refuses((Item it, I32 x) -> x.set(0, counter), line, "'counter'");
    int second = nextLine();
    refuses((Item it, I32 x) -> x.set(0, field), second, "'field' of");
    int third = nextLine();
    refuses((Item it, I32 x) -> counter++, third, "'counter'");
  }

  @Test
  void arraysFromOutside() {
    int[] table = {1, 2, 3};
    int line = nextLine();
    refuses((Item it, I32 x) -> table[it.local()] = 1, line, "writes to an array from outside");
    int[][] tables = {{1, 2, 3}, {4}};
    int second = nextLine();
    refuses((Item it, I32 x) -> x.set(0, tables[it.local()][0]), second, "that is not known");
  }

  @Test
  void arraysWhoseLengthIsNotKnown() {
    int line = nextLine();
    refuses((Item it, I32 x) -> x.set(0, new int[x.get(0)].length), line, "length is known only");
  }

  @Test
  void callsOnWhatOnlyALaunchKnows() {
    IntUnaryOperator f = v -> v + 1;
    int line = nextLine();
    refuses((Item it, I32 x) -> x.set(0, f.applyAsInt(1)), line, "IntUnaryOperator.applyAsInt");
  }

  @Test
  void variablesThatHoldOneOfTwoArrays() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          int[] a = new int[4];
          int[] b = new int[4];
          int[] c = x.get(0) > 0 ? a : b;
          x.set(0, c[0]);
        };
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("one of two objects");
  }

  @Test
  void variablesThatAreExchanged() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          int[] a = new int[4];
          int[] b = new int[4];
          for (int i = 0; i < 4; i++) {
            int[] t = a;
            a = b;
            b = t;
          }
          x.set(0, a[0]);
        };
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("one of several objects here")
        .withMessageContaining("a variable of its own");
  }

  @Test
  void textAndSynchronization() {
    int line = nextLine();
    refuses((Item it, I32 x) -> x.set(0, ("a" + it.local()).length()), line, "makes text");
    Object lock = new Object();
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          synchronized (lock) {
            x.set(0, 1);
          }
        };
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("is synchronized");
  }

  @Test
  void parametersOfOtherTypes() {
    KernelBody.Of1<List<Integer>> body = (Item it, List<Integer> x) -> {};
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("a parameter of type List")
        .withMessageContaining("F64");
  }

  @Test
  void bodiesThatAreNoLambdas() {
    KernelBody.Of1<I32> body =
        new KernelBody.Of1<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public void run(Item it, I32 x) {}
        };
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .withMessageContaining("is not a lambda");
  }
}
