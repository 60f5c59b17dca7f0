package dev.rialto.jit.lift.block;

import dev.rialto.jit.loops.Exposed;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where the variables of items live once a block is several loops.
 *
 * <p>One that has the same value for all items is a variable of the block. One whose value follows
 * from the item's place is computed again in each loop. Of the others, one that some loop reads
 * before it writes it is kept in an array with an element per item; the rest belong to their loops.
 * Arrays of places and counters would keep the loops from being compiled to vectors.
 */
public final class VariablePlaces {
  private static final int MOST_PARTS = 16;

  /** A step that gives a variable a value; null if it is no expression. */
  private record Definition(@Nullable Expr value, boolean together) {}

  /**
   * Steps that become a loop over the items.
   *
   * @param reads the variables that they read before they write them
   * @param loop the outermost loop around them, or {@link #NO_LOOP}
   */
  private record Run(Set<Var> reads, int loop) {}

  private static final int NO_LOOP = -1;

  private final Set<Var> variables;
  private final Set<Var> places;
  private final Predicate<Stmt> collective;
  private final Set<Buffer> written;
  private final Map<Var, List<Definition>> definitions = new HashMap<>();
  private final Map<Var, Expr> repeated = new HashMap<>();
  private final Set<Var> uniform = new LinkedHashSet<>();
  private final Set<Var> kept = new HashSet<>();
  private final List<Run> runs = new ArrayList<>();
  private final Set<Var> decides = new HashSet<>();

  /**
   * Finds the places.
   *
   * @param variables those that each item has
   * @param places those that tell an item's place in the block
   * @param collective tells the steps that the items of the block do together
   */
  VariablePlaces(
      List<Var> variables, Set<Var> places, Predicate<Stmt> collective, List<Stmt> body) {
    this.variables = new HashSet<>(variables);
    this.places = places;
    this.collective = collective;
    this.written = Ir.stored(new Stmt.Block(body));
    define(body, true);
    int before;
    do {
      // A value may follow from that of a variable that comes later.
      before = repeated.size();
      variables.forEach(this::repeat);
    } while (before < repeated.size());
    findUniform(variables);
    keep(body);
  }

  Set<Var> uniform() {
    return uniform;
  }

  /** Returns whether a variable outlives a loop. */
  boolean isKept(Var v) {
    return kept.contains(v);
  }

  /**
   * Returns whether what a run of steps leaves in a variable may be read after it.
   *
   * @param number counts the runs in their order, from 0
   */
  boolean isReadAfter(int number, Var v) {
    int loop = runs.get(number).loop();
    for (int i = 0; i < runs.size(); i++) {
      boolean follows = i > number || (loop != NO_LOOP && runs.get(i).loop() == loop);
      if (follows && runs.get(i).reads().contains(v)) {
        return true;
      }
    }
    return decides.contains(v);
  }

  /** Returns the value of a variable that is computed again where it is read; null for others. */
  @Nullable Expr repeated(Var v) {
    return repeated.get(v);
  }

  /** Returns a value with all variables computed that can be computed again. */
  Expr expanded(Expr e) {
    return Ir.replace(e, repeated);
  }

  boolean isOfBlock(Stmt step) {
    return step instanceof Stmt.Assign(Var v, Expr _) && uniform.contains(v);
  }

  // --- Values -----------------------------------------------------------------------------------

  private void define(List<Stmt> steps, boolean together) {
    for (Stmt step : steps) {
      boolean all = together && collective.test(step);
      switch (step) {
        case Stmt.Assign(Var v, Expr value) -> add(v, value, together);
        case Stmt.Atomic atomic -> add(atomic.old(), null, false);
        case Stmt.Exchange exchange -> add(exchange.result(), null, false);
        case Stmt.Block x -> define(x.steps(), together);
        case Stmt.If x -> {
          define(Ir.steps(x.body()), all);
          define(Ir.steps(x.otherwise()), all);
        }
        case Stmt.Labeled x -> define(Ir.steps(x.body()), all);
        case Stmt.Loop x -> define(Ir.steps(x.body()), all);
        case Stmt.For x -> define(Ir.steps(x.body()), false);
        default -> {}
      }
    }
  }

  private void add(Var v, @Nullable Expr value, boolean together) {
    definitions.computeIfAbsent(v, _ -> new ArrayList<>()).add(new Definition(value, together));
  }

  /** Finds out whether a variable has one value that only what is always known decides. */
  private void repeat(Var v) {
    List<Definition> all = definitions.getOrDefault(v, List.of());
    Expr value = all.size() == 1 ? all.getFirst().value() : null;
    if (value == null || repeated.containsKey(v)) {
      return;
    }
    Expr full = expanded(value);
    if (Ir.size(full) <= MOST_PARTS && !Ir.contains(full, x -> !isSimple(x))) {
      repeated.put(v, full);
    }
  }

  private boolean isSimple(Expr e) {
    return switch (e) {
      case Expr.Const _, Expr.Convert _, Expr.Select _ -> true;
      case Var other -> !variables.contains(other);
      case Expr.Binary b -> isCheap(b);
      case Expr.Unary u -> !u.op().isFunction();
      default -> false;
    };
  }

  private static boolean isCheap(Expr.Binary b) {
    return switch (b.op()) {
      case DIV, REM -> b.right() instanceof Expr.Const;
      default -> !b.op().isFunction();
    };
  }

  /** Finds the variables whose values all items give them together, and the same. */
  private void findUniform(List<Var> all) {
    for (Var v : all) {
      List<Definition> found = definitions.getOrDefault(v, List.of());
      if (!repeated.containsKey(v)
          && !found.isEmpty()
          && found.stream().allMatch(Definition::together)) {
        uniform.add(v);
      }
    }
    while (uniform.removeIf(
        v -> !definitions.getOrDefault(v, List.of()).stream().allMatch(this::isSame))) {
      // Until those that are left depend on one another alone.
    }
  }

  private boolean isSame(Definition definition) {
    Expr value = definition.value();
    return value != null && !Ir.contains(expanded(value), x -> !isSame(x));
  }

  private boolean isSame(Expr e) {
    return switch (e) {
      // An array of the launch that the kernel only reads; its index is looked at too.
      case Expr.Load load -> !load.buffer().local() && !written.contains(load.buffer());
      case Var v -> !places.contains(v) && (!variables.contains(v) || uniform.contains(v));
      default -> true;
    };
  }

  // --- Loops ------------------------------------------------------------------------------------

  private void keep(List<Stmt> body) {
    split(body, NO_LOOP);
    Set<Var> read = new HashSet<>(decides);
    runs.forEach(run -> read.addAll(run.reads()));
    for (Var v : read) {
      if (variables.contains(v) && !repeated.containsKey(v) && !uniform.contains(v)) {
        kept.add(v);
      }
    }
  }

  private void add(List<Stmt> run, int loop) {
    if (!run.isEmpty()) {
      Set<Var> reads = new HashSet<>();
      Exposed.read(run, new HashSet<>(), reads);
      runs.add(new Run(reads, loop));
    }
  }

  /** The runs of steps that become loops over the items, and what decides around them. */
  private void split(List<Stmt> steps, int loop) {
    List<Stmt> run = new ArrayList<>();
    for (Stmt step : steps) {
      if (!collective.test(step) && !isOfBlock(step)) {
        run.add(step);
        continue;
      }
      add(run, loop);
      run = new ArrayList<>();
      switch (step) {
        case Stmt.If branch -> {
          decides.addAll(Ir.uses(branch.condition()));
          split(Ir.steps(branch.body()), loop);
          split(Ir.steps(branch.otherwise()), loop);
        }
        case Stmt.Labeled x -> split(Ir.steps(x.body()), loop);
        case Stmt.Loop x -> split(Ir.steps(x.body()), loop == NO_LOOP ? runs.size() : loop);
        case Stmt.Block x -> split(x.steps(), loop);
        default -> {}
      }
    }
    add(run, loop);
  }
}
