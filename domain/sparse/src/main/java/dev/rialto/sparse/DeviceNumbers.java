package dev.rialto.sparse;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.runtime.Resource;
import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.device.SparseKernels.Operation;
import dev.rialto.spi.device.SparseKernels.Step;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers in one piece of a device's memory, and steps that compute with them.
 *
 * <p>Steps are kept until a vector needs a number, or a sum its place; one launch then takes them
 * all.
 */
final class DeviceNumbers implements AutoCloseable {
  private final SparseDevice home;
  private final SparseKernels kernels;
  private final List<Step> steps = new ArrayList<>();
  private Resource memory;

  /** What the host has seen of the numbers. */
  private Resource seen;

  private boolean fresh;
  private int capacity = 128;
  private int used;

  DeviceNumbers(SparseDevice home) {
    this.home = home;
    this.kernels = home.kernels();
    this.memory = home.lend(bytes(capacity));
    this.seen = home.lendStaging(bytes(capacity));
    restart();
  }

  static long bytes(int count) {
    return (long) count * Double.BYTES;
  }

  /** Sets all numbers to 0 and takes places back. */
  void restart() {
    steps.clear();
    fresh = false;
    kernels.fill(DType.F64, capacity, 0, memory.segment(), home.stream());
    used = SparseKernels.FREE;
  }

  /** Returns the first of some places that are free. */
  int take(int count) {
    int first = used;
    used += count;
    if (used > capacity) {
      flush();
      capacity = Math.max(used, 2 * capacity);
      Resource longer = home.lend(bytes(capacity));
      kernels.fill(DType.F64, capacity, 0, longer.segment(), home.stream());
      home.copy(memory.segment(), longer.segment(), bytes(first));
      memory.close();
      memory = longer;
      seen.close();
      seen = home.lendStaging(bytes(capacity));
      fresh = false;
    }
    return first;
  }

  /** Adds a step to those that are kept. */
  void add(Operation operation, int to, int left, int right) {
    steps.add(new Step(operation, to, left, right));
  }

  /** Drops the steps that are kept. */
  void dropSteps() {
    steps.clear();
  }

  /** Adds all steps so far to the stream and returns where the numbers are. */
  MemorySegment flush() {
    if (!steps.isEmpty()) {
      kernels.compute(memory.segment(), steps, home.stream());
      steps.clear();
    }
    fresh = false;
    return memory.segment();
  }

  /** Returns a place for what is added to the stream next. */
  MemorySegment at(int place) {
    return MemorySegment.ofAddress(flush().address() + bytes(place));
  }

  void write(int place, double value) {
    kernels.fill(DType.F64, 1, value, at(place), home.stream());
  }

  /** Waits for all numbers, unless they are there. */
  void look() {
    if (fresh && steps.isEmpty()) {
      return;
    }
    home.device().transfer().copyAsync(flush(), seen.segment(), bytes(used), home.stream());
    home.stream().await();
    fresh = true;
  }

  /** Returns a number as it was at the last look. */
  double get(int place) {
    return seen.segment().getAtIndex(JAVA_DOUBLE, place);
  }

  DeviceVariable number() {
    return new DeviceVariable(take(1));
  }

  Parts parts(int count) {
    int first = take(count);
    DeviceVariable[] results = new DeviceVariable[count];
    Arrays.setAll(results, i -> number());
    return new Parts(first, results);
  }

  /** A number, by its place. */
  final class DeviceVariable implements Variable {
    private final int place;

    private DeviceVariable(int place) {
      this.place = place;
    }

    int place() {
      return place;
    }

    /** Returns it as a factor for what is added to the stream next. */
    SparseKernels.Factor times(double value) {
      return new SparseKernels.Factor(value, at(place));
    }

    /** Returns all the numbers that it is one of. */
    MemorySegment all() {
      return memory.segment();
    }

    private Variable compute(Operation operation, Variable a, Variable b) {
      add(operation, place, ((DeviceVariable) a).place, ((DeviceVariable) b).place);
      return this;
    }

    @Override
    public Variable set(Factor value) {
      if (value instanceof DeviceVariable other) {
        return compute(Operation.COPY, other, other);
      }
      write(place, value.re());
      return this;
    }

    @Override
    public Variable quotient(Variable a, Variable b) {
      return compute(Operation.DIVIDE, a, b);
    }

    @Override
    public Variable product(Variable a, Variable b) {
      return compute(Operation.MULTIPLY, a, b);
    }

    @Override
    public Variable difference(Variable a, Variable b) {
      return compute(Operation.SUBTRACT, a, b);
    }

    @Override
    public Variable root(Variable a) {
      return compute(Operation.ROOT, a, a);
    }

    @Override
    public Factor negated() {
      return new Negated(this);
    }

    @Override
    public Scalar value() {
      look();
      return Scalar.of(get(place));
    }

    @Override
    public double im() {
      return 0;
    }

    @Override
    public String toString() {
      return value().toString();
    }
  }

  /** A number with the sign turned. */
  record Negated(DeviceVariable number) implements Factor {
    @Override
    public double re() {
      return -number.re();
    }

    @Override
    public double im() {
      return 0;
    }
  }

  /** Products whose parts kernels leave at places of their own, one after the other. */
  final class Parts implements Products {
    private final int first;
    private final DeviceVariable[] results;

    private Parts(int first, DeviceVariable[] results) {
      this.first = first;
      this.results = results;
    }

    /** Returns where a part goes; what reads the part before is under way then. */
    MemorySegment place(int sum) {
      return at(first + sum);
    }

    /** Takes the first parts, which are sums over all ranks by now, as results. */
    void accept(int count) {
      for (int i = 0; i < count; i++) {
        DeviceNumbers.this.add(Operation.COPY, results[i].place, first + i, first + i);
      }
    }

    @Override
    public void add(int sum, double re, double im) {
      write(first + sum, re);
    }

    @Override
    public Variable get(int product) {
      return results[product];
    }
  }

  @Override
  public void close() {
    memory.close();
    seen.close();
  }
}
