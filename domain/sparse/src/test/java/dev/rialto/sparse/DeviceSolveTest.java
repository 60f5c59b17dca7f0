package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.IndexSpace;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.problem.Problem;
import dev.rialto.sparse.problem.RandomMatrix;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.sparse.solve.StoppingRule;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.tck.TestDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Products and solvers on a device do what they do on the host; what is not here is skipped. */
@Tag("gpu")
class DeviceSolveTest {
  private interface Body {
    void run(IndexSpace there, SparseMatrix a, TestVector b);
  }

  /** Runs on a device with a problem, on one and on three ranks. */
  private static void on(String name, Problem problem, DType type, Body body) {
    for (int ranks : new int[] {1, 3}) {
      List<Device> devices = TestDevices.get(name, ranks);
      Device device = devices.getFirst();
      long before = used(device);
      Ranks.run(
          ranks,
          team -> {
            IndexMap rows = IndexMap.even(team, problem.size()).assemble();
            SparseMatrix a = problem.matrix(rows, type, Format.CSR);
            ComputeClient client = Devices.of(devices.get(team.rank()));
            try (TestVector b = new TestVector(a.map(), problem.rightHandSide(a.map(), type))) {
              body.run(rows.space().on(client), a, b);
            }
          });
      assertThat(used(device)).isEqualTo(before);
    }
  }

  /** Returns what is used besides memory that pools keep for later. */
  private static long used(Device device) {
    Devices.of(device).cleanup();
    return device.memory().used();
  }

  private static void requireClose(TestVector there, TestVector here, double most) {
    try (TestVector back = here.like().copy(there)) {
      back.axpby(Scalar.of(-1), here, Scalar.ONE);
      assertThat(back.norm2()).isLessThanOrEqualTo(most * here.norm2());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "opencl", "cuda", "cuda-connected"})
  void productsOfEveryFormatMatchTheHosts(String name) {
    productsMatch(name, Grids.poisson3d(9), DType.F64);
    productsMatch(name, Grids.poisson3d(9), DType.F32);
    productsMatch(name, new Bordered(700), DType.F64);
  }

  /** A matrix whose first rows are full, more than a block of a device has room for. */
  private record Bordered(long size) implements Problem {
    @Override
    public double row(long row, Row entries) {
      for (long column = row < 8 ? 0 : row; column < (row < 8 ? size : row + 1); column++) {
        entries.entry(column, Math.cos(column - 2.0 * row));
      }
      return 1;
    }
  }

  private static void productsMatch(String name, Problem problem, DType type) {
    on(
        name,
        problem,
        type,
        (there, a, b) -> {
          for (Format format : List.of(Format.CSR, Format.SELL)) {
            assertThat(a.copyTo(there, format).format()).isEqualTo(format);
            try (TestVector x = TestVector.in(there, a.map(), type);
                TestVector y = x.like();
                TestVector hx = new TestVector(a.map(), type);
                TestVector hy = hx.like()) {
              hx.setAll(i -> Math.sin(0.1 * i));
              x.copy(hx);
              hy.fill(Scalar.ONE);
              y.copy(hy);
              a.apply(Op.NONE, Scalar.of(2), hx.array(), Scalar.of(-3), hy.array());
              a.apply(Op.NONE, Scalar.of(2), x.array(), Scalar.of(-3), y.array());
              requireClose(y, hy, type == DType.F64 ? 1e-14 : 1e-6);
              assertThat(x.norm1()).isCloseTo(hx.norm1(), within(1e-6 * hx.norm1()));
              assertThat(x.normInf()).isCloseTo(hx.normInf(), within(1e-6));
            }
          }
        });
  }

  /** Solves on the host and on the device and demands the same of both; returns how it went. */
  private static SolveResult requireSame(
      Method method,
      SparseMatrix a,
      IndexSpace there,
      Preconditioner m,
      TestVector b,
      SolveOptions options) {
    try (TestVector right = TestVector.in(there, a.map(), a.type()).copy(b);
        TestVector x = right.like();
        TestVector wanted = new TestVector(a.map(), a.type())) {
      SolveResult here = method.solve(a, m, b.array(), wanted.array(), options);
      SolveResult result = method.solve(a, m, right.array(), x.array(), options);
      String what = "%s, %s, %s: %s".formatted(method, m, options.rule(), result);
      assertThat(result.reason()).as(what).isEqualTo(here.reason());
      assertThat(words(result)).as(what).isEqualTo(words(here));
      assertThat(result.iterations()).as(what).isEqualTo(here.iterations());
      for (int i = 0; i < here.history().length; i++) {
        double residual = here.history()[i];
        assertThat(result.history()[i]).as("%s, %d", what, i).isCloseTo(residual, within(1e-5));
      }
      requireClose(x, wanted, 1e-4);
      return result;
    }
  }

  /** Returns the words for how it went, without the numbers that rounding has a part in. */
  private static String words(SolveResult result) {
    return result.detail().replaceAll("[-0-9.E]+", "#");
  }

  /** A grid's equation that is solved in few iterations, so that rounding does not grow. */
  private record Easy(Problem grid) implements Problem {
    @Override
    public long size() {
      return grid.size();
    }

    @Override
    public double row(long row, Row entries) {
      entries.entry(row, 4);
      return grid.row(row, entries) + Math.sin((double) row);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "opencl", "cuda", "cuda-connected"})
  void everyMethodDoesWhatItDoesOnTheHost(String name) {
    on(
        name,
        new Easy(Grids.convectionDiffusion3d(6)),
        DType.F64,
        (there, a, b) -> {
          boolean together = name.endsWith(TestDevices.CONNECTED) && a.map().comm().size() > 1;
          assertThat(SparseDevice.of(there).collectives().isPresent()).isEqualTo(together);
          SparseMatrix definite =
              new Easy(Grids.poisson3d(6)).matrix(a.map(), DType.F64, Format.CSR);
          for (Method method : Method.values()) {
            switch (method) {
              case CG, FCG, CG1 -> requireSame(method, definite, there, b);
              default -> requireSame(method, a, there, b);
            }
          }
        });
  }

  private static void requireSame(Method method, SparseMatrix a, IndexSpace there, TestVector b) {
    try (Jacobi jacobi = Jacobi.of(a)) {
      SolveOptions options = SolveOptions.standard().withMaxIterations(40);
      requireSame(method, a, there, Preconditioner.NONE, b, options.withRelaxation(0.1));
      requireSame(method, a, there, jacobi, b, options.withRule(StoppingRule.BACKWARD_ERROR));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void theSolutionIsThatOfTheIterationThatReachesTheTolerance(String name) {
    on(
        name,
        new Uneven(Grids.poisson3d(9)),
        DType.F64,
        (there, a, b) -> {
          Preconditioner none = Preconditioner.NONE;
          try (TestVector x = new TestVector(a.map(), DType.F64)) {
            for (Method method : List.of(Method.CG, Method.CG1, Method.RICHARDSON)) {
              SolveOptions options =
                  SolveOptions.standard().withTolerance(1e-12).withRelaxation(0.15);
              SolveResult whole =
                  method.solve(
                      a,
                      none,
                      b.array(),
                      x.fill(Scalar.ZERO).array(),
                      options.withMaxIterations(34));
              for (int k : new int[] {1, 16, 17, 33}) {
                if (k < whole.iterations() && falls(whole.history(), k)) {
                  double tolerance = whole.history()[k] * (1 + 1e-3);
                  SolveResult result =
                      requireSame(method, a, there, none, b, options.withTolerance(tolerance));
                  assertThat(result.iterations()).isEqualTo(k);
                }
                SolveResult limited =
                    requireSame(method, a, there, none, b, options.withMaxIterations(k));
                assertThat(limited.iterations()).isLessThanOrEqualTo(k);
              }
            }
          }
        });
  }

  /** A grid's equation without its symmetries, so that it takes many iterations. */
  private record Uneven(Problem grid) implements Problem {
    @Override
    public long size() {
      return grid.size();
    }

    @Override
    public double row(long row, Row entries) {
      return grid.row(row, entries) + Math.sin((double) row);
    }
  }

  /** Returns whether a residual is clearly less than all before. */
  private static boolean falls(double[] history, int k) {
    for (int i = 0; i < k; i++) {
      if (history[i] < 1.1 * history[k]) {
        return false;
      }
    }
    return true;
  }

  /** A grid's equation with one row turned around, so that p·Ap is negative once. */
  private record Indefinite(Problem grid) implements Problem {
    @Override
    public long size() {
      return grid.size();
    }

    @Override
    public double row(long row, Row entries) {
      entries.entry(row, row == size() / 2 ? -6.5 : 0);
      return grid.row(row, entries);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void methodsThatBreakDownStartAnewAsOnTheHost(String name) {
    on(
        name,
        new Indefinite(Grids.poisson3d(6)),
        DType.F64,
        (there, a, b) -> {
          Preconditioner none = Preconditioner.NONE;
          for (Method method : List.of(Method.CG, Method.FCG, Method.CG1)) {
            requireSame(method, a, there, none, b, SolveOptions.standard());
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void everyMethodCanBeCancelledByOneRank(String name) {
    on(
        name,
        Grids.poisson3d(6),
        DType.F64,
        (there, a, b) -> {
          try (TestVector right = TestVector.in(there, a.map(), DType.F64).copy(b);
              TestVector x = right.like()) {
            for (Method method : Method.values()) {
              Cancellation cancellation = new Cancellation();
              List<Integer> heard = new ArrayList<>();
              SolveOptions options =
                  SolveOptions.standard()
                      .withTolerance(0)
                      .withRelaxation(0.01)
                      .withMaxIterations(Integer.MAX_VALUE)
                      .withCancellation(cancellation)
                      .withMonitor(
                          (iteration, _) -> {
                            heard.add(iteration);
                            if (iteration == 3 && a.map().comm().rank() == 0) {
                              cancellation.cancel();
                            }
                          });
              SolveResult result =
                  method.solve(
                      a, Preconditioner.NONE, right.array(), x.fill(Scalar.ZERO).array(), options);
              assertThat(result.reason()).as("%s", method).isIn(ENDS);
              Integer[] all = new Integer[result.iterations() + 1];
              Arrays.setAll(all, i -> i);
              assertThat(heard).containsExactly(all);
            }
          }
        });
  }

  /** A method may come to its end before it hears that it should. */
  private static final List<SolveResult.Reason> ENDS =
      List.of(
          SolveResult.Reason.CANCELLED, SolveResult.Reason.STAGNATED, SolveResult.Reason.BREAKDOWN);

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "opencl", "cuda", "cuda-connected"})
  void longAndShortRowsAreMultiplied(String name) {
    on(
        name,
        RandomMatrix.of(700, 40, false, 5),
        DType.F64,
        (there, a, b) -> {
          for (Format format : List.of(Format.CSR, Format.SELL)) {
            a.copyTo(there, format);
            try (TestVector x = TestVector.in(there, a.map(), DType.F64).copy(b);
                TestVector y = x.like();
                TestVector hy = b.like()) {
              a.multiply(b.array(), hy.array());
              a.multiply(x.array(), y.array());
              requireClose(y, hy, 1e-13);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void matricesThatAreNotPositiveDefiniteAreFoundOut(String name) {
    on(
        name,
        new Problem() {
          @Override
          public long size() {
            return 40;
          }

          @Override
          public double row(long row, Row entries) {
            entries.entry(row, row % 2 == 0 ? 1 : -1);
            return 1;
          }
        },
        DType.F64,
        (there, a, b) -> {
          Preconditioner none = Preconditioner.NONE;
          for (Method method : List.of(Method.CG, Method.FCG, Method.CG1)) {
            SolveResult result = requireSame(method, a, there, none, b, SolveOptions.standard());
            assertThat(result.reason()).isEqualTo(SolveResult.Reason.BREAKDOWN);
          }
        });
  }
}
