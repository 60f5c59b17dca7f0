package dev.rialto.jit.kernel.host;

import dev.rialto.jit.kernel.host.Accesses.Access;
import dev.rialto.jit.kernel.host.Accesses.Kind;
import dev.rialto.jit.kernel.launch.Blocks;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.block.Collective;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.LoopInterpreter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a lifted kernel item by item and looks at every step: indices, accesses of several items to
 * one element that nothing orders, and barriers that not all items of a block come to. The lines in
 * messages are the comments that mark the steps.
 */
public final class CheckedRun extends LoopInterpreter {
  private final Lifted kernel;
  private final Blocks blocks;
  private final Map<Buffer, Accesses> arguments = new HashMap<>();

  private CheckedRun(Lifted kernel, Shape block, Shape items, List<MemorySegment> memory) {
    super(kernel.procedure(), memory);
    this.kernel = kernel;
    this.blocks = new Blocks(block, items);
    for (Buffer parameter : kernel.procedure().parameters()) {
      String name = kernel.names().get(parameter);
      if (name != null) {
        arguments.put(parameter, new Accesses(name));
      }
    }
  }

  /**
   * Runs a kernel.
   *
   * @param memory that of each parameter of its procedure
   * @throws IndexOutOfBoundsException if an item uses an index that an array does not have
   * @throws IllegalStateException if items disturb one another
   * @throws ArithmeticException if an item divides an integer by 0
   */
  public static void of(Lifted kernel, Shape block, Shape items, List<MemorySegment> memory) {
    new CheckedRun(kernel, block, items, memory).all();
  }

  private void all() {
    set(kernel.procedure().end(), Expr.of(blocks.count()));
    for (Stmt step : Ir.steps(kernel.procedure().body())) {
      if (step instanceof Stmt.For loop) {
        for (long number = 0; number < blocks.count(); number++) {
          set(loop.index(), Expr.of(number));
          for (Stmt inBlock : Ir.steps(loop.body())) {
            if (inBlock instanceof Stmt.Items items) {
              items(items, number);
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

  private void items(Stmt.Items items, long number) {
    List<List<PlainItem.Axis>> places = blocks.items(number);
    PlainItem.Shared shared = new PlainItem.Shared(places.size());
    RoundRobinThreads turns = new RoundRobinThreads(places.size());
    Map<Buffer, Accesses> accesses = new HashMap<>(arguments);
    kernel
        .shared()
        .forEach(b -> accesses.put(b, new Accesses(kernel.names().getOrDefault(b, b.name()))));
    Collective collective = new Collective(Ir.steps(items.body()), kernel.end());
    List<Decision> decisions = new ArrayList<>();
    for (int local = 0; local < places.size(); local++) {
      PlainItem item = new PlainItem(places.get(local), shared, turns);
      CheckedItem run = new CheckedItem(this, items, item, accesses, collective, decisions);
      turns.add(local, () -> run.run(items.body()));
    }
    turns.run();
  }

  /** The side that an item took at a condition around a barrier. */
  private record Decision(Stmt.If branch, boolean taken, long item) {}

  /** The run of one item. */
  private static final class CheckedItem extends LoopInterpreter {
    private final CheckedRun owner;
    private final PlainItem item;
    private final Map<Buffer, Accesses> accesses;
    private final Collective collective;
    private final List<Decision> decisions;
    private int decided;
    private int barriers;
    private String line = "";

    CheckedItem(
        CheckedRun owner,
        Stmt.Items items,
        PlainItem item,
        Map<Buffer, Accesses> accesses,
        Collective collective,
        List<Decision> decisions) {
      super(owner);
      this.owner = owner;
      this.item = item;
      this.accesses = accesses;
      this.collective = collective;
      this.decisions = decisions;
      set(items.local(), Expr.of(item.local()));
    }

    @Override
    protected @Nullable Stmt run(Stmt s) {
      switch (s) {
        case Stmt.Comment(String text) -> line = text;
        case Stmt.Barrier _ -> {
          item.barrier();
          barriers++;
        }
        case Stmt.Exchange exchange -> exchange(exchange);
        case Stmt.Assign(Expr.Var _, Expr value) when Ir.isDivision(value) -> {
          try {
            return super.run(s);
          } catch (ArithmeticException _) {
            throw new ArithmeticException(
                "%s: item %s divides an integer by 0; divide only where the divisor is not 0"
                    .formatted(line, item.global()));
          }
        }
        case Stmt.If branch when collective.test(branch) -> {
          decide(branch, scalar(branch.condition()) != 0);
          return super.run(branch);
        }
        default -> {
          return super.run(s);
        }
      }
      return null;
    }

    /** Compares what this item decides with what the first one did that came here. */
    private void decide(Stmt.If branch, boolean taken) {
      if (decided == decisions.size()) {
        decisions.add(new Decision(branch, taken, item.global()));
      }
      Decision first = decisions.get(decided++);
      if (!first.branch().equals(branch) || first.taken() != taken) {
        throw new IllegalStateException(
            ("%s: items %s and %s of a block decide differently here, and only one of them "
                    + "comes to the barrier that depends on it; make the condition the same for all "
                    + "items of the block")
                .formatted(line, first.item(), item.global()));
      }
    }

    private void exchange(Stmt.Exchange exchange) {
      long bits = scalar(exchange.value());
      long found =
          switch (exchange.op()) {
            case SHUFFLE -> item.shuffle(bits, (int) scalar(exchange.lane()));
            case BALLOT -> item.ballot(bits != 0);
          };
      set(exchange.result(), new Const(exchange.result().type(), found));
    }

    private void access(Buffer b, long at, Kind kind) {
      if (at < 0 || at >= elements(b)) {
        throw new IndexOutOfBoundsException(
            "%s: item %s uses index %s of %s, which has %s elements"
                .formatted(
                    line,
                    item.global(),
                    at,
                    owner.kernel.names().getOrDefault(b, b.name()),
                    elements(b)));
      }
      Accesses known = accesses.get(b);
      if (known != null) {
        known.add(at, new Access(kind, item.global(), item.block(), barriers, line));
      }
    }

    @Override
    protected Const load(Buffer b, long at) {
      access(b, at, Kind.READ);
      return super.load(b, at);
    }

    @Override
    protected void store(Buffer b, long at, Const value) {
      access(b, at, Kind.WRITE);
      super.store(b, at, value);
    }

    @Override
    protected void atomic(Stmt.Atomic a) {
      long at = scalar(a.offset());
      access(a.buffer(), at, Kind.ATOMIC);
      Const old = super.load(a.buffer(), at);
      set(a.old(), old);
      super.store(a.buffer(), at, next(a, old));
    }
  }
}
