package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.kernel.host.PlainItem;
import dev.rialto.jit.kernel.host.PrintedLines;
import dev.rialto.jit.kernel.host.RoundRobinThreads;
import dev.rialto.jit.kernel.launch.Blocks;
import dev.rialto.jit.lift.BlockQuotient;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.LoopInterpreter;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the form of a kernel that a GPU's threads run, by walking through it. */
final class DeviceThreads extends LoopInterpreter {
  private final Procedure procedure;
  private final Blocks blocks;
  private final boolean isGroup;

  private DeviceThreads(
      Procedure procedure, Blocks blocks, List<MemorySegment> memory, boolean isGroup) {
    super(procedure, memory);
    this.isGroup = isGroup;
    this.procedure = procedure;
    this.blocks = blocks;
  }

  /**
   * Runs a kernel.
   *
   * @param procedure the form of it
   * @param isGroup whether all threads must come to each barrier
   * @param memory that of each array
   * @param arguments arrays of Java's and numbers
   */
  static void run(
      Lifted kernel,
      Procedure procedure,
      boolean isGroup,
      Shape block,
      Shape items,
      List<MemorySegment> memory,
      Object... arguments) {
    Blocks blocks = new Blocks(block, items);
    List<Long> numbers = new ArrayList<>();
    for (int axis = 0; axis < items.rank(); axis++) {
      numbers.add(items.extent(axis));
    }
    int array = 0;
    for (int i = 0; i < arguments.length; i++) {
      Lifted.Argument type = kernel.arguments().get(i);
      numbers.add(
          type.isArray()
              ? memory.get(array++).byteSize() / type.bytes()
              : bits((Number) arguments[i]));
    }
    for (int axis = 1; axis < items.rank(); axis++) {
      numbers.add(BlockQuotient.word(Math.max(1, blocks.along(axis))));
    }
    List<MemorySegment> all = new ArrayList<>(memory);
    all.addAll(kernel.tables());
    if (!kernel.lines().isEmpty()) {
      all.add(MemorySegment.ofArray(new long[PrintedLines.words()]));
    }
    all.add(MemorySegment.ofArray(numbers.stream().mapToLong(Long::longValue).toArray()));
    new DeviceThreads(procedure, blocks, all, isGroup).all();
  }

  /** Runs a procedure whose turns are blocks of so many threads. */
  static void run(Procedure procedure, long block, List<MemorySegment> memory) {
    Blocks blocks = new Blocks(Shape.of(block), Shape.of(block * procedure.items()));
    new DeviceThreads(procedure, blocks, memory, true).all();
  }

  private static long bits(Number number) {
    return switch (number) {
      case Double d -> Double.doubleToRawLongBits(d);
      case Float f -> Float.floatToRawIntBits(f);
      default -> number.longValue();
    };
  }

  private void all() {
    set(procedure.begin(), Expr.of(0));
    set(procedure.end(), Expr.of(blocks.count()));
    for (Stmt step : Ir.steps(procedure.body())) {
      if (step instanceof Stmt.For loop) {
        for (long number = 0; number < blocks.count(); number++) {
          set(loop.index(), Expr.of(number));
          for (Stmt inBlock : Ir.steps(loop.body())) {
            if (inBlock instanceof Stmt.Items items) {
              threads(items, blocks.items(number));
            } else {
              run(inBlock);
            }
          }
        }
      } else {
        run(step);
      }
    }
  }

  private void threads(Stmt.Items items, List<List<PlainItem.Axis>> places) {
    int count = (int) scalar(items.count());
    PlainItem.Shared shared = new PlainItem.Shared(places.size());
    RoundRobinThreads turns = new RoundRobinThreads(count);
    int[] met = new int[count];
    for (int number = 0; number < count; number++) {
      PlainItem item =
          number < places.size() ? new PlainItem(places.get(number), shared, turns) : null;
      DeviceThread thread = new DeviceThread(this, items, number, item, turns, met);
      turns.add(number, () -> thread.run(items.body()));
    }
    turns.run();
    assertThat(Arrays.stream(met, 0, isGroup ? count : 0).distinct().count())
        .as("all threads of a group come to each barrier")
        .isLessThanOrEqualTo(1);
  }

  private static final class DeviceThread extends LoopInterpreter {
    private final int number;
    private final @Nullable PlainItem item;
    private final RoundRobinThreads turns;
    private final int[] met;

    DeviceThread(
        DeviceThreads owner,
        Stmt.Items items,
        int number,
        @Nullable PlainItem item,
        RoundRobinThreads turns,
        int[] met) {
      super(owner);
      this.number = number;
      this.item = item;
      this.turns = turns;
      this.met = met;
      set(items.local(), Expr.of(number));
    }

    @Override
    protected @Nullable Stmt run(Stmt s) {
      switch (s) {
        case Stmt.Barrier _ -> {
          met[number]++;
          turns.ofBlock(number);
        }
        case Stmt.Exchange x when item != null -> {
          long bits = scalar(x.value());
          long found =
              switch (x.op()) {
                case SHUFFLE -> item.shuffle(bits, (int) scalar(x.lane()));
                case BALLOT -> item.ballot(bits != 0);
              };
          set(x.result(), new Expr.Const(x.result().type(), found));
        }
        default -> {
          return super.run(s);
        }
      }
      return null;
    }
  }
}
