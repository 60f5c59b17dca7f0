package dev.rialto.sparse.device;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.device.SparseKernels.Region;
import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers in one piece of a device's memory, and steps that compute with them.
 *
 * <p>Steps are kept until a vector needs a number; one launch then takes them all, and first of all
 * adds up what the blocks of kernels have left for sums. Once a step has ended the numbers, none
 * changes any more, nor a vector that is updated by one.
 */
public final class DeviceNumbers implements AutoCloseable {
  /** Which number says how numbers ended; 0 while they have not. */
  static final int ENDED = 0;

  static final int APPENDED = 1;

  /** The first of the {@link #KEPT} numbers that were appended last, in turns. */
  static final int HISTORY = 2;

  /** The length of the history: the numbers appended last. */
  static final int KEPT = 32;

  /** The place of a sum that the host waits for. */
  static final int ANSWER = HISTORY + KEPT;

  static final int FREE = ANSWER + 1;

  /** Sums whose parts there is room for. */
  private static final int SUMS = 4;

  /** Lists of steps that the device keeps. */
  private static final int LISTS = 64;

  static final int LAST_SUM = 1;

  /** A step with the numbers {@code left} and {@code right}; kernels know them by their order. */
  enum Operation {
    /** Sets {@code to} to the sum of {@code right} numbers from {@code left} on. */
    SUM,
    /** Sets {@code to} to the largest of those numbers. */
    LARGEST,
    /** Sets {@code to} to left. */
    COPY,
    /** Sets {@code to} to left - right. */
    SUBTRACT,
    /** Sets {@code to} to left × right. */
    MULTIPLY,
    /** Sets {@code to} to left / right. */
    DIVIDE,
    /** Sets {@code to} to the square root of left. */
    ROOT,
    /** Appends left to the history. */
    APPEND,
    /** Ends with {@code to} if left is right. */
    END_IF_EQUAL,
    /** Ends with {@code to} if left is less than right. */
    END_IF_LESS,
    /** Ends with {@code to} if left is at most right. */
    END_IF_AT_MOST,
    /** Ends with {@code to} unless left is finite. */
    END_UNLESS_FINITE
  }

  private final SparseKernels kernels;
  private final List<Long> steps = new ArrayList<>();
  private final Map<List<Long>, Buffer> lists = new HashMap<>();
  private Resource memory;

  private Resource seen;

  private boolean fresh;
  private int capacity = 128;
  private int used;

  /** Sums under way, and whether there are other steps behind them. */
  private int sums;

  private boolean mixed;

  DeviceNumbers(SparseKernels kernels) {
    this.kernels = kernels;
    this.memory = kernels.lend(bytes(capacity + SUMS * SparseKernels.MOST_BLOCKS));
    Resource staging = null;
    try {
      staging = kernels.lendStaging(bytes(capacity));
      this.seen = staging;
      restart();
    } catch (RuntimeException | Error e) {
      memory.close();
      if (staging != null) {
        staging.close();
      }
      throw e;
    }
  }

  static long bytes(int count) {
    return (long) count * Double.BYTES;
  }

  /** Sets all numbers to 0 and takes places back. */
  void restart() {
    dropSteps();
    fresh = false;
    fill(0, capacity, 0);
    used = FREE;
  }

  private void fill(int first, int count, double value) {
    long address = memory.segment().address() + bytes(first);
    Region region = Region.of(address, DType.F64, count);
    kernels.launch(DType.F64, List.of("fill"), VectorBodies::fill, count, region, value);
  }

  /** Returns the first of some places that are free. */
  int take(int count) {
    int first = used;
    used += count;
    if (used > capacity) {
      flush();
      Resource before = memory;
      capacity = Math.max(used, 2 * capacity);
      if ((capacity + SUMS * SparseKernels.MOST_BLOCKS) >> VectorBodies.STEP_BITS != 0) {
        throw new UnsupportedOperationException(
            capacity + " numbers of a method on a device; solve on the host");
      }
      memory = kernels.lend(bytes(capacity + SUMS * SparseKernels.MOST_BLOCKS));
      fill(0, capacity, 0);
      kernels.copyAsync(before.segment(), memory.segment(), bytes(first));
      kernels.stream().await();
      before.close();
      seen.close();
      seen = kernels.lendStaging(bytes(capacity));
      fresh = false;
    }
    return first;
  }

  /** Returns all numbers, and the parts of sums, for a launch. */
  Region all() {
    int count = capacity + SUMS * SparseKernels.MOST_BLOCKS;
    return Region.of(memory.segment().address(), DType.F64, count);
  }

  /** Returns the first of the places where the blocks of the next launch leave their parts. */
  int parts() {
    if (sums == SUMS || mixed) {
      flush();
    }
    int first = capacity + sums * SparseKernels.MOST_BLOCKS;
    sums++;
    return first;
  }

  /** Adds up parts that a launch has left. */
  void sum(Operation operation, int to, int parts, int blocks) {
    append(operation, to, parts, blocks);
  }

  /** Adds a step to those that are kept. */
  void add(Operation operation, int to, int left, int right) {
    mixed = true;
    append(operation, to, left, right);
  }

  @SuppressWarnings("EnumOrdinal") // Read by the kernel of the same JVM.
  private void append(Operation operation, int to, int left, int right) {
    fresh = false;
    long places =
        ((long) right << (2 * VectorBodies.STEP_BITS)) | ((long) left << VectorBodies.STEP_BITS);
    steps.add(((long) operation.ordinal() << (3 * VectorBodies.STEP_BITS)) | places | to);
    if (steps.size() == VectorBodies.STEPS) {
      flush();
    }
  }

  void dropSteps() {
    steps.clear();
    sums = 0;
    mixed = false;
  }

  /** Adds all steps so far to the stream and returns where the numbers are. */
  MemorySegment flush() {
    if (!steps.isEmpty()) {
      if (lists.size() == LISTS) {
        closeLists();
      }
      Buffer list = lists.computeIfAbsent(List.copyOf(steps), this::create);
      kernels.launch(
          DType.F64, List.of("compute"), VectorBodies::compute, SparseKernels.BLOCK, all(), list);
      dropSteps();
    }
    fresh = false;
    return memory.segment();
  }

  private Buffer create(List<Long> list) {
    long[] words = list.stream().mapToLong(Long::longValue).toArray();
    return kernels.client().create(MemorySegment.ofArray(words));
  }

  private void closeLists() {
    lists.values().forEach(Buffer::close);
    lists.clear();
  }

  /** Returns where a number is, for what is added to the stream next. */
  MemorySegment at(int place) {
    return MemorySegment.ofAddress(flush().address() + bytes(place));
  }

  void write(int place, double value) {
    flush();
    fill(place, 1, value);
  }

  /** Waits for all numbers, unless they are there. */
  void look() {
    if (fresh && steps.isEmpty()) {
      return;
    }
    kernels.copyAsync(flush(), seen.segment(), bytes(used));
    kernels.stream().await();
    fresh = true;
  }

  /** Returns a number as it was at the last look. */
  double get(int place) {
    return seen.segment().getAtIndex(JAVA_DOUBLE, place);
  }

  DeviceVariable number() {
    return new DeviceVariable(take(1));
  }

  Parts products(int count) {
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

    DeviceNumbers numbers() {
      return DeviceNumbers.this;
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
  public final class Parts implements Products {
    private final int first;
    private final DeviceVariable[] results;

    private Parts(int first, DeviceVariable[] results) {
      this.first = first;
      this.results = results;
    }

    DeviceNumbers numbers() {
      return DeviceNumbers.this;
    }

    int place(int sum) {
      return first + sum;
    }

    /** Returns where the first parts are, one after the other, all that is under way included. */
    MemorySegment from(int sum) {
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
    closeLists();
  }
}
