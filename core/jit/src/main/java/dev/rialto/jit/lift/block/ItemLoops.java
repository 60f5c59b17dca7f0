package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.Exposed;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Splits the loop over the items of a block where they wait for one another.
 *
 * <p>A barrier ends a loop over the items and begins another: conditions and loops around it are
 * done once for all, as the first item that has not returned decides, and variables that outlive a
 * loop become arrays with an element per item. Between barriers, items that exchange values do so
 * by subgroups: a loop over these, inside which what is before an exchange and what is behind it
 * are loops of their own in the same way.
 */
final class ItemLoops {
  private final ItemRange range;
  private final String end;
  private final List<Stmt> before;
  private final Map<Var, Buffer> spread = new HashMap<>();
  private final Map<Buffer, Buffer> widened = new HashMap<>();
  private final Var leader;

  /** The variables that items of the block have together, if this is of a subgroup of it. */
  private final Set<Var> ofBlock;

  private Collective collective = new Collective(List.of(), "");
  private VariablePlaces places = new VariablePlaces(List.of(), Set.of(), _ -> false, List.of());
  private @Nullable Buffer returned;
  private int labels;
  private int runs;

  /**
   * Makes loops.
   *
   * @param end the label that items leave when they return
   * @param before gets the arrays that loops need
   */
  ItemLoops(ItemRange range, String end, List<Stmt> before) {
    this(range, end, before, Set.of());
  }

  private ItemLoops(ItemRange range, String end, List<Stmt> before, Set<Var> ofBlock) {
    this.range = range;
    this.end = end;
    this.before = before;
    this.ofBlock = ofBlock;
    this.leader = new Var(range.isBlock() ? "leader" : "subgroup_leader", Type.I64);
  }

  /** Loops over subgroups, split where their items exchange values. */
  static List<Stmt> subgroups(
      ItemRange block,
      String end,
      List<Stmt> before,
      List<Var> variables,
      List<Buffer> own,
      List<Stmt> body) {
    ItemLoops loops = new ItemLoops(block.subgroup(), end, before);
    return List.of(
        block.eachSubgroup(
            loops.split(variables, own, Exchanges.apply(body, block.local(), before))));
  }

  private Buffer array(String name, Buffer.Storage storage, long elements) {
    Buffer buffer = new Buffer(name, storage, elements, true);
    before.add(new Stmt.Array(buffer));
    return buffer;
  }

  // --- Barriers ---------------------------------------------------------------------------------

  /**
   * Splits steps.
   *
   * @param variables those that each item has
   * @param own the arrays that each item has
   */
  List<Stmt> split(List<Var> variables, List<Buffer> own, List<Stmt> body) {
    return split(variables, own, body, null);
  }

  private List<Stmt> split(
      List<Var> variables, List<Buffer> own, List<Stmt> body, @Nullable Buffer gone) {
    int most = range.items().most();
    collective = new Collective(body, end);
    places = new VariablePlaces(variables, range.placeVariables(), collective::test, body);
    for (Var v : variables) {
      if (places.isKept(v)) {
        spread.put(v, array(v.name() + "s" + before.size(), storage(v.type()), most));
      }
    }
    for (Buffer each : own) {
      widened.put(each, array(each.name() + "w", each.storage(), each.elements() * most));
    }
    List<Stmt> out = new ArrayList<>();
    boolean leaves = Ir.contains(body, new Stmt.Leave(end)::equals);
    List<Stmt> inner = new ArrayList<>();
    if (leaves || gone != null) {
      Buffer left = array(end + "_left", Buffer.Storage.I8, most);
      Expr already = gone == null ? KernelCode.ZERO : new Expr.Load(gone, range.local(), 1);
      out.add(range.each(new Stmt.Store(left, range.local(), already)));
      if (gone != null) {
        inner.add(findLeader(left));
      }
      returned = left;
    }
    out.add(new Stmt.Let(leader, range.first()));
    places.uniform().forEach(v -> out.add(new Stmt.Let(v, Expr.of(v.type(), 0))));
    split(body, inner);
    out.add(new Stmt.Labeled(end, new Stmt.Block(inner)));
    return out;
  }

  static Buffer.Storage storage(Type type) {
    return switch (type.kind()) {
      case BOOL, I32 -> Buffer.Storage.I32;
      case I64 -> Buffer.Storage.I64;
      case F32 -> Buffer.Storage.F32;
      case F64 -> Buffer.Storage.F64;
    };
  }

  private static Set<Var> variables(List<Stmt> steps) {
    Set<Var> used = Ir.assigned(steps);
    steps.forEach(step -> Ir.expressions(step, e -> used.addAll(Ir.uses(e))));
    return used;
  }

  private void split(List<Stmt> steps, List<Stmt> out) {
    List<Stmt> run = new ArrayList<>();
    for (Stmt step : steps) {
      boolean once = places.isOfBlock(step);
      if (!once && !collective.test(step)) {
        run.add(step);
        continue;
      }
      flush(run, out);
      run = new ArrayList<>();
      switch (step) {
        case Stmt.Assign(Var v, Expr e) -> out.add(new Stmt.Assign(v, places.expanded(e)));
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
    Map<Var, Expr> here = range.places(leader);
    here.put(range.local(), leader);
    return Ir.rewrite(
        places.expanded(condition),
        e ->
            e instanceof Var v
                ? spread.containsKey(v)
                    ? new Expr.Load(spread.get(v), leader, 1)
                    : here.getOrDefault(v, v)
                : e);
  }

  private Expr widen(Expr e) {
    return Ir.rewrite(
        e,
        x ->
            x instanceof Expr.Load(Buffer b, Expr at, int n) && widened.containsKey(b)
                ? new Expr.Load(widened.get(b), widenedIndex(b, at), n)
                : x);
  }

  private Expr widenedIndex(Buffer b, Expr at) {
    return new Binary(
        BinaryOp.ADD, new Binary(BinaryOp.MUL, range.local(), Expr.of(b.elements())), at);
  }

  /** Writes a run of steps as a loop over the items that have not returned. */
  private void flush(List<Stmt> run, List<Stmt> out) {
    if (run.isEmpty()) {
      return;
    }
    String label = (range.isBlock() ? "items" : "lanes") + labels++ + end;
    boolean returns = Ir.contains(run, new Stmt.Leave(end)::equals);
    List<Var> own =
        variables(run).stream()
            .filter(v -> v.name().startsWith("v"))
            .filter(v -> !places.uniform().contains(v) && !ofBlock.contains(v))
            .sorted(Comparator.comparing(Var::name))
            .toList();
    List<Stmt> body = new ArrayList<>(found(own, run));
    for (Stmt step : run) {
      body.add(Ir.rebuild(Ir.mapExpressions(step, this::widen), s -> inItem(s, label)));
    }
    Set<Var> assigned = Ir.assigned(run);
    for (Var v : own) {
      if (spread.containsKey(v) && assigned.contains(v) && places.isReadAfter(runs, v)) {
        body.add(new Stmt.Store(spread.get(v), range.local(), v));
      }
    }
    runs++;
    if (Ir.contains(body, s -> s instanceof Stmt.Exchange)) {
      Set<Var> together = Set.copyOf(places.uniform());
      ItemLoops inner = new ItemLoops(range.subgroup(), label, before, together);
      out.add(
          range.eachSubgroup(
              inner.split(own, List.of(), Exchanges.apply(body, range.local(), before), returned)));
    } else {
      out.add(range.each(active(own, body, returns ? label : "")));
    }
    if (returns && returned != null) {
      out.add(findLeader(returned));
    }
  }

  /** What an item finds from earlier loops: kept, or computed again. */
  private List<Stmt> found(List<Var> own, List<Stmt> run) {
    Set<Var> read = new HashSet<>();
    Set<Var> written = new HashSet<>();
    Exposed.read(run, written, read);
    Set<Var> assigned = Ir.assigned(run);
    List<Stmt> steps = new ArrayList<>();
    for (Var v : own) {
      Expr again = places.repeated(v);
      boolean goesOn = read.contains(v) || (assigned.contains(v) && !written.contains(v));
      if (again != null && read.contains(v)) {
        steps.add(new Stmt.Assign(v, again));
      } else if (spread.containsKey(v) && goesOn) {
        steps.add(new Stmt.Assign(v, new Expr.Load(spread.get(v), range.local(), 1)));
      }
    }
    return steps;
  }

  /** What an item does that has not returned; it leaves by the label if there is one. */
  private Stmt active(List<Var> own, List<Stmt> steps, String label) {
    List<Stmt> body = new ArrayList<>();
    own.forEach(v -> body.add(new Stmt.Let(v, Expr.of(v.type(), 0))));
    body.addAll(steps);
    Stmt each = new Stmt.Block(FirstValues.apply(body));
    if (!label.isEmpty()) {
      each = new Stmt.Labeled(label, each);
    }
    return returned == null
        ? each
        : new Stmt.If(
            KernelCode.not(KernelCode.isSet(new Expr.Load(returned, range.local(), 1))), each);
  }

  private Stmt inItem(Stmt s, String label) {
    return switch (s) {
      case Stmt.Store(Buffer b, Expr at, Expr e) when widened.containsKey(b) ->
          new Stmt.Store(widened.get(b), widenedIndex(b, at), e);
      case Stmt.Leave(String target) when target.equals(end) && returned != null ->
          new Stmt.Block(
              List.of(
                  new Stmt.Store(returned, range.local(), KernelCode.ONE), new Stmt.Leave(label)));
      default -> s;
    };
  }

  /** Finds the first item that has not returned; if there is none this ends for all. */
  private Stmt findLeader(Buffer left) {
    String label = "found" + labels++ + end;
    Expr gone = KernelCode.isSet(new Expr.Load(left, leader, 1));
    return new Stmt.Block(
        List.of(
            new Stmt.Assign(leader, range.first()),
            new Stmt.Loop(
                label,
                new Stmt.Block(
                    List.of(
                        new Stmt.If(
                            new Binary(BinaryOp.LE, range.end(), leader), new Stmt.Leave(end)),
                        new Stmt.If(KernelCode.not(gone), new Stmt.Leave(label)),
                        new Stmt.Assign(leader, new Binary(BinaryOp.ADD, leader, Expr.of(1))))))));
  }
}
