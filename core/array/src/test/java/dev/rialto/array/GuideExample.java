package dev.rialto.array;

import dev.rialto.jit.Program;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.ReduceOp;
import java.util.Map;

/** The listings of {@code docs/arrays.md}. */
final class GuideExample {
  private GuideExample() {}

  static double harmonic(Communicator comm) {
    try (Team team = Team.on(comm);
        F64Array a = team.f64(1_000)) {
      a.set(i -> 1.0 / (i + 1));
      return a.sum();
    }
  }

  static double elements(F64Array a) {
    if (a.team().communicator().rank() == 0) {
      a.put(2.5, 999); // the last rank's
    }
    a.synchronize();
    return a.fetch(999);
  }

  /** One step of a diffusion; returns the largest element afterwards. */
  static double diffuse(Team team, int edge) {
    IndexSpace grid = team.space(edge, edge).halo(1).periodic().star();
    try (F64Array now = grid.f64();
        F64Array next = grid.f64()) {
      now.set((i, j) -> i == 0 && j == 0 ? 1 : 0);
      next.set(
          (i, j) ->
              (now.get(i - 1, j) + now.get(i + 1, j) + now.get(i, j - 1) + now.get(i, j + 1)) / 4,
          now);
      return next.max();
    }
  }

  /** Multiplies neighbours, and clears and fills parts of an array. */
  static double views(F64Array x, F64Array a) {
    long n = x.shape().count();
    double neighbours = x.slice(0, 1, n).dot(x.slice(0, 0, n - 1));
    F64Array column = a.slice(1, 3, 4);
    column.fill(0);
    a.slice(0, 0, n, 2).fill(1); // every other row
    a.transposed(1, 0).set((i, j) -> i - j);
    return neighbours + column.sum();
  }

  /** Sums, sorts and chooses by functions of two arrays. */
  static double zips(F64Array x, F64Array y) {
    RealArray product = x.zip(y, (a, b) -> a * b);
    double largest = product.max();
    y.scan(product, ReduceOp.SUM); // y is read before it is written
    x.zip(y, (a, b) -> b - a).sortWith(x, y); // both, by what they differ by
    try (RealArray some = x.copyIf(y, b -> b > 0)) {
      return largest + some.sum();
    }
  }

  static double operands(F64Array x, F64Array y, F64Array z) {
    x.axpy(2, y); // x += 2 y
    x.set(y, z, (a, b) -> a * b + 1);
    x.combine(v -> v[0] * v[1] - v[2] * v[2], x, y, z);
    return x.reduce((a, b) -> Math.max(a, b));
  }

  static double median(Team team, F64Array a, Runnable somethingElse) {
    StartedWork<Double> median = team.start(() -> a.nth(a.shape().count() / 2), a);
    somethingElse.run(); // meanwhile, on this thread
    return median.await(); // or median.cancel(), from any thread
  }

  static void change(F64Array a) {
    a.redistribute(Decomposition.cyclic(a.team().communicator().size()));
    a.resize(2_000);
  }

  static Complex product(ComplexArray a, ComplexArray b) {
    return a.reduce(b, (x, y) -> x.conjugate().times(y), ReduceOp.SUM);
  }

  static double onDevice(Communicator comm, String name) {
    ComputeClient device = Devices.open(name); // "opencl:0", "cuda:0"
    try (Team team = Team.on(comm, device);
        F64Array x = team.f64(1_000);
        F64Array y = x.like()) {
      x.set(i -> Math.sin(0.01 * i));
      y.set(x, v -> v * v);
      y.axpy(-0.5, x);
      double sum = y.sum();
      return sum;
    }
  }

  static double program(Communicator comm) {
    try (Team team = Team.on(comm);
        F64Array x = team.f64(600, 4);
        F64Array y = x.like();
        JitBackend machine = JitBackend.open("jvm")) {
      x.fill(20);
      Program program =
          Program.parse(
              "line",
              "input a f64[%d, 4]\noutput b[i, j] = 2 * a[i, j] + 1"
                  .formatted(x.localShape().extent(0)));
      try (Compiled compiled = machine.compile(program);
          Context root = machine.newDevice(x.space().client()).context();
          Context arrays = root.with(Map.of(program.node("a"), x, program.node("b"), y));
          Routine line = machine.link(arrays, compiled);
          Context _ = line.context()) {
        line.run();
        return y.max();
      }
    }
  }

  static void bySize(F64Array a) {
    a.sort((x, y) -> Double.compare(Math.abs(x), Math.abs(y))); // by size, on any device
  }

  static JavaKernel axpy(Team team) {
    return team.kernels()
        .kernel(
            (Item it, F64 y, F64 x, Double a) -> {
              long i = it.global();
              y.set(i, a * x.get(i) + y.get(i));
            });
  }

  static double kernel(Team team) {
    try (F64Array x = team.f64(1_000);
        F64Array y = x.like();
        JavaKernel axpy = axpy(team)) {
      x.set(i -> i);
      axpy.launch(y.owned().count(), y, x, 2.0); // over what this rank owns
      return y.sum();
    }
  }
}
