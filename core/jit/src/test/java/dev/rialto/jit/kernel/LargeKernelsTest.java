package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels whose code, with all that they call, is larger than a method of the JVM may be. */
@Tag("gpu")
class LargeKernelsTest {
  /** Methods that jump, return early and change many variables, called from a loop. */
  private static String source(int methods, int statements, String before) {
    StringBuilder text = new StringBuilder("import dev.rialto.jit.kernel.*;\nclass Large {\n");
    for (int m = 0; m < methods; m++) {
      text.append("static long f%d(long n, double x, int k) {\n".formatted(m));
      text.append("long a = n; int b = k; double c = x; boolean d = k > 3;\nouter:\n");
      text.append("for (int i = 0; i < 3; i++) {\n");
      for (int s = 0; s < statements; s++) {
        text.append(
            switch (s % 6) {
              case 0 -> "a = a * 31 + b ^ %d;\n".formatted(s);
              case 1 -> "if ((a & 7) == %d) { c += a; continue outer; }\n".formatted(s % 8);
              case 2 -> "double e%d = c * 0.25 + i; d = e%d > %d;\n".formatted(s, s, s);
              case 3 -> "b += d ? (int) a : %d; c -= e%d;\n".formatted(s, s - 1);
              case 4 -> "if ((b & 1023) == %d) break outer;\n".formatted(s % 1024);
              default -> "if ((a & 4095) == %d) return a + b;\n".formatted(s % 4096);
            });
      }
      text.append("}\nreturn a + b + (long) c + (d ? 1 : 0);\n}\n");
    }
    text.append("public static KernelBody body() {\n");
    text.append("KernelBody.Of2<I64, F64> body = (Item it, I64 y, F64 x) -> {\n");
    text.append("long i = it.global(); long sum = i;\n").append(before);
    for (int m = 0; m < methods; m++) {
      text.append("sum = sum * 7 + f%d(sum, x.get(i) + %d, it.local());\n".formatted(m, m));
    }
    return text.append("y.set(i, sum);\n};\nreturn body;\n}\n}\n").toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "it.barrier();\n", "double[] t = it.sharedDoubles(16); t[it.local()] = 1;\n"})
  void manyMethodsCalledInPlaceGiveTheBitsOfTheJvm(String before)
      throws ReflectiveOperationException {
    Class<?> type = CompiledSource.load("Large", source(8, 120, before));
    java.lang.reflect.Method body = type.getDeclaredMethod("body");
    body.setAccessible(true);
    double[] x = new double[50];
    for (int i = 0; i < x.length; i++) {
      x[i] = i * 1.5 - 20;
    }
    // The limit is the JVM's, so that the other compilers get one of the three forms.
    List<String> targets = before.isEmpty() ? KernelTargets.all().toList() : List.of("jvm");
    KernelTargets.compare(
        targets, (KernelBody) body.invoke(null), Shape.of(16), Shape.of(50), new long[50], x);
  }
}
