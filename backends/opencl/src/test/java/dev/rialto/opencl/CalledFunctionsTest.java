package dev.rialto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.error.CompilationException;
import org.junit.jupiter.api.Test;

/** Texts with the declarations of what they call, where a driver would read all of them. */
class CalledFunctionsTest {
  private static OpenClCompiler compiler() {
    OpenClCompiler compiler = ((OpenClDevice) OpenClTests.device()).compiler();
    assumeTrue(compiler.readsDeclarations(), "the driver is not PoCL");
    return compiler;
  }

  private static String kernel(String body) {
    return "__kernel void k(__global double *d, __global float *f, __global long *l,"
        + " __global int *i, __local int *s) {"
        + body
        + "}";
  }

  @Test
  void eachIsThere() {
    StringBuilder body = new StringBuilder("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    for (String place : new String[] {"global_id", "global_size", "local_id", "group_id"}) {
      body.append("l[0] += get_").append(place).append("(0);");
    }
    for (String function :
        "sin cos tan asin acos atan sinh cosh tanh exp expm1 log log10 log1p cbrt fabs sqrt floor"
            .concat(" ceil rint")
            .split(" ", -1)) {
      body.append("d[0] = %1$s(d[0]); f[0] = %1$s(f[0]);".formatted(function));
    }
    for (String function : new String[] {"pow", "atan2", "hypot", "fmod"}) {
      body.append("d[0] = %1$s(d[0], d[1]); f[0] = %1$s(f[0], f[1]);".formatted(function));
    }
    for (int lanes = 2; lanes <= 16; lanes *= 2) {
      body.append(
          ("{ double%1$d x = vload%1$d(0, d); x = fma(sqrt(x), fabs(x), x); d[0] = x.s1;"
                  + " float%1$d y = vload%1$d(0, f); y = fma(sqrt(y), fabs(y), y); f[0] = y.s1;"
                  + " l[0] = vload%1$d(0, l).s1; i[0] = vload%1$d(0, i).s1; }")
              .formatted(lanes));
    }
    for (String step : new String[] {"add", "min", "max", "and", "or", "xor", "xchg"}) {
      body.append(
          "i[0] = atomic_%1$s(s, atomic_%1$s(i, 1)); l[0] = atom_%1$s(l, 1L);".formatted(step));
    }
    body.append("i[0] = atomic_cmpxchg(i, 1, 2); l[0] = atom_cmpxchg(l, 1L, 2L);");
    body.append("i[0] = popcount(i[0]) + clz(i[0]); l[0] = popcount(l[0]) + clz(l[0]);");
    assertThat(compiler().buildBriefly("k", kernel(body.toString()))).isNotEmpty();
  }

  @Test
  void aTextThatCallsOthersGetsAllDeclarations() {
    String text = kernel("d[0] = ldexp(d[0], 3);");
    OpenClCompiler compiler = compiler();
    assertThatThrownBy(() -> compiler.buildBriefly("k", text))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("ldexp");
    assertThat(compiler.buildProcedures("k", text)).isNotEmpty();
  }

  @Test
  void aMistakeIsToldWithItsLine() {
    OpenClCompiler compiler = compiler();
    assertThatThrownBy(() -> compiler.buildProcedures("k", "\n\n" + kernel("d[0] = nothing;")))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining(":3:");
  }
}
