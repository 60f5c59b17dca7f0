package dev.rialto.sparse.solve;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.MultiVector;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Event;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Conjugate gradients with one reduction per iteration, on a device.
 *
 * <p>An iteration is a product that sums up r·r and r·Ar as it goes, a few numbers, and one pass
 * that updates p, s, x and r. All of that stays on the device: the host adds iterations {@value
 * #BATCH} at a time and looks at the residuals of those before while the device works on these. It
 * learns late that the limit was reached, and by then the steps beyond it have changed nothing. So
 * how often it looks has no influence on results. With several ranks the two sums meet on the
 * devices, if these are connected, and else on the host, once per iteration.
 */
final class ResidentConjugateGradients {
  private static final int BATCH = 16;

  /** Residuals are kept on the device until they are looked at; longer runs are not for this. */
  private static final int MOST = 1 << 24;

  private final Run run;
  private final DeviceMatrix a;
  private final Device device;
  private final SparseKernels kernels;
  private final Stream stream;
  private final @Nullable DeviceCollectives collectives;
  private final MultiVector w;
  private final MultiVector p;
  private final MultiVector s;

  private ResidentConjugateGradients(Run run, DeviceMatrix a) {
    this.run = run;
    this.a = a;
    this.device = a.home().device();
    this.kernels = a.home().kernels();
    this.stream = a.home().stream();
    this.collectives = a.home().collectives().orElse(null);
    this.w = run.vector();
    this.p = run.vector();
    this.s = run.vector();
  }

  /** Runs it if this is for the system; returns whether it is. */
  static boolean run(Run run) {
    boolean fits =
        run.a instanceof DeviceMatrix
            && !run.preconditioned()
            && !run.judgesSolution()
            && !run.exact()
            && run.options.maxIterations() <= MOST;
    if (fits) {
      new ResidentConjugateGradients(run, (DeviceMatrix) run.a).iterate();
    }
    return fits;
  }

  /** What the host sees of a batch, and when. */
  private static final class View implements AutoCloseable {
    final Allocation memory;
    @Nullable Event there;

    View(Allocation memory) {
      this.memory = memory;
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  private void iterate() {
    int limit = run.left();
    long numbers = SparseKernels.STATE + limit + 1L;
    // A little less, so that what the device calls reached is so for the host, which divides.
    double goal = run.goal() * (1 - 1e-12);
    try (Allocation state = device.memory().allocate(numbers * Double.BYTES);
        Allocation sums = device.memory().allocate(2 * Double.BYTES);
        Allocation met = device.staging().allocate(2 * Double.BYTES);
        View even = view();
        View odd = view()) {
      int added = 0;
      boolean stopped = false;
      for (int batch = 0; !stopped; batch++) {
        int first = added;
        for (; added <= limit && added < first + BATCH; added++) {
          a.applyDots(run.r, w, sums.segment());
          meet(sums.segment(), met.segment());
          kernels.coefficients(sums.segment(), state.segment(), goal * goal, stream);
          if (added < limit) {
            step(state.segment());
          }
        }
        look(state.segment(), first, added - first, batch % 2 == 0 ? even : odd);
        if (batch > 0) {
          int before = (batch - 1) * BATCH;
          stopped = judge(before, Math.min(BATCH, limit + 1 - before), batch % 2 == 0 ? odd : even);
        }
        if (!stopped && added > limit) {
          stopped = judge(first, added - first, batch % 2 == 0 ? even : odd);
        }
      }
      stream.await();
    }
  }

  private View view() {
    long bytes = (SparseKernels.STATE + BATCH) * (long) Double.BYTES;
    return new View(device.staging().allocate(bytes));
  }

  private void step(MemorySegment state) {
    kernels.step(
        a.type(),
        a.map().owned(),
        state,
        w.memory(),
        p.memory(),
        s.memory(),
        run.x.memory(),
        run.r.memory(),
        stream);
  }

  /** Adds the sums of all ranks. */
  private void meet(MemorySegment sums, MemorySegment met) {
    if (a.map().comm().size() == 1) {
      return;
    }
    DeviceCollectives together = collectives;
    if (together != null) {
      together.allReduce(sums, sums, DType.F64, 2, ReduceOp.SUM, stream);
      return;
    }
    device.transfer().copyAsync(sums, met, 2 * Double.BYTES, stream);
    stream.await();
    a.map().comm().allReduce(met, met, DType.F64, 2, ReduceOp.SUM);
    device.transfer().copyAsync(met, sums, 2 * Double.BYTES, stream);
  }

  /** Has the state and the residuals of a batch brought to the host. */
  private void look(MemorySegment state, int first, int count, View view) {
    MemorySegment seen = view.memory.segment();
    long head = SparseKernels.STATE * (long) Double.BYTES;
    device.transfer().copyAsync(state, seen, head, stream);
    MemorySegment history =
        MemorySegment.ofAddress(state.address() + head + first * (long) Double.BYTES);
    device.transfer().copyAsync(history, seen.asSlice(head), count * (long) Double.BYTES, stream);
    view.there = stream.record();
  }

  /** Takes the residuals of a batch when they are there; returns whether to stop. */
  private boolean judge(int first, int count, View view) {
    Objects.requireNonNull(view.there).await();
    MemorySegment seen = view.memory.segment();
    // A wish to cancel must be heard on all ranks.
    run.sum(new double[0]);
    int done = (int) seen.getAtIndex(JAVA_DOUBLE, SparseKernels.STATE_ITERATIONS);
    double ended = seen.getAtIndex(JAVA_DOUBLE, SparseKernels.STATE_ENDED);
    int known = done + (ended == 0 ? 0 : 1);
    // The residual of the initial guess was judged before.
    for (int i = Math.max(first, 1); i < Math.min(known, first + count); i++) {
      double square = seen.getAtIndex(JAVA_DOUBLE, SparseKernels.STATE + i - first);
      if (run.stop(Math.sqrt(square))) {
        return true;
      }
    }
    if (ended == 2) {
      double delta = seen.getAtIndex(JAVA_DOUBLE, 6);
      return run.breakdown(
          "p·Ap is "
              + delta
              + " after iteration "
              + done
              + ": the matrix is not positive definite");
    }
    // Rounding may put the limit of the device before that of the host.
    return ended == 1 && run.converged();
  }
}
