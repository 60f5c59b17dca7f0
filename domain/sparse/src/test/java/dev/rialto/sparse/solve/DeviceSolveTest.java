package dev.rialto.sparse.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseDevice;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.problem.Problem;
import dev.rialto.sparse.problem.RandomMatrix;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.TestDevices;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Products and solvers on a device do what they do on the host; what is not here is skipped. */
@Tag("gpu")
class DeviceSolveTest {
  private interface Body {
    void run(SparseDevice home, SparseMatrix a, MultiVector b);
  }

  /** Runs on a device with a problem, on one and on three ranks. */
  private static void on(String name, Problem problem, DType type, Body body) {
    for (int ranks : new int[] {1, 3}) {
      List<Device> devices = TestDevices.get(name, ranks);
      Device device = devices.getFirst();
      long before = device.memory().used();
      Ranks.run(
          ranks,
          exchanger -> {
            IndexMap rows = IndexMap.even(exchanger, problem.size()).assemble();
            SparseMatrix a = problem.matrix(rows, type, Format.CSR);
            try (MultiVector b = problem.rightHandSide(a.map(), type);
                SparseDevice home =
                    SparseDevice.on(devices.get(rows.comm().rank()), exchanger.communicator())) {
              body.run(home, a, b);
            }
          });
      assertThat(device.memory().used()).isEqualTo(before);
    }
  }

  private static void requireClose(MultiVector there, MultiVector here, double most) {
    try (MultiVector back = here.like().copy(there)) {
      back.axpby(Scalar.of(-1), here, Scalar.ONE);
      assertThat(back.norm2()).isLessThanOrEqualTo(most * here.norm2());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void productsOfEveryFormatMatchTheHosts(String name) {
    for (DType type : List.of(DType.F64, DType.F32)) {
      on(
          name,
          Grids.poisson3d(9),
          type,
          (home, a, b) -> {
            for (Format format : List.of(Format.CSR, Format.SELL)) {
              try (DeviceMatrix there = home.matrix(a, format);
                  MultiVector x = there.vector();
                  MultiVector y = there.vector();
                  MultiVector hx = new MultiVector(a.map(), type);
                  MultiVector hy = hx.like()) {
                hx.setAll(i -> Math.sin(0.1 * i));
                x.copy(hx);
                hy.fill(Scalar.ONE);
                y.copy(hy);
                a.apply(Op.NONE, Scalar.of(2), hx, Scalar.of(-3), hy);
                there.apply(Op.NONE, Scalar.of(2), x, Scalar.of(-3), y);
                requireClose(y, hy, type == DType.F64 ? 1e-14 : 1e-6);
                assertThat(x.norm1()).isCloseTo(hx.norm1(), within(1e-6 * hx.norm1()));
                assertThat(x.normInf()).isCloseTo(hx.normInf(), within(1e-6));
              }
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void conjugateGradientsTakeAsManyIterationsAsOnTheHost(String name) {
    on(
        name,
        Grids.poisson3d(12),
        DType.F64,
        (home, a, b) -> {
          try (DeviceMatrix there = home.matrix(a);
              MultiVector right = home.vector(b);
              MultiVector x = there.vector();
              MultiVector wanted = new MultiVector(a.map(), DType.F64)) {
            boolean together = name.endsWith(TestDevices.CONNECTED) && a.map().comm().size() > 1;
            assertThat(home.collectives().isPresent()).isEqualTo(together);
            SolveOptions options = SolveOptions.standard();
            SolveResult here = Method.CG1.solve(a, Preconditioner.NONE, b, wanted, options);
            SolveResult result = Method.CG.solve(there, Preconditioner.NONE, right, x, options);
            assertThat(result.converged()).as("%s", result).isTrue();
            assertThat(result.iterations()).isEqualTo(here.iterations());
            assertThat(result.history()).hasSameSizeAs(here.history());
            assertThat(result.residual()).isCloseTo(here.residual(), within(1e-9));
            assertThat(result.trueResidual()).isLessThan(1.1e-6);
            requireClose(x, wanted, 1e-7);
            SolveResult again =
                Method.CG.solve(
                    there,
                    Preconditioner.NONE,
                    right,
                    x.fill(Scalar.ZERO),
                    options.withMaxIterations(17));
            assertThat(again.reason()).isEqualTo(SolveResult.Reason.ITERATION_LIMIT);
            assertThat(again.iterations()).isEqualTo(17);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void otherSolversRunThereToo(String name) {
    on(
        name,
        Grids.convectionDiffusion3d(8),
        DType.F64,
        (home, a, b) -> {
          try (DeviceMatrix there = home.matrix(a);
              MultiVector right = home.vector(b);
              Jacobi hostScaling = Jacobi.of(a);
              Jacobi scaling = hostScaling.on(home)) {
            for (Method method : List.of(Method.BICGSTAB, Method.GMRES, Method.GCR)) {
              try (MultiVector x = there.vector()) {
                SolveResult result =
                    method.solve(there, scaling, right, x, SolveOptions.standard());
                assertThat(result.converged()).as("%s: %s", method, result).isTrue();
                assertThat(result.trueResidual()).isLessThan(1.1e-6);
              }
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void longAndShortRowsAreMultiplied(String name) {
    on(
        name,
        RandomMatrix.of(700, 40, false, 5),
        DType.F64,
        (home, a, b) -> {
          for (Format format : List.of(Format.CSR, Format.SELL)) {
            try (DeviceMatrix there = home.matrix(a, format);
                MultiVector y = there.vector();
                MultiVector x = home.vector(b);
                MultiVector full = there.vector().copy(x);
                MultiVector hx = new MultiVector(a.map(), DType.F64).copy(b);
                MultiVector hy = hx.like()) {
              a.apply(hx, hy);
              there.apply(full, y);
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
        (home, a, b) -> {
          try (DeviceMatrix there = home.matrix(a);
              MultiVector right = home.vector(b);
              MultiVector x = there.vector()) {
            SolveResult result =
                Method.CG.solve(there, Preconditioner.NONE, right, x, SolveOptions.standard());
            assertThat(result.reason()).isEqualTo(SolveResult.Reason.BREAKDOWN);
            assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> x.get(0))
                .withMessageContaining("copy it to the host first");
          }
        });
  }
}
