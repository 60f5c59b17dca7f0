package dev.rialto.jit.lower.threads;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.Linear;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.jit.lower.nest.Lowering;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Load;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives each element of a target a thread, as GPUs want it.
 *
 * <p>All loops of the target are one, whose index goes through the target's memory in order, so
 * that neighbouring threads touch neighbouring elements. Where memory is walked in that very order
 * the index is the element's number, and nothing is divided. Assignments that follow one another
 * share the loop if what one needs of another is the element of the same thread: threads never wait
 * for one another.
 *
 * <p>Where several points belong to one element, each point has a thread and elements are changed
 * atomically, if the order does not matter or the program is fast. Else points go in order, a
 * thread for each place that no data decides.
 *
 * @param fast whether values may be combined in any order
 * @param wideAtomics whether elements of 64 bits can be changed atomically
 */
public record Threads(boolean fast, boolean wideAtomics) {
  /** Returns the loops of the target, the one that moves it least last. */
  public static List<Iter> targets(Assign a) {
    return a.targetLoops().stream()
        .sorted(
            Comparator.comparingLong((Iter loop) -> -Math.abs(a.target().stride(a.index(), loop))))
        .toList();
  }

  /** Returns the loops that are divided among threads. */
  private List<Iter> order(Assign a) {
    if (AutoSchedule.isIndependent(a)) {
      return targets(a);
    }
    return isAtomic(a) ? a.loops() : a.hasEnds() ? List.of() : apart(a);
  }

  /** Whether threads can combine values with the same elements. */
  private boolean isAtomic(Assign a) {
    DType type = a.target().type();
    return !a.isInjective()
        && type.kind() != DType.Kind.COMPLEX
        && (type.size() == 4 || (type.size() == 8 && wideAtomics))
        && switch (a.accum()) {
          case SET, PRODUCT -> false;
          case SUM -> fast || a.accum().isOrderFree(type);
          case MAX, MIN -> !type.isUnsigned();
        };
  }

  /** The loops that move the target along an axis that nothing else moves it along. */
  private static List<Iter> apart(Assign a) {
    boolean ordered = a.accum() == Accum.SET && !a.reducedLoops().isEmpty();
    return a.isInjective() || ordered
        ? List.of()
        : a.loops().stream()
            .filter(
                loop ->
                    a.index().stream().filter(i -> i.dependsOn(loop)).count() == 1
                        && a.index().stream().anyMatch(i -> isAlong(i, loop)))
            .toList();
  }

  private static boolean isAlong(Affine index, Iter loop) {
    return index.terms().size() == 1 && index.factor(loop) != 0;
  }

  /**
   * Groups assignments; those that one thread does alone have no shared loop.
   *
   * @param alone which assignments have code of their own
   */
  public List<Fuse.Group> group(
      List<Assign> assigns, List<Schedule> schedules, Predicate<Assign> alone) {
    List<Fuse.Group> groups = new ArrayList<>();
    @Nullable Shared open = null;
    for (int i = 0; i < assigns.size(); i++) {
      Assign a = assigns.get(i);
      Schedule schedule = schedules.get(i);
      List<Iter> loops = order(a);
      boolean divisible = !loops.isEmpty() && !alone.test(a) && !ThreadTiles.isOne(schedule);
      if (open != null && divisible && open.fits(a)) {
        groups.getLast().assigns().add(a);
        groups.getLast().schedules().add(schedule);
      } else {
        groups.add(Fuse.Group.of(a, schedule, loops.isEmpty() ? null : loops));
        open = divisible ? new Shared(a) : null;
      }
      if (open != null) {
        open.add(a);
      }
    }
    return groups;
  }

  private List<Long> sizes(Assign a) {
    return order(a).stream().map(Iter::size).toList();
  }

  /** The group that is being made: where its threads touch each node, by the first one's loops. */
  private final class Shared {
    private final List<Iter> loops;
    private final List<Long> sizes;
    private final Fuse.Touched<List<Affine>> touched = new Fuse.Touched<>();

    Shared(Assign first) {
      this.loops = order(first);
      this.sizes = sizes(first);
    }

    void add(Assign a) {
      List<Iter> own = order(a);
      touched.add(a, index -> renamed(index, own));
    }

    boolean fits(Assign next) {
      List<Iter> own = order(next);
      return sizes.equals(sizes(next))
          && touched.fits(next, index -> renamed(index, own), this::meet);
    }

    private List<Affine> renamed(List<Affine> index, List<Iter> own) {
      Map<Symbol, Iter> names = new HashMap<>();
      for (int i = 0; i < own.size(); i++) {
        names.put(own.get(i), loops.get(i));
      }
      return index.stream()
          .map(a -> a.replace(s -> Affine.of(names.containsKey(s) ? names.get(s) : s)))
          .toList();
    }

    /** Whether threads of one number touch the same element, and no other does. */
    private boolean meet(Set<List<Affine>> places, List<Affine> place) {
      return places.isEmpty()
          || (places.size() == 1
              && places.contains(place)
              && loops.stream().allMatch(l -> place.stream().anyMatch(i -> i.factor(l) != 0)));
    }
  }

  /** Returns how many threads a group wants. */
  public long items(Fuse.Group group) {
    ThreadTiles tiles = tiles(group);
    if (tiles != null) {
      return tiles.items();
    }
    long items = 1;
    for (long size : sizes(group.assigns().getFirst())) {
      items = Math.multiplyExact(items, size);
    }
    return items;
  }

  private @Nullable ThreadTiles tiles(Fuse.Group group) {
    Schedule schedule = group.schedules().getFirst();
    return ThreadTiles.isOne(schedule)
        ? ThreadTiles.of(group.assigns().getFirst(), schedule, fast)
        : null;
  }

  /**
   * Writes the loop over all elements.
   *
   * @param own buffers that nothing outside this loop reads
   */
  public void emit(Fuse.Group group, Scope scope, Set<Buffer> own, Emitter out) {
    Var item = out.names().fresh("item", Type.I64);
    Emitter body = out.nested();
    ThreadTiles tiles = tiles(group);
    if (tiles != null) {
      tiles.emit(item, scope, body);
      out.add(new Stmt.For(item, scope.begin(), scope.end(), 1, body.block()));
      return;
    }
    List<Expr> index = split(body, item, sizes(group.assigns().getFirst()));
    for (Assign a : group.assigns()) {
      Lowering lowering = new Lowering(a, Schedule.PLAIN, scope);
      List<Iter> loops = order(a);
      if (isAtomic(a)) {
        lowering.atomically();
      }
      for (int i = 0; i < loops.size(); i++) {
        lowering.fix(loops.get(i), index.get(i));
      }
      lowering.emit(body);
    }
    long[] strides = strides(sizes(group.assigns().getFirst()));
    Stmt joined = Ir.mapExpressions(body.block(), e -> join(e, item, index, strides));
    out.add(new Stmt.For(item, scope.begin(), scope.end(), 1, inRegisters(joined, own)));
  }

  /**
   * Keeps elements that only their own thread needs out of memory: what is loaded is what was
   * stored before. Sums inside the loop, and elements that are narrower in memory, stay there.
   */
  private static Stmt inRegisters(Stmt body, Set<Buffer> own) {
    Map<Load, Expr> stored = new HashMap<>();
    List<Stmt> steps = new ArrayList<>();
    for (Stmt step : Ir.steps(body)) {
      Stmt known = Ir.mapExpressions(step, e -> Ir.rewrite(e, x -> known(x, stored)));
      switch (known) {
        case Stmt.Store(Buffer buffer, Expr offset, Expr value) when own.contains(buffer) ->
            stored.put(new Load(buffer, offset, 1), value);
        default -> steps.add(known);
      }
    }
    Stmt rest = new Stmt.Block(steps);
    Set<Buffer> used = Ir.loaded(rest);
    used.addAll(Ir.stored(rest));
    return Collections.disjoint(used, own) ? rest : body;
  }

  private static Expr known(Expr e, Map<Load, Expr> stored) {
    return e instanceof Load load ? stored.getOrDefault(load, load) : e;
  }

  private static long[] strides(List<Long> sizes) {
    long[] strides = new long[sizes.size()];
    long stride = 1;
    for (int i = sizes.size() - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= sizes.get(i);
    }
    return strides;
  }

  /** Finds the indices of several loops from that of all together, in 32 bits where they do. */
  static List<Expr> split(Emitter out, Expr item, List<Long> sizes) {
    long[] strides = strides(sizes);
    if (sizes.size() == 1) {
      return List.of(item);
    }
    boolean narrow = strides[0] * sizes.get(0) <= Integer.MAX_VALUE;
    List<Expr> index = new ArrayList<>();
    Expr rest = narrow ? out.convert(Type.Kind.I32, item) : item;
    for (int i = 0; i < strides.length; i++) {
      Expr stride = Emitter.integer(rest, Math.max(1, strides[i]));
      Expr here = i == strides.length - 1 ? rest : out.binary(BinaryOp.DIV, rest, stride);
      rest = out.sub(rest, out.mul(here, stride));
      index.add(narrow ? out.convert(Type.Kind.I64, here) : here);
    }
    return index;
  }

  /** Writes the loop's own index where indices add up to a multiple of it. */
  private static Expr join(Expr e, Var item, List<Expr> index, long[] strides) {
    if (e instanceof Binary sum && e.type().equals(Type.I64) && sum.op() != BinaryOp.DIV) {
      Linear linear = Linear.of(e, Map.of());
      long factor = linear.terms().getOrDefault(index.getLast(), 0L);
      boolean whole = factor != 0 && index.size() > 1;
      for (int i = 0; i < strides.length; i++) {
        whole &= linear.terms().getOrDefault(index.get(i), 0L) == factor * strides[i];
      }
      if (whole) {
        linear.terms().keySet().removeAll(index);
        linear.terms().merge(item, factor, Long::sum);
        return linear.expression();
      }
    }
    return Ir.map(e, operand -> join(operand, item, index, strides));
  }
}
