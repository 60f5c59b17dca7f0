package dev.rialto.bench.kernels;

import java.util.List;

/**
 * A program and its peer in C.
 *
 * @param name also the peer's function
 * @param text the program
 * @param buffers the nodes that the peer takes, the result first
 * @param items what the peer's index goes over
 * @param multiple what a part should be a multiple of
 */
public record KernelCase(
    String name, String text, List<String> buffers, long items, long multiple) {
  private static final long COUNT = 1 << 24;
  private static final long ROWS = 4096;

  public static List<KernelCase> all() {
    return List.of(
        new KernelCase(
            "triad",
            """
            input b f32[16777216]
            input c f32[16777216]
            a[i] = b[i] + 3 * c[i]
            """,
            List.of("a", "b", "c"),
            COUNT,
            1024),
        new KernelCase(
            "chain",
            """
            input x f32[16777216]
            t[i] = relu(x[i] * 2 + 1)
            y[i] = t[i] * t[i] - x[i]
            """,
            List.of("y", "x"),
            COUNT,
            1024),
        new KernelCase(
            "stencil",
            """
            input a f32[258, 258, 258]
            node b f32[256, 256, 256]
            b[i, j, k] = a[i+1, j+1, k+1] * 0.4 + (a[i+1, j+1, k+2] + a[i+1, j+1, k] + \
            a[i+1, j+2, k+1] + a[i+1, j, k+1] + a[i+2, j+1, k+1] + a[i, j+1, k+1]) * 0.1
            """,
            List.of("b", "a"),
            256,
            1),
        rows("rowsum", "s[i] += x[i, j]", "s"),
        new KernelCase("colsum", matrix("s[j] += x[i, j]"), List.of("s", "x"), ROWS, 512),
        rows(
            "softmax",
            """
            m[i] max= x[i, j]
            e[i, j] = exp(x[i, j] - m[i])
            s[i] += e[i, j]
            output y[i, j] = e[i, j] / s[i]
            """,
            "y"),
        rows(
            "layernorm",
            """
            s[i] += x[i, j]
            mean[i] = s[i] / 4096
            v[i] += (x[i, j] - mean[i]) * (x[i, j] - mean[i])
            r[i] = 1 / sqrt(v[i] / 4096 + 0.00001)
            output y[i, j] = (x[i, j] - mean[i]) * r[i]
            """,
            "y"));
  }

  private static KernelCase rows(String name, String text, String result) {
    return new KernelCase(name, matrix(text), List.of(result, "x"), ROWS, 1);
  }

  private static String matrix(String text) {
    return "input x f32[4096, 4096]\n" + text;
  }
}
