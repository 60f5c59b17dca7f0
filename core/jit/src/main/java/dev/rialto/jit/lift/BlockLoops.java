package dev.rialto.jit.lift;

import dev.rialto.jit.lower.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Loops for the host's threads in place of the items of a block.
 *
 * <p>A thread does a block, so what the block shares is an array of the thread and atomic steps on
 * it are plain ones. Without a barrier the items are one loop. A barrier ends a loop over the items
 * and begins another: conditions and loops around it are done once for the block, as its first item
 * that has not returned decides, and variables that outlive a loop become arrays with an element
 * per item.
 */
final class BlockLoops {
  private final Stmt.Items items;
  private final List<Axis> axes;
  private final String end;
  private final Set<String> collective = new HashSet<>();
  private final Map<Var, Buffer> spread = new HashMap<>();
  private final Map<Buffer, Buffer> widened = new HashMap<>();
  private final Var leader = new Var("leader", Type.I64);
  private final Buffer returned;
  private final boolean returnsEarly;
  private int labels;

  private BlockLoops(Stmt.Items items, Lifted kernel, boolean returnsEarly) {
    this.items = items;
    this.axes = kernel.axes();
    this.end = kernel.end();
    this.returned = new Buffer("returned", Buffer.Storage.I8, items.most(), true);
    this.returnsEarly = returnsEarly;
  }

  /** Rewrites a lifted kernel; {@code own} are the arrays that each item has for itself. */
  static Procedure of(Lifted kernel) {
    Procedure p = kernel.procedure();
    List<Stmt> before = new ArrayList<>();
    List<Stmt> block = new ArrayList<>();
    Stmt.For blocks = null;
    for (Stmt step : Ir.steps(p.body())) {
      if (step instanceof Stmt.For loop) {
        blocks = loop;
      } else {
        before.add(step);
      }
    }
    if (blocks == null) {
      throw new IllegalArgumentException("procedure " + p.name() + " has no blocks");
    }
    kernel.shared().forEach(b -> before.add(new Stmt.Array(b)));
    for (Stmt step : Ir.steps(blocks.body())) {
      switch (step) {
        case Stmt.Array _ -> {}
        case Stmt.Items items -> block.addAll(items(items, kernel, before));
        default -> block.add(step);
      }
    }
    before.add(new Stmt.For(blocks.index(), blocks.from(), blocks.to(), 1, new Stmt.Block(block)));
    return new Procedure(
        p.name(), p.parameters(), p.items(), p.grain(), p.begin(), p.end(), new Stmt.Block(before));
  }

  private static List<Stmt> items(Stmt.Items items, Lifted kernel, List<Stmt> before) {
    List<Stmt> lets = new ArrayList<>();
    List<Stmt> body = new ArrayList<>();
    for (Stmt step : Ir.steps(plain(items.body(), kernel))) {
      switch (step) {
        case Stmt.Array _ -> {}
        case Stmt.Let let -> {
          // Loops along the axes give their places.
          if (kernel.axes().stream().noneMatch(axis -> axis.local().equals(let.variable()))) {
            lets.add(let);
          }
        }
        default -> body.add(step);
      }
    }
    if (!contains(body, new Stmt.Barrier())) {
      kernel.own().forEach(b -> before.add(new Stmt.Array(b)));
      List<Stmt> all = new ArrayList<>(lets);
      all.addAll(body);
      return List.of(each(items, kernel.axes(), new Stmt.Block(all)));
    }
    boolean returns = contains(body, new Stmt.Leave(kernel.end()));
    BlockLoops loops = new BlockLoops(items, kernel, returns);
    List<Stmt> inner =
        body.size() == 1
                && body.getFirst() instanceof Stmt.Labeled(String label, Stmt whole)
                && label.equals(kernel.end())
            ? Ir.steps(whole)
            : body;
    return loops.split(kernel, lets, inner, before);
  }

  static boolean contains(List<Stmt> steps, Stmt wanted) {
    boolean[] found = new boolean[1];
    steps.forEach(s -> Ir.walk(s, x -> found[0] |= x.equals(wanted)));
    return found[0];
  }

  /** Atomic steps on what no other thread sees, as plain ones. */
  private static Stmt plain(Stmt s, Lifted kernel) {
    return rebuild(
        s,
        step ->
            step instanceof Stmt.Atomic a && kernel.shared().contains(a.buffer())
                ? new Stmt.Block(
                    List.of(
                        new Stmt.Assign(a.old(), new Expr.Load(a.buffer(), a.offset(), 1)),
                        new Stmt.Store(
                            a.buffer(),
                            a.offset(),
                            Spelled.next(a.op(), a.old(), a.value(), a.expected()))))
                : step);
  }

  private interface Rule {
    Stmt apply(Stmt step);
  }

  /** Rebuilds steps from the inside, each by a rule. */
  private static Stmt rebuild(Stmt s, Rule rule) {
    Stmt inside =
        switch (s) {
          case Stmt.Block x ->
              new Stmt.Block(x.steps().stream().map(step -> rebuild(step, rule)).toList());
          case Stmt.If x ->
              new Stmt.If(x.condition(), rebuild(x.body(), rule), rebuild(x.otherwise(), rule));
          case Stmt.Labeled x -> new Stmt.Labeled(x.label(), rebuild(x.body(), rule));
          case Stmt.Loop x -> new Stmt.Loop(x.label(), rebuild(x.body(), rule));
          case Stmt.For x ->
              new Stmt.For(x.index(), x.from(), x.to(), x.step(), rebuild(x.body(), rule));
          default -> s;
        };
    return rule.apply(inside);
  }

  // --- Barriers ---------------------------------------------------------------------------------

  private List<Stmt> split(Lifted kernel, List<Stmt> lets, List<Stmt> body, List<Stmt> before) {
    findCollective(body);
    for (Stmt let : lets) {
      Var v = ((Stmt.Let) let).variable();
      Buffer buffer = new Buffer(v.name() + "s", storage(v.type()), items.most(), true);
      spread.put(v, buffer);
    }
    keepWhatOneLoopUses(body);
    spread.values().forEach(b -> before.add(new Stmt.Array(b)));
    for (Buffer own : kernel.own()) {
      Buffer wide =
          new Buffer(own.name() + "w", own.storage(), own.elements() * items.most(), true);
      widened.put(own, wide);
      before.add(new Stmt.Array(wide));
    }
    if (returnsEarly) {
      before.add(new Stmt.Array(returned));
    }
    List<Stmt> out = new ArrayList<>();
    if (returnsEarly) {
      out.add(each(new Stmt.Store(returned, items.local(), KernelCode.ZERO)));
    }
    out.add(new Stmt.Let(leader, Expr.of(0)));
    List<Stmt> inner = new ArrayList<>();
    split(body, inner);
    out.add(new Stmt.Labeled(end, new Stmt.Block(inner)));
    return out;
  }

  private Stmt each(Stmt body) {
    return each(items, axes, body);
  }

  /** A loop over the items: one along each axis, so that none of their places is divided for. */
  private static Stmt each(Stmt.Items items, List<Axis> axes, Stmt body) {
    if (axes.size() == 1) {
      return new Stmt.For(items.local(), Expr.of(0), items.count(), 1, body);
    }
    Expr number =
        Axis.number(
            axes.stream().map(axis -> (Expr) axis.local()).toList(),
            axes.stream().map(axis -> (Expr) axis.count()).toList());
    Stmt loop = new Stmt.Block(List.of(new Stmt.Let(items.local(), number), body));
    for (Axis axis : axes.reversed()) {
      loop = new Stmt.For(axis.local(), Expr.of(0), axis.count(), 1, loop);
    }
    return loop;
  }

  private static Buffer.Storage storage(Type type) {
    return switch (type.kind()) {
      case BOOL, I32 -> Buffer.Storage.I32;
      case I64 -> Buffer.Storage.I64;
      case F32 -> Buffer.Storage.F32;
      case F64 -> Buffer.Storage.F64;
    };
  }

  /** Finds the labelled steps and loops that all items do together. */
  private void findCollective(List<Stmt> body) {
    int before;
    do {
      before = collective.size();
      body.forEach(
          s ->
              Ir.walk(
                  s,
                  x -> {
                    switch (x) {
                      case Stmt.Labeled(String label, Stmt inner) -> mark(label, inner);
                      case Stmt.Loop(String label, Stmt inner) -> mark(label, inner);
                      default -> {}
                    }
                  }));
    } while (collective.size() > before);
  }

  private void mark(String label, Stmt inner) {
    if (!label.equals(end) && isCollective(inner)) {
      collective.add(label);
    }
  }

  private boolean isCollective(Stmt s) {
    boolean[] found = new boolean[1];
    Ir.walk(
        s,
        x ->
            found[0] |=
                x instanceof Stmt.Barrier
                    || (x instanceof Stmt.Leave(String label) && collective.contains(label))
                    || (x instanceof Stmt.Repeat(String next) && collective.contains(next)));
    return found[0];
  }

  /** The runs of steps between barriers, each of which becomes a loop over the items. */
  private void regions(List<Stmt> steps, List<List<Stmt>> found, Set<Var> decided) {
    List<Stmt> run = new ArrayList<>();
    for (Stmt step : steps) {
      if (!isCollective(step)) {
        run.add(step);
        continue;
      }
      if (!run.isEmpty()) {
        found.add(run);
        run = new ArrayList<>();
      }
      switch (step) {
        case Stmt.If branch -> {
          decided.addAll(Uses.of(branch.condition()));
          regions(Ir.steps(branch.body()), found, decided);
          regions(Ir.steps(branch.otherwise()), found, decided);
        }
        case Stmt.Labeled x -> regions(Ir.steps(x.body()), found, decided);
        case Stmt.Loop x -> regions(Ir.steps(x.body()), found, decided);
        case Stmt.Block x -> regions(x.steps(), found, decided);
        default -> {}
      }
    }
    if (!run.isEmpty()) {
      found.add(run);
    }
  }

  private static Set<Var> variables(List<Stmt> steps) {
    Set<Var> used = new HashSet<>();
    for (Stmt step : steps) {
      Ir.expressions(step, e -> used.addAll(Uses.of(e)));
      Ir.walk(
          step,
          s -> {
            switch (s) {
              case Stmt.Assign assign -> used.add(assign.variable());
              case Stmt.Atomic atomic -> used.add(atomic.old());
              default -> {}
            }
          });
    }
    return used;
  }

  /**
   * Takes from the variables to spread those that one loop alone uses and gives a value first. One
   * that a loop reads before it writes may come from an earlier turn of a loop around it.
   */
  private void keepWhatOneLoopUses(List<Stmt> body) {
    List<List<Stmt>> regions = new ArrayList<>();
    Set<Var> shared = new HashSet<>();
    regions(body, regions, shared);
    Set<Var> seen = new HashSet<>();
    for (List<Stmt> region : regions) {
      Exposed.read(region, new HashSet<>(), shared);
      for (Var v : variables(region)) {
        if (!seen.add(v)) {
          shared.add(v);
        }
      }
    }
    spread.keySet().retainAll(shared);
  }

  private void split(List<Stmt> steps, List<Stmt> out) {
    List<Stmt> run = new ArrayList<>();
    for (Stmt step : steps) {
      if (!isCollective(step)) {
        run.add(step);
        continue;
      }
      flush(run, out);
      run = new ArrayList<>();
      switch (step) {
        case Stmt.If x ->
            out.add(new Stmt.If(decided(x.condition()), inner(x.body()), inner(x.otherwise())));
        case Stmt.Labeled x -> out.add(new Stmt.Labeled(x.label(), inner(x.body())));
        case Stmt.Loop x -> out.add(new Stmt.Loop(x.label(), inner(x.body())));
        case Stmt.Block x -> split(x.steps(), out);
        case Stmt.Barrier _ -> {}
        default -> out.add(step);
      }
    }
    flush(run, out);
  }

  private Stmt inner(Stmt body) {
    List<Stmt> out = new ArrayList<>();
    split(Ir.steps(body), out);
    return out.isEmpty() ? Stmt.NOTHING : new Stmt.Block(out);
  }

  /** A condition as the first item sees it that has not returned. */
  private Expr decided(Expr condition) {
    Map<Var, Expr> places = new HashMap<>();
    if (axes.size() > 1) {
      List<Expr> counts = axes.stream().map(axis -> (Expr) axis.count()).toList();
      List<Expr> of = Axis.places(leader, counts);
      for (int i = 0; i < axes.size(); i++) {
        places.put(axes.get(i).local(), of.get(i));
      }
    }
    places.put(items.local(), leader);
    return Ir.rewrite(
        condition,
        e ->
            e instanceof Var v
                ? spread.containsKey(v)
                    ? new Expr.Load(spread.get(v), leader, 1)
                    : places.getOrDefault(v, v)
                : e);
  }

  private Expr spread(Expr e) {
    return Ir.rewrite(
        e,
        x ->
            switch (x) {
              case Var v when spread.containsKey(v) ->
                  new Expr.Load(spread.get(v), items.local(), 1);
              case Expr.Load(Buffer b, Expr at, int n) when widened.containsKey(b) ->
                  new Expr.Load(widened.get(b), widenedIndex(b, at), n);
              default -> x;
            });
  }

  private Expr widenedIndex(Buffer b, Expr at) {
    return new Binary(
        BinaryOp.ADD, new Binary(BinaryOp.MUL, items.local(), Expr.of(b.elements())), at);
  }

  /** Writes a run of steps as a loop over the items that have not returned. */
  private void flush(List<Stmt> run, List<Stmt> out) {
    if (run.isEmpty()) {
      return;
    }
    String label = "items" + labels++;
    boolean returns = contains(run, new Stmt.Leave(end));
    Set<Var> own = variables(run);
    own.removeAll(spread.keySet());
    own.remove(items.local());
    List<Stmt> body = new ArrayList<>();
    for (Var v : own.stream().sorted((a, b) -> a.name().compareTo(b.name())).toList()) {
      if (v.name().startsWith("v")) {
        body.add(new Stmt.Let(v, Expr.of(v.type(), 0)));
      }
    }
    for (Stmt step : run) {
      body.add(rebuild(Ir.mapExpressions(step, this::spread), s -> inItem(s, label)));
    }
    Stmt each = new Stmt.Block(body);
    if (returns) {
      each = new Stmt.Labeled(label, each);
    }
    if (returnsEarly) {
      Expr active = KernelCode.not(KernelCode.isSet(new Expr.Load(returned, items.local(), 1)));
      each = new Stmt.If(active, each);
    }
    out.add(each(each));
    if (returns) {
      out.add(findLeader());
    }
  }

  private Stmt inItem(Stmt s, String label) {
    return switch (s) {
      case Stmt.Assign(Var v, Expr e) when spread.containsKey(v) ->
          new Stmt.Store(spread.get(v), items.local(), e);
      case Stmt.Atomic a when spread.containsKey(a.old()) -> {
        Var old = new Var(a.old().name() + "o" + labels++, a.old().type());
        yield new Stmt.Block(
            List.of(
                new Stmt.Let(old, Expr.of(old.type(), 0)),
                new Stmt.Atomic(old, a.op(), a.buffer(), a.offset(), a.value(), a.expected()),
                new Stmt.Store(spread.get(a.old()), items.local(), old)));
      }
      case Stmt.Store(Buffer b, Expr at, Expr e) when widened.containsKey(b) ->
          new Stmt.Store(widened.get(b), widenedIndex(b, at), e);
      case Stmt.Leave(String target) when target.equals(end) ->
          new Stmt.Block(
              List.of(
                  new Stmt.Store(returned, items.local(), KernelCode.ONE), new Stmt.Leave(label)));
      default -> s;
    };
  }

  /** Finds the first item that has not returned; the block ends if there is none. */
  private Stmt findLeader() {
    String label = "found" + labels++;
    Expr gone = KernelCode.isSet(new Expr.Load(returned, leader, 1));
    return new Stmt.Block(
        List.of(
            new Stmt.Assign(leader, Expr.of(0)),
            new Stmt.Loop(
                label,
                new Stmt.Block(
                    List.of(
                        new Stmt.If(
                            new Binary(BinaryOp.LE, items.count(), leader), new Stmt.Leave(end)),
                        new Stmt.If(KernelCode.not(gone), new Stmt.Leave(label)),
                        new Stmt.Assign(leader, new Binary(BinaryOp.ADD, leader, Expr.of(1))))))));
  }
}
