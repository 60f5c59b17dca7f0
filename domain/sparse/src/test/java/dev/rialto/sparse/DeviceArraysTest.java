package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.tck.TestDevices;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Products and solvers with arrays on a device do what they do with the host's. */
@Tag("gpu")
class DeviceArraysTest {
  private static final int N = 12;

  private interface Body {
    void run(SparseMatrix a, IndexSpace there, IndexSpace here);
  }

  /** Runs with a matrix of a grid and the spaces of its vectors, on one and on three ranks. */
  private static void on(String name, Body body) {
    for (int ranks : new int[] {1, 3}) {
      List<Device> devices = TestDevices.get(name, ranks);
      List<ComputeDevice> opened = devices.stream().distinct().map(ComputeDevice::open).toList();
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              ComputeClient client = opened.get(comm.rank() % opened.size()).client();
              try (Team team = Team.on(comm)) {
                IndexSpace here = team.space(N, N);
                body.run(matrix(here), here.on(client), here);
              }
            });
      }
      for (ComputeDevice each : opened) {
        assertThat(each.client().memoryUsage().used()).isZero();
        each.close();
      }
    }
  }

  /** Returns the five-point matrix of a square. */
  private static SparseMatrix matrix(IndexSpace space) {
    MatrixBuilder rows = SparseMatrix.on(space, DType.F64);
    int rank = space.team().communicator().rank();
    for (long i = 0; i < N; i++) {
      for (long j = 0; j < N; j++) {
        long row = space.element(i, j);
        if (space.distribution().owner(row) == rank) {
          rows.add(row, row, 4.1);
          neighbour(rows, space, row, i - 1, j);
          neighbour(rows, space, row, i + 1, j);
          neighbour(rows, space, row, i, j - 1);
          neighbour(rows, space, row, i, j + 1);
        }
      }
    }
    return rows.assemble();
  }

  private static void neighbour(MatrixBuilder rows, IndexSpace space, long row, long i, long j) {
    if (i >= 0 && i < N && j >= 0 && j < N) {
      rows.add(row, space.element(i, j), -1);
    }
  }

  private static void requireClose(F64Array there, F64Array here, double most) {
    try (F64Array back = here.like()) {
      back.copy(there);
      back.axpy(-1, here);
      assertThat(back.norm()).isLessThanOrEqualTo(most * here.norm());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "opencl", "cuda", "cuda-connected"})
  void productsMatchTheHosts(String name) {
    on(
        name,
        (a, there, here) -> {
          for (int halo = 0; halo < 2; halo++) {
            try (F64Array x = there.halo(halo).f64();
                F64Array y = there.f64();
                F64Array hx = here.f64();
                F64Array hy = here.f64()) {
              hx.set((i, j) -> Math.sin(0.1 * i + j));
              hy.fill(1);
              x.copy(hx);
              y.copy(hy);
              a.apply(Op.NONE, Scalar.of(2), hx, Scalar.of(-3), hy);
              a.apply(Op.NONE, Scalar.of(2), x, Scalar.of(-3), y);
              requireClose(y, hy, 1e-14);
              a.multiply(hy, hx);
              a.multiply(y, x);
              requireClose(x, hx, 1e-14);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "opencl", "cuda", "cuda-connected"})
  void solversMatchTheHosts(String name) {
    on(
        name,
        (a, there, here) -> {
          try (F64Array b = there.f64();
              F64Array x = there.f64();
              F64Array hb = here.f64();
              F64Array hx = here.f64();
              F64Array zero = here.f64();
              Jacobi jacobi = Jacobi.of(a)) {
            hb.set((i, j) -> 1 + i - 0.5 * j);
            b.copy(hb);
            SolveOptions options = SolveOptions.standard();
            SolveResult wanted = Method.CG.solve(a, Preconditioner.NONE, hb, hx, options);
            for (Preconditioner m : List.of(Preconditioner.NONE, jacobi)) {
              for (Method method : List.of(Method.CG, Method.BICGSTAB, Method.GMRES)) {
                x.copy(zero);
                SolveResult result = method.solve(a, m, b, x, options);
                assertThat(result.converged()).as("%s: %s", method, result).isTrue();
                requireClose(x, hx, 1e-5);
              }
            }
            assertThat(wanted.converged()).isTrue();
          }
        });
  }

  @Test
  void arraysElsewhereAreRefusedByName() {
    on(
        "plain",
        (a, there, here) -> {
          try (F64Array x = there.f64();
              F64Array y = there.f64();
              F64Array hx = here.f64();
              F64Array hy = here.f64()) {
            refused(() -> a.multiply(x, hy), "copy one to where the other is");
            refused(() -> a.multiply(hx, y), "copy one to where the other is");
            DeviceMatrix copy = a.copyTo(there);
            assertThat(copy).isSameAs(a.copyTo(there));
            assertThatThrownBy(() -> copy.multiply(hx, hy))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("use the matrix itself");
            assertThatThrownBy(() -> a.copyTo(here))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("use the matrix itself");
            try (BlockJacobi m = BlockJacobi.of(a, new Factorization.Levels(0))) {
              assertThatThrownBy(() -> m.apply(Op.NONE, x, y))
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("use Jacobi");
            }
          }
        });
  }

  /** An operator of the user's, which works with the arrays of a device by their own kernels. */
  private record Shifted(SparseMatrix matrix, double shift) implements LinearOperator {
    @Override
    public IndexMap map() {
      return matrix.map();
    }

    @Override
    public DType type() {
      return matrix.type();
    }

    @Override
    public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
      matrix.apply(op, a, x, b, y);
      ((F64Array) y).axpy(a.re() * shift, (F64Array) x);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "opencl", "cuda"})
  void operatorsOfTheUsersWorkWithArraysOfADevice(String name) {
    on(
        name,
        (a, there, here) -> {
          Shifted shifted = new Shifted(a, 2);
          try (F64Array b = there.f64();
              F64Array x = there.f64();
              F64Array hb = here.f64();
              F64Array hx = here.f64()) {
            hb.set((i, j) -> 1 + i - 0.5 * j);
            b.copy(hb);
            SolveOptions options = SolveOptions.standard().withTolerance(1e-10);
            Method.CG.solve(shifted, Preconditioner.NONE, hb, hx, options);
            SolveResult result = Method.CG.solve(shifted, Preconditioner.NONE, b, x, options);
            assertThat(result.converged()).as("%s", result).isTrue();
            requireClose(x, hx, 1e-8);
          }
        });
  }

  @Test
  void operandsThatKernelsWouldTakeForOthersAreRefused() {
    on(
        "plain",
        (a, there, here) -> {
          IndexSpace small = here.team().space(2, 3).on(there.client());
          try (F64Array x = there.f64();
              F64Array y = there.f64();
              F64Array shorter = small.f64()) {
            refused(() -> a.multiply(x, shorter), "map().space()");
            refused(() -> a.multiply(shorter, y), "map().space()");
            refused(() -> a.multiply(x, x), "the same memory");
            Scalar i = new Scalar(0, 1);
            refused(() -> a.apply(Op.NONE, i, x, Scalar.ZERO, y), "is complex");
            refused(() -> a.apply(Op.NONE, Scalar.ONE, x, i, y), "is complex");
            try (Vectors v = Vectors.of(a.map(), x)) {
              refused(() -> v.axpby(i, x, Scalar.ONE, y), "is complex");
            }
            F64Array same = x.slice(0, 0, N);
            refused(() -> a.multiply(x, same), "the same memory");
          }
        });
  }

  private static void refused(ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aDeviceThatJavaIsNotCompiledForIsRefused() {
    Device plain = TestDevices.get("plain");
    KernelCompiler none =
        (KernelCompiler)
            Proxy.newProxyInstance(
                KernelCompiler.class.getClassLoader(),
                new Class<?>[] {KernelCompiler.class},
                (_, method, arguments) ->
                    method.getName().equals("languages")
                        ? Set.of()
                        : method.invoke(plain.compiler(), arguments));
    Device bare =
        (Device)
            Proxy.newProxyInstance(
                Device.class.getClassLoader(),
                new Class<?>[] {Device.class},
                (_, method, arguments) ->
                    method.getName().equals("compiler") ? none : method.invoke(plain, arguments));
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              IndexSpace there = team.space(N).on(Devices.of(bare));
              assertThatThrownBy(() -> SparseDevice.of(there))
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("for which Java is not compiled")
                  .hasMessageContaining("space().onHost()");
            }
          });
    }
  }

  @Test
  void aDeviceThatCannotBeMadeReadyKeepsNothing() {
    Device plain = TestDevices.get("plain");
    AtomicInteger open = new AtomicInteger();
    MemorySpace full =
        (MemorySpace)
            Proxy.newProxyInstance(
                MemorySpace.class.getClassLoader(),
                new Class<?>[] {MemorySpace.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("allocate")) {
                    throw new IllegalStateException("no staging memory");
                  }
                  return method.invoke(plain.staging(), arguments);
                });
    Device broken =
        (Device)
            Proxy.newProxyInstance(
                Device.class.getClassLoader(),
                new Class<?>[] {Device.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "staging" -> full;
                      case "openStream" -> {
                        open.incrementAndGet();
                        yield watched((Timeline) method.invoke(plain, arguments), open);
                      }
                      default -> method.invoke(plain, arguments);
                    });
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              IndexSpace there = team.space(N).on(Devices.of(broken));
              assertThatThrownBy(() -> SparseDevice.of(there)).hasMessage("no staging memory");
            }
          });
    }
    assertThat(open).as("the runtime's own, which stays").hasValue(1);
  }

  /** Returns a stream that counts when it is closed. */
  private static Timeline watched(Timeline stream, AtomicInteger open) {
    return (Timeline)
        Proxy.newProxyInstance(
            Timeline.class.getClassLoader(),
            new Class<?>[] {Timeline.class},
            (_, method, arguments) -> {
              if (method.getName().equals("close")) {
                open.decrementAndGet();
              }
              return method.invoke(stream, arguments);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "opencl", "cuda"})
  void transposedProductsMatchTheHosts(String name) {
    on(
        name,
        (square, there, here) -> {
          SparseMatrix a = lopsided(here);
          try (F64Array x = there.f64();
              F64Array y = there.f64();
              F64Array hx = here.f64();
              F64Array hy = here.f64()) {
            hx.set((i, j) -> Math.sin(0.1 * i + j));
            hy.fill(1);
            x.copy(hx);
            y.copy(hy);
            for (Op op : List.of(Op.TRANSPOSE, Op.ADJOINT, Op.NONE)) {
              a.apply(op, Scalar.of(2), hx, Scalar.of(-3), hy);
              a.apply(op, Scalar.of(2), x, Scalar.of(-3), y);
              requireClose(y, hy, 1e-14);
            }
            hy.fill(0);
            y.fill(0);
            SolveOptions options = SolveOptions.standard();
            SolveResult wanted = Method.BICG.solve(a, Preconditioner.NONE, hx, hy, options);
            SolveResult result = Method.BICG.solve(a, Preconditioner.NONE, x, y, options);
            assertThat(wanted.converged()).isTrue();
            assertThat(result.converged()).as("%s", result).isTrue();
            assertThat(result.iterations())
                .isBetween(wanted.iterations() - 1, wanted.iterations() + 1);
            requireClose(y, hy, 1e-5);
          }
        });
  }

  /** Returns a matrix that is not symmetric, with columns far away. */
  private static SparseMatrix lopsided(IndexSpace space) {
    MatrixBuilder rows = SparseMatrix.on(space, DType.F64);
    int rank = space.team().communicator().rank();
    long size = space.shape().count();
    for (long row = 0; row < size; row++) {
      if (space.distribution().owner(row) == rank) {
        rows.add(row, row, 5);
        for (long k = 0; k < 1 + row % 4; k++) {
          rows.add(row, (row * 7 + 31 * k + 1) % size, 0.3 + 0.1 * k);
        }
      }
    }
    return rows.assemble();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "opencl", "cuda"})
  void severalVectorsAreMultipliedAtOnce(String name) {
    on(
        name,
        (square, there, here) -> {
          IndexSpace wide = here.team().space(N, N, 3);
          for (SparseMatrix a : List.of(square, lopsided(here))) {
            try (F64Array x = wide.on(there.client()).f64();
                F64Array y = wide.on(there.client()).f64();
                F64Array hx = wide.f64();
                F64Array hy = wide.f64()) {
              hx.set((i, j, k) -> Math.sin(0.1 * i + j - 2 * k));
              hy.fill(1);
              x.copy(hx);
              y.copy(hy);
              for (Op op : List.of(Op.NONE, Op.TRANSPOSE)) {
                a.apply(op, Scalar.of(2), hx, Scalar.of(-3), hy);
                a.apply(op, Scalar.of(2), x, Scalar.of(-3), y);
                requireClose(y, hy, 1e-14);
              }
            }
          }
        });
  }

  @Test
  void aCopyTakesNothingFromAMatrixThatHasOtherValuesByNow() {
    on(
        "plain",
        (a, there, here) -> {
          try (DeviceMatrix matrix = a.copyTo(there);
              F64Array x = there.f64();
              F64Array y = there.f64()) {
            MatrixBuilder other = SparseMatrix.on(a.map(), DType.F64);
            for (int row = 0; row < a.map().owned(); row++) {
              other.add(a.map().global(row), a.map().global(row), 1);
            }
            other.assembleInto(a);
            matrix.multiply(x, y);
            assertThatThrownBy(() -> matrix.apply(Op.TRANSPOSE, Scalar.ONE, x, Scalar.ZERO, y))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("make another copy");
          }
        });
  }
}
