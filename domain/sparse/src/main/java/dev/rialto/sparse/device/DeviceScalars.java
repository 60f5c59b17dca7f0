package dev.rialto.sparse.device;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.runtime.Resource;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.device.DeviceNumbers.Operation;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.exec.Stream.Event;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a method on a device.
 *
 * <p>Every {@value #BATCH} iterations the host has residuals brought to it, and looks at those of
 * the {@value #BATCH} before, which are there by then: the device never waits for the host. With
 * several ranks sums meet on the devices, if these are connected, and else on the host, which waits
 * for them.
 */
public final class DeviceScalars implements Scalars {
  /** Iterations between looks: two batches are under way, and the device keeps as many norms. */
  private static final int BATCH = DeviceNumbers.KEPT / 2;

  /**
   * The end of numbers by their residual; ends by a condition on a number are counted from here.
   */
  private static final int STOPPED = 1;

  private static final int CONDITIONS = 4;

  /** The sums that meet on the host at once. */
  private static final int MEETING = 64;

  private final SparseKernels kernels;
  private final Communicator comm;
  private final Supplier<Optional<DeviceCollectives>> collectives;
  private final DeviceNumbers numbers;
  private final Resource met;
  private final View even;
  private final View odd;
  private int zero;
  private int scale;
  private int tolerance;
  private int norm;
  private int residual;

  /** The end of the numbers, as far as the host knows; 0 if they have not ended. */
  private int ended;

  private int limit;
  private int iterations;
  private int judged;

  /**
   * Makes numbers of a method.
   *
   * @param collectives what adds numbers of all ranks on their devices; empty if they cannot be
   *     connected
   */
  public DeviceScalars(
      SparseKernels kernels, Communicator comm, Supplier<Optional<DeviceCollectives>> collectives) {
    this.kernels = kernels;
    this.comm = comm;
    this.collectives = collectives;
    this.numbers = new DeviceNumbers(kernels);
    this.met = kernels.lendStaging(DeviceNumbers.bytes(MEETING));
    this.even = new View();
    this.odd = new View();
    restart();
  }

  /** The norms of some iterations on their way to the host. */
  private final class View {
    private final Resource memory = kernels.lendStaging(DeviceNumbers.bytes(DeviceNumbers.FREE));

    private @Nullable Event there;

    void request() {
      MemorySegment from = numbers.flush();
      long bytes = DeviceNumbers.bytes(DeviceNumbers.FREE);
      kernels.copyAsync(from, memory.segment(), bytes);
      there = kernels.stream().record();
    }

    private double get(int place) {
      return memory.segment().getAtIndex(JAVA_DOUBLE, place);
    }

    /** Judges the norms that were not there before, if any are under way; says if to stop. */
    boolean judge(Judge judge) {
      Event arrived = there;
      if (arrived == null) {
        return false;
      }
      there = null;
      arrived.await();
      judge.hear();
      ended = (int) get(DeviceNumbers.ENDED);
      boolean stop = false;
      for (; !stop && judged < get(DeviceNumbers.APPENDED); judged++) {
        stop = judge.stop(get(DeviceNumbers.HISTORY + judged % DeviceNumbers.KEPT));
      }
      return stop;
    }
  }

  @Override
  public void restart() {
    numbers.restart();
    zero = numbers.take(1);
    scale = numbers.take(1);
    tolerance = numbers.take(1);
    norm = numbers.take(1);
    residual = numbers.take(1);
    ended = 0;
    iterations = 0;
    judged = 0;
    even.there = null;
    odd.there = null;
  }

  @Override
  public Variable variable() {
    return numbers.number();
  }

  @Override
  public Products products(int count) {
    return numbers.products(count);
  }

  private static int place(Variable variable) {
    return ((DeviceNumbers.DeviceVariable) variable).place();
  }

  /** Wishes to stop are heard when the host looks at residuals or products. */
  @Override
  public boolean sum(Products products, int count, boolean wish) {
    DeviceNumbers.Parts parts = (DeviceNumbers.Parts) products;
    DeviceCollectives together = comm.size() == 1 ? null : collectives.get().orElse(null);
    if (together != null) {
      MemorySegment all = parts.from(0);
      together.allReduce(all, all, DType.F64, count, ReduceOp.SUM, kernels.stream());
    } else if (comm.size() > 1) {
      for (int done = 0; done < count; done += MEETING) {
        meetOnHost(parts.from(done), Math.min(MEETING, count - done));
      }
    }
    parts.accept(count);
    return false;
  }

  private void meetOnHost(MemorySegment parts, int count) {
    long bytes = DeviceNumbers.bytes(count);
    MemorySegment sums = met.segment();
    kernels.copyAsync(parts, sums, bytes);
    kernels.stream().await();
    comm.allReduce(sums, sums, DType.F64, count, ReduceOp.SUM);
    kernels.copyAsync(sums, parts, bytes);
  }

  @Override
  public Scalar[] values(Products products, int count, Judge judge) {
    judge.hear();
    Scalar[] values = new Scalar[count];
    Arrays.setAll(values, i -> products.get(i).value());
    return values;
  }

  @Override
  public boolean ends(Condition condition, Variable variable) {
    int place = place(variable);
    int how = STOPPED + 1 + CONDITIONS * place;
    return switch (condition) {
      case ZERO -> ends(how, Operation.END_IF_EQUAL, place);
      case NEGATIVE -> ends(how + 1, Operation.END_IF_LESS, place);
      case NOT_POSITIVE -> ends(how + 2, Operation.END_IF_AT_MOST, place);
      case UNUSABLE ->
          ends(how + 3, Operation.END_IF_EQUAL, place)
              || ends(how + 3, Operation.END_UNLESS_FINITE, place);
    };
  }

  /** Compares a number with 0; returns whether it is known that this is how all ended. */
  private boolean ends(int how, Operation comparison, int place) {
    if (ended == 0) {
      numbers.add(comparison, how, place, zero);
    }
    return ended == how && leave();
  }

  /** Lets numbers and vectors change again, after what ended them; returns true. */
  private boolean leave() {
    numbers.dropSteps();
    numbers.write(DeviceNumbers.ENDED, 0);
    ended = 0;
    return true;
  }

  /** Waits for all numbers. */
  private void look() {
    numbers.look();
    ended = (int) numbers.get(DeviceNumbers.ENDED);
  }

  @Override
  public boolean endIteration(Variable square, Judge judge) {
    if (ended > STOPPED) {
      // A condition ended it, and that is where it is left.
      return false;
    }
    if (judge.judgesSolution()) {
      look();
      judge.hear();
      return ended == 0 && judge.stop(Math.sqrt(square.re()));
    }
    if (iterations == 0) {
      numbers.write(scale, judge.scale());
      numbers.write(tolerance, judge.tolerance());
      limit = judge.left();
    }
    numbers.add(Operation.ROOT, norm, place(square), place(square));
    numbers.add(Operation.APPEND, norm, norm, norm);
    numbers.add(Operation.DIVIDE, residual, norm, scale);
    numbers.add(Operation.END_IF_AT_MOST, STOPPED, residual, tolerance);
    numbers.add(Operation.END_UNLESS_FINITE, STOPPED, residual, residual);
    iterations++;
    boolean last = iterations >= limit;
    return (last || iterations % BATCH == 0) && judgeSome(last, judge);
  }

  /** Asks for the norms of this batch and judges those before, or all if they are the last. */
  private boolean judgeSome(boolean last, Judge judge) {
    boolean isEven = (iterations - 1) / BATCH % 2 == 0;
    View now = isEven ? even : odd;
    now.request();
    boolean stop = (isEven ? odd : even).judge(judge);
    if (!stop && last) {
      stop = now.judge(judge);
    }
    if (stop && ended == 0) {
      // The judge has a reason of its own; what is under way may come to an end of its own, too.
      look();
    }
    return stop && ended <= STOPPED && leave();
  }

  @Override
  public void close() {
    try {
      kernels.stream().await();
    } finally {
      numbers.close();
      met.close();
      even.memory.close();
      odd.memory.close();
    }
  }
}
