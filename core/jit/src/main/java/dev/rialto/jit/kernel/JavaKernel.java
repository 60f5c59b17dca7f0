package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.host.CheckedRun;
import dev.rialto.jit.kernel.host.PrintedLines;
import dev.rialto.jit.kernel.launch.ArrayArguments;
import dev.rialto.jit.kernel.launch.Blocks;
import dev.rialto.jit.kernel.launch.GuardedLaunches;
import dev.rialto.jit.kernel.launch.KernelArguments;
import dev.rialto.jit.kernel.launch.KernelForms;
import dev.rialto.jit.kernel.launch.LoadedForms;
import dev.rialto.jit.lift.BlockQuotient;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.Launch;
import dev.rialto.runtime.Operation;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A Java method compiled for a device. Thread-safe; made by {@link JavaKernels}. */
@Operation.EntryPoint
public final class JavaKernel implements AutoCloseable {
  private final ComputeClient client;
  private final Shape block;
  private final KernelForms.Form form;
  private final Lifted lifted;
  private final boolean onDevice;
  private final KernelArguments expected;

  private final LoadedForms loaded;
  private volatile boolean closed;

  /** The arrays from outside that the code reads. */
  private final List<Buffer> tables;

  /** The form that checks launches item by item; null if they are not checked. */
  private final @Nullable Lifted checked;

  /** Tells which indices launches check; null if they check none. */
  private final @Nullable GuardedLaunches guards;

  JavaKernel(
      ComputeClient client,
      Shape block,
      CodeTarget target,
      KernelForms.Form form,
      List<Object> captured,
      @Nullable Lifted checked,
      @Nullable GuardedLaunches guards) {
    this.client = client;
    this.guards = guards;
    this.checked = checked;
    this.block = block;
    this.form = form;
    this.onDevice = !target.devices().isEmpty();
    this.lifted = form.lifted();
    this.expected = new KernelArguments(lifted, block, captured);
    this.tables = lifted.tables().stream().map(client::create).toList();
    this.loaded = new LoadedForms(client, target, form, guards);
  }

  /**
   * Returns the arrays that functions use and each launch passes a buffer for, in order; see {@link
   * JavaKernels#withBindings}.
   */
  public List<Object> arrays() {
    return lifted.outside();
  }

  /**
   * Returns the places of the numbers that each launch passes, in order, among what their function
   * captures.
   */
  public List<Integer> numbers() {
    return List.copyOf(lifted.numbers().keySet());
  }

  /**
   * Returns whether arrays of Java's from outside, which the method captures or finds in final
   * fields, still have the elements that this kernel was made with.
   */
  public boolean isCurrent() {
    return form.options().copies().areCurrent();
  }

  /** Returns the text that was compiled; empty if the target takes none. */
  public String source() {
    return form.unit().source();
  }

  /**
   * Launches the kernel over items and returns at once.
   *
   * @param items how many, from 0
   * @param arguments for each array a {@link KernelMemory}, such as an array of a team, of which
   *     the kernel gets what this rank owns, a {@link Buffer} or a {@link Tensor}, and for each
   *     number a {@link Number}, {@link Boolean} or {@link Character}, in order. An array of Java's
   *     is copied to the device, and back if the kernel writes it. With these, and with arrays of
   *     the host, the launch returns when it is over
   * @throws IllegalArgumentException if the arguments are not what the method takes, or a buffer
   *     that it writes overlaps another
   */
  public void launch(long items, Object... arguments) {
    launch(line(items), arguments);
  }

  /**
   * Launches the kernel over items along as many axes as its blocks have, and returns at once.
   *
   * @throws IllegalArgumentException as above, or if there are more or fewer axes
   */
  public void launch(Shape items, Object... arguments) {
    launch(items, null, arguments);
  }

  /**
   * Launches the kernel over as many items as a buffer says when the launch begins, and returns at
   * once; the host does not wait for the number.
   *
   * @param count one I64
   * @param most no more items than this run, whatever the buffer says
   * @throws IllegalArgumentException as above, or if blocks have several axes or must be whole ones
   */
  public void launch(Buffer count, long most, Object... arguments) {
    requireCounted(count);
    launch(line(most), count, arguments);
  }

  private void launch(Shape items, @Nullable Buffer count, Object... arguments) {
    expected.requireTypes(arguments);
    try (ArrayArguments arrays = new ArrayArguments(client, this::byAxes, arguments);
        Prepared prepared = prepare(items, count, arrays.passed())) {
      prepared.run();
      arrays.finish(this::writes);
    }
  }

  /** Returns whether blocks are whole ones in a launch over items, where they have to be. */
  boolean takes(Shape items) {
    for (int axis = 0; lifted.wholeBlocks() && axis < items.rank(); axis++) {
      if (items.extent(axis) % block.extent(axis) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns what an argument is. */
  Argument argument(int place) {
    return lifted.arguments().get(place);
  }

  /** Returns whether the kernel uses an argument with an index for each of its axes. */
  private boolean byAxes(int argument) {
    return lifted.tensors().containsKey(argument);
  }

  boolean writes(int argument) {
    long before =
        lifted.arguments().subList(0, argument).stream().filter(Argument::isArray).count();
    return lifted.accesses().get((int) before) != Access.READ;
  }

  private static Shape line(long items) {
    if (items < 0) {
      throw new IllegalArgumentException("cannot run over " + items + " items; give 0 or more");
    }
    return Shape.of(items);
  }

  /**
   * Checks a launch once, to be run many times without garbage; owned by the caller.
   *
   * @throws IllegalArgumentException as {@link #launch} does
   */
  public Prepared prepare(long items, Object... arguments) {
    return prepare(line(items), arguments);
  }

  /**
   * Checks a launch over several axes once; owned by the caller.
   *
   * @throws IllegalArgumentException as {@link #launch} does
   */
  public Prepared prepare(Shape items, Object... arguments) {
    return prepare(items, null, arguments);
  }

  /**
   * Checks a launch over as many items as a buffer says once; owned by the caller.
   *
   * @throws IllegalArgumentException as {@link #launch} does
   */
  public Prepared prepare(Buffer count, long most, Object... arguments) {
    requireCounted(count);
    return prepare(line(most), count, arguments);
  }

  private void requireCounted(Buffer count) {
    if (block.rank() > 1 || lifted.wholeBlocks()) {
      throw new IllegalArgumentException(
          "a kernel with %s cannot count its items by a buffer; launch it with a number"
              .formatted(block.rank() > 1 ? "blocks of " + block : "tiles"));
    }
    if (count.bytes() < Long.BYTES) {
      throw new IllegalArgumentException("the number of items is one I64, more than " + count);
    }
  }

  private Prepared prepare(Shape items, @Nullable Buffer count, Object... arguments) {
    if (closed) {
      throw new IllegalStateException(
          "a launch of a kernel that is closed; keep it open as long as it is used");
    }
    Blocks grid = new Blocks(block, items);
    long blocks = grid.count();
    if (items.rank() > 1 && blocks > BlockQuotient.MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "a launch of %d blocks over several axes; at most %d: make the blocks larger"
              .formatted(blocks, BlockQuotient.MOST_BLOCKS));
    }
    if (!takes(items)) {
      throw new IllegalArgumentException(
          "the kernel uses tiles, whose blocks are whole ones, but its blocks of %s do not divide a launch over %s; launch over a multiple of them"
              .formatted(block, items));
    }
    KernelArguments.Bound bound = expected.bind(grid, arguments);
    List<Buffer> buffers = new ArrayList<>(bound.buffers());
    long[] numbers = bound.numbers().stream().mapToLong(Long::longValue).toArray();
    buffers.addAll(tables);
    if (count != null) {
      buffers.add(count);
    }
    refuseOverlap(buffers);
    Set<Integer> open = guards == null ? Set.of() : guards.open(numbers, count != null);
    List<Buffer> own = new ArrayList<>(3);
    try {
      Buffer printed = null;
      if (!lifted.lines().isEmpty()) {
        printed = client.create(MemorySegment.ofArray(new long[PrintedLines.words()]));
        own.add(printed);
        buffers.add(printed);
      }
      Kernel kernel = loaded.kernel(items.count(), buffers, count != null, bound.dense(), open);
      List<Buffer> all = new ArrayList<>(buffers);
      if (!open.isEmpty()) {
        Buffer note = client.create(MemorySegment.ofArray(new long[Lifted.Site.WORDS]));
        own.add(note);
        all.add(note);
      }
      if (!onDevice) {
        Buffer passed = client.create(MemorySegment.ofArray(numbers));
        own.add(passed);
        all.add(passed);
      }
      Buffer[] used = all.toArray(Buffer[]::new);
      Launch launch =
          onDevice
              ? client.prepare(kernel, blocks, numbers, used)
              : client.prepare(kernel, blocks, used);
      Runnable work =
          checked == null ? launch::run : () -> check(checked, items, count, numbers, buffers);
      return new Prepared(work, own, printed);
    } catch (RuntimeException | Error e) {
      own.forEach(Buffer::close);
      throw e;
    }
  }

  private void refuseOverlap(List<Buffer> buffers) {
    for (int i = 0; i < buffers.size(); i++) {
      for (int j = 0; j < i; j++) {
        boolean written =
            (i < lifted.accesses().size() && lifted.accesses().get(i) != Access.READ)
                || lifted.accesses().get(j) != Access.READ;
        if (written && buffers.get(i).overlaps(buffers.get(j))) {
          throw new IllegalArgumentException(
              ("arrays %s and %s of the kernel overlap, and it writes one of them; pass the "
                      + "memory once")
                  .formatted(j + 1, i + 1));
        }
      }
    }
  }

  /** Runs a launch on copies, which replace the buffers if nothing is wrong. */
  private void check(
      Lifted marked, Shape items, @Nullable Buffer count, long[] numbers, List<Buffer> buffers) {
    List<MemorySegment> copies = buffers.stream().map(client::read).toList();
    List<MemorySegment> memory = new ArrayList<>(copies);
    long[] passedNumbers = numbers.clone();
    Shape run = items;
    if (count != null) {
      memory.remove(lifted.accesses().size());
      long wanted = client.read(count).get(ValueLayout.JAVA_LONG, 0);
      run = Shape.of(Math.clamp(wanted, 0, items.count()));
      passedNumbers[0] = run.count();
    }
    memory.add(MemorySegment.ofArray(passedNumbers));
    CheckedRun.of(marked, block, run, memory);
    for (int i = 0; i < copies.size(); i++) {
      if (i >= lifted.accesses().size() || lifted.accesses().get(i) != Access.READ) {
        client.write(buffers.get(i), copies.get(i));
      }
    }
  }

  /** Gives the code back, once the device has done all launches; see {@link Prepared#close}. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    client.syncDevice();
    loaded.close();
    tables.forEach(Buffer::close);
  }

  /** A launch that was checked. */
  public final class Prepared implements AutoCloseable {
    private final Runnable work;
    private final List<Buffer> own;
    private final @Nullable Buffer printed;

    private Prepared(Runnable work, List<Buffer> own, @Nullable Buffer printed) {
      this.work = work;
      this.own = own;
      this.printed = printed;
    }

    /**
     * Adds the launch to the client's stream of the moment and returns at once; if the kernel
     * prints or is checked, when it has run.
     */
    public void run() {
      work.run();
      if (printed != null) {
        PrintedLines.print(lifted.lines(), client.read(printed));
        client.write(printed, MemorySegment.ofArray(new long[PrintedLines.words()]));
      }
    }

    /** Gives back what a launch needs besides its buffers; those already added still run. */
    @Override
    public void close() {
      own.forEach(Buffer::close);
    }
  }
}
